"""The settings of Lagbook's DuckDB connections, for building tables and for answering questions.

Put here what holds for all of them, and how variables are given to one. How much memory one may take is said where it
is opened.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

# DuckDB expects few rows of lists that it unnests, and would then, looking back in time, compare each of very many with
# all of the other side. Files of a warehouse never change, so what their footers say is read once: of a long history it
# would take longer than the rows that are asked for.
# A progress bar would stand on stdout, in the midst of an answer that takes long.
SETTINGS: Final = (
    "SET TimeZone = 'UTC'",
    "SET asof_loop_join_threshold = 0",
    "SET parquet_metadata_cache = true",
    "SET enable_progress_bar = false",
)


def begin(connection: duckdb.DuckDBPyConnection) -> None:
    """Set a connection that was opened just now."""
    for setting in SETTINGS:
        connection.execute(setting)


def each(connection: duckdb.DuckDBPyConnection, question: str) -> Iterator[None]:
    """Iterate over the rows of a query; during each step, variables of the columns' names have the row's values."""
    answer = connection.execute(question)
    names = [column[0] for column in answer.description or ()]
    for row in answer.fetchall():
        for name, value in zip(names, row, strict=True):
            connection.execute(f"SET VARIABLE {name} = $value", {"value": value})
        yield
