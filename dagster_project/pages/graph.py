"""The asset graph as Dagster has it: steps, the tables that each writes, and the steps whose tables it reads.

Put here what the definitions say of the graph. How it is drawn and listed belongs in the modules of those names.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import dagster as dg

from dagster_project.definitions import defs

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a run."""

    name: str
    tables: tuple[str, ...]
    reads: frozenset[str]
    """Tables of other steps."""


def name_of(key: dg.AssetKey) -> str:
    """The name of an asset as SQL has it, such as core.commits."""
    return ".".join(key.path)


@cache
def steps() -> tuple[Step, ...]:
    """Every step of the graph, in the order of declaration."""
    return tuple(_step(each) for each in defs.assets or () if isinstance(each, dg.AssetsDefinition))


def inputs_of(table: str) -> list[str]:
    """The tables that a table is declared to depend on, sorted."""
    specs = (spec for each in defs.assets or () if isinstance(each, dg.AssetsDefinition) for spec in each.specs)
    return sorted(name_of(dep.asset_key) for spec in specs if name_of(spec.key) == table for dep in spec.deps)


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


def _step(assets: dg.AssetsDefinition) -> Step:
    tables = [name_of(key) for key in assets.keys]
    reads = {name_of(dep.asset_key) for spec in assets.specs for dep in spec.deps}
    return Step(assets.op.name, tuple(sorted(tables)), frozenset(reads.difference(tables)))
