"""A claim compared with what is made again of the rows that it rests on.

Put here what has to be equal. How tables are made belongs in `assets.evidence.claim_tables`.
"""

from __future__ import annotations

from collections import defaultdict
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
        others = OTHERS.get(name, frozenset())
        for key in sorted(before.keys() | after.keys(), key=str):
            yield from _differences_of_rows(f"{name} {key}", before.get(key, []), after.get(key, []), others)


def _by_key(name: str, rows: pa.Table) -> dict[tuple[Any, ...], list[Row]]:
    """The rows of each key, in an order of their own where there are several."""
    by_key: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in rows.to_pylist():
        by_key[tuple(row[column] for column in TABLES[name].key)].append(row)
    return {key: sorted(same, key=str) for key, same in by_key.items()}


def _differences_of_rows(place: str, before: list[Row], after: list[Row], others: frozenset[str]) -> Iterator[str]:
    if len(before) != len(after):
        yield f"{place}: expected {_rows(len(after))}, found {_rows(len(before))}"
        return
    columns = (
        (one.get(column), other.get(column), column)
        for one, other in zip(before, after, strict=True)
        for column in sorted((one.keys() | other.keys()) - others)
    )
    for actual, expected, column in (one for one in columns if one[0] != one[1]):
        yield f"{place}: {column}: expected {expected!r} from the rows, found {actual!r}"


def _rows(count: int) -> str:
    return {0: "no row", 1: "one row"}.get(count, f"{count} rows")
