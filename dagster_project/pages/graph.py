"""The graph of the pages: steps, the tables that each writes, and the steps whose tables it reads.

Put here what `assets.graph` says of the graph. How it is drawn and listed belongs in the modules of those names.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from assets.graph import STEPS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from assets.steps import step as steps_of_a_run


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a run."""

    name: str
    tables: tuple[str, ...]
    reads: frozenset[str]
    """Tables of other steps."""


@cache
def steps() -> tuple[Step, ...]:
    """Every step of the graph, in the order of declaration."""
    return tuple(map(_step, STEPS))


def inputs_of(table: str) -> list[str]:
    """The tables that a table is made from, sorted."""
    return sorted(name for step in STEPS for name in step.reads.get(table, ()))


def parents(of: Iterable[Step]) -> dict[str, set[str]]:
    """The steps that each step reads from, without those that follow from the others."""
    every = list(of)
    writer = {table: step.name for step in every for table in step.tables}
    direct = {step.name: {writer[table] for table in step.reads} for step in every}
    above = {name: ancestors(name, direct) for name in direct}
    return {
        name: {one for one in read if not any(one in above[other] for other in read)} for name, read in direct.items()
    }


def ancestors(name: str, direct: dict[str, set[str]]) -> set[str]:
    """All steps from which tables come to a step, through any number of others."""
    reached: set[str] = set()
    rest = list(direct[name])
    while rest:
        one = rest.pop()
        if one not in reached:
            reached.add(one)
            rest.extend(direct[one])
    return reached


def _step(step: steps_of_a_run.Step) -> Step:
    tables, reads = step.reads.keys(), frozenset[str]().union(*step.reads.values())
    return Step(step.name.replace(".", "_"), tuple(sorted(tables)), reads.difference(tables))
