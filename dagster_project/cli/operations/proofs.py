"""`lagbook doctor --prove N`: rows that stayed from run to run are made again, and compared.

Put here which tables are proven, and the words for what differs. How rows are made again is in `assets.frontiers`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dagster_project.cli.terminal import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assets.frontiers import Proof
    from assets.storage.warehouse import Warehouse


def as_facts(problems: list[str], warehouse: Warehouse, count: int) -> list[dict[str, Any]]:
    """What came of making random units of tables again, as JSON; what differs is a problem."""
    proven = proofs(warehouse, count)
    problems.extend(problems_of(proven, warehouse))
    return [{**proof._asdict(), "sentence": sentence_of(proof)} for proof in proven]


def proofs(warehouse: Warehouse, count: int) -> list[Proof]:
    """Make so many random units of each table with frontiers again."""
    from assets.catalog import TABLES
    from assets.frontiers import prove
    from assets.marts import TRANSFORMS
    from assets.transforms.declaration import TransformWithFrontiers

    declared = ((TABLES[name], transform) for name, transform in TRANSFORMS.items())
    return [
        prove(warehouse, table, transform, count)
        for table, transform in declared
        if isinstance(transform, TransformWithFrontiers)
    ]


def problems_of(proven: list[Proof], warehouse: Warehouse) -> Iterator[str]:
    """A sentence for each table whose rows differ from those that were made again."""
    for proof in proven:
        if proof.differing:
            place = warehouse.table_url(proof.table)
            yield (
                f"{proof.table}: {plural(proof.differing, 'row')} of {_units(proof)} made again differ from those in"
                f" its files: delete {place}, and the next run makes the table anew"
            )


def sentence_of(proof: Proof) -> str:
    """What came of the proof of one table, in words."""
    if not proof.units:
        return f"{proof.table}: nothing stays there from run to run yet, or its inputs changed since: run first"
    return f"{proof.table}: {plural(proof.rows, 'row')} of {_units(proof)}, {proof.differing} differ"


def _units(proof: Proof) -> str:
    return plural(proof.units, "unit")
