"""Macros built from tables: the grid of internal.offset_snapshots, and the log partitions of a group's commits.

Put here the macros that depend on what stands in the tables. What a store is, and how far apart they are, is said in
`assets.models`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    import duckdb

_GRID: Final = """
    SELECT epoch_us(min(taken_at)), epoch_us(max(taken_at)), greatest(count(DISTINCT taken_at) - 1, 1)
    FROM internal.offset_snapshots HAVING count(*) > 0
"""
_MACRO: Final = "CREATE OR REPLACE MACRO _snapshot_before(ts) AS"
_NONE: Final = "'-infinity'::TIMESTAMPTZ"
_BY_INDEX: Final = "SELECT log_partition FROM internal.group_partitions WHERE group_id = grp OR grp IS NULL"
_BY_COMMITS: Final = "SELECT DISTINCT log_partition FROM core.commits WHERE group_id = grp OR grp IS NULL"


def create_bindings(connection: duckdb.DuckDBPyConnection, existing: AbstractSet[str]) -> None:
    """Create `_snapshot_before` and `_partitions_of` if their tables exist."""
    if "internal.offset_snapshots" in existing:
        connection.execute(_snapshot_macro(connection))
    if {"internal.group_partitions", "core.commits"} <= existing:
        connection.execute(_partitions_macro(connection))


def _partitions_macro(connection: duckdb.DuckDBPyConnection) -> str:
    """The statement that creates the macro: in which partitions of the offsets topic a group's commits are."""
    is_known = connection.execute("SELECT count(*) > 0 FROM internal.group_partitions").fetchone() == (True,)
    return f"CREATE OR REPLACE MACRO _partitions_of(grp) AS TABLE {_BY_INDEX if is_known else _BY_COMMITS}"


def _snapshot_macro(connection: duckdb.DuckDBPyConnection) -> str:
    """The statement that creates the macro: of an instant, when the last store up to it was taken.

    The grid stands in it as numbers: so DuckDB knows the answer before it reads, and reads only what lies behind.
    """
    grid = connection.execute(_GRID).fetchone()
    if grid is None:
        return f"{_MACRO} {_NONE}"
    first_us, last_us, steps = grid
    within_us = f"epoch_us(greatest(least(ts::TIMESTAMPTZ, make_timestamptz({last_us})), make_timestamptz({first_us})))"
    taken_at = f"make_timestamptz({within_us} - ({within_us} - {first_us}) % {max((last_us - first_us) // steps, 1)})"
    return f"{_MACRO} if(ts::TIMESTAMPTZ >= make_timestamptz({first_us}), {taken_at}, {_NONE})"
