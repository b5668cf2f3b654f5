"""How every DuckDB connection of Lagbook is set, whether it makes tables or answers from them.

Put here what holds for all of them. How much memory one may take is said where it is opened.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import duckdb

# DuckDB expects few rows of lists that it unnests, and would then, looking back in time, compare each of very many with
# all of the other side.
SETTINGS: Final = ("SET TimeZone = 'UTC'", "SET asof_loop_join_threshold = 0")


def begin(connection: duckdb.DuckDBPyConnection) -> None:
    """Set a connection that was opened just now."""
    for setting in SETTINGS:
        connection.execute(setting)
