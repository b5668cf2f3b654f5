"""Runs steps in this process, each behind those that make what it reads, and tells a watcher what became of them.

Put here the order and what a failure holds up. What a watcher makes of it belongs to `dagster_project`.
"""

from __future__ import annotations

from graphlib import TopologicalSorter
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assets.steps.step import RunContext, Step, TableResult


class Watcher(Protocol):
    """Takes what becomes of each step."""

    def take_start(self, step: str) -> None:
        """A step begins."""

    def take_table(self, step: str, result: TableResult) -> None:
        """It brought a table up to date."""

    def take_error(self, step: str, error: Exception) -> None:
        """It failed."""


def in_order(steps: Sequence[Step]) -> list[Step]:
    """The steps, each behind those that make what it reads."""
    maker = {full_name: step.name for step in steps for full_name in step.reads}
    graph: dict[str, list[str]] = {}
    for step in steps:
        before = {maker[name] for reads in step.reads.values() for name in reads if name in maker}
        graph[step.name] = sorted(before - {step.name})
    by_name = {step.name: step for step in steps}
    return [by_name[name] for name in TopologicalSorter(graph).static_order()]


def run_in_order(steps: Sequence[Step], run: RunContext, watcher: Watcher) -> None:
    """Run every step but those that read, directly or not, what a failed one makes."""
    blocked: set[str] = set()
    for step in in_order(steps):
        is_blocked = any(name in blocked for reads in step.reads.values() for name in reads)
        if is_blocked or not _is_done(step, run, watcher):
            blocked.update(step.reads)


def _is_done(step: Step, run: RunContext, watcher: Watcher) -> bool:
    """Run a step; whether what reads its tables may run, which a broken blocking rule of one of them forbids."""
    watcher.take_start(step.name)
    is_sound = True
    try:
        for result in step.make(run):
            watcher.take_table(step.name, result)
            is_sound = is_sound and not result.blocking_rules_broken
    except Exception as error:  # noqa: BLE001 - whatever it is, the other steps go on, as in Dagster
        watcher.take_error(step.name, error)
        return False
    return is_sound
