"""A claim compared with what is made again of the rows that it rests on.

Put here what has to be equal. How tables are made belongs in `assets.evidence.claim_tables`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from assets.catalog import TABLES
from assets.evidence.claim_tables import claim_tables
from assets.evidence.packed_rows import CLAIM

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import duckdb
    import pyarrow as pa

    Row = dict[str, Any]

OTHERS: Final = {"mart.incidents": frozenset({"rank"})}
"""Columns that depend on other incidents."""


def claim_again(rows: Mapping[str, pa.Table], incident: str) -> dict[str, pa.Table]:
    """The rows of the claim, made of raw rows, or of raw and reconstructed ones."""
    with claim_tables(rows) as connection:
        return claim_rows(connection, incident)


def claim_rows(connection: duckdb.DuckDBPyConnection, incident: str) -> dict[str, pa.Table]:
    """The rows of the claim in a database."""
    return {
        name: connection.sql(question, params={"incident": incident}).to_arrow_table()
        for name, question in CLAIM.items()
    }


def differences(packed: Mapping[str, pa.Table], again: Mapping[str, pa.Table]) -> Iterator[str]:
    """Where a claim says something else than what is made again: table, key, column, and both values."""
    for name in CLAIM:
        before, after = (_by_key(name, rows[name]) for rows in (packed, again))
        for key in sorted(before.keys() | after.keys(), key=str):
            others = OTHERS.get(name, frozenset())
            yield from _differences_of_row(f"{name} {key}", before.get(key), after.get(key), others)


def _by_key(name: str, rows: pa.Table) -> dict[tuple[Any, ...], Row]:
    return {tuple(row[column] for column in TABLES[name].key): row for row in rows.to_pylist()}


def _differences_of_row(place: str, before: Row | None, after: Row | None, others: frozenset[str]) -> Iterator[str]:
    if before is None or after is None:
        yield f"{place}: expected {'no' if after is None else 'this'} row, found {'none' if before is None else 'one'}"
        return
    for column in sorted(before.keys() | after.keys()):
        if column not in others and before.get(column) != after.get(column):
            yield f"{place}: {column}: expected {after.get(column)!r} from the rows, found {before.get(column)!r}"
