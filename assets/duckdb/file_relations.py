"""Tables and views of DuckDB over the Parquet files of a table, on this machine or in a store.

Put here how files become rows of a connection. Which files and which connection is decided in `assets.duckdb.database`.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import duckdb
import pyarrow as pa

from assets.duckdb import portable
from assets.storage.data_files import as_one, is_remote
from assets.storage.scanning import scan
from assets.storage.schema_evolution import has_every_column
from parsers.errors import WarehouseError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from assets.catalog import Table

_UNREADABLE: Final = (
    duckdb.IOException,
    duckdb.InvalidInputException,
    duckdb.BinderException,
    duckdb.ConversionException,
    duckdb.SerializationException,
)
"""DuckDB's errors over a damaged file, for example another name of a column."""


def create_from(
    connection: duckdb.DuckDBPyConnection, table: Table, files: Sequence[str], *, name: str, kind: str = "VIEW"
) -> None:
    """Create a table or view of that name over some files of a table; without files, an empty table."""
    if not files:
        connection.register("no_rows", table.schema.empty_table())
        connection.execute(f"CREATE TABLE {name} AS FROM no_rows")
        connection.unregister("no_rows")
        return
    with _readable(table):
        rows = _in_store(connection, table, files, name) if is_remote(files[0]) else _on_disk(table, files)
        connection.execute(f"CREATE {kind} {name} AS {_selection(table)} FROM {rows}")


def create_view(connection: duckdb.DuckDBPyConnection, name: str, table: Table, files: Sequence[str]) -> None:
    """Create a view of this name with the columns of a table over some of its files; replace one of the same name."""
    with _readable(table):
        rows = _some_rows(connection, name, table, files)
        connection.execute(f"CREATE OR REPLACE TEMP VIEW {name} AS {_selection(table)} FROM {rows}")


def _selection(table: Table) -> str:
    """All columns of a table out of its files."""
    return f"SELECT {', '.join(column.selection for column in table.columns)}"


@contextmanager
def _readable(table: Table) -> Iterator[None]:
    """Turn errors over a damaged file of a table into one that names the table."""
    try:
        yield
    except (*_UNREADABLE, OSError, pa.ArrowInvalid) as error:
        message = f"{table.full_name}: a file of the table can't be read: {reason_of(error)}"
        raise WarehouseError(message) from error


def _some_rows(connection: duckdb.DuckDBPyConnection, name: str, table: Table, files: Sequence[str]) -> str:
    """The SELECT source for the rows of some files; of none, no rows."""
    if files and not is_remote(files[0]):
        return _on_disk(table, files)
    rows = scan(as_one(files, table.file_schema)) if files else table.file_schema.empty_table()
    connection.register(f"rows of {name}", rows)
    return f'"rows of {name}"'


def file_rows(connection: duckdb.DuckDBPyConnection, files: Sequence[str]) -> str:
    """The SELECT source for the rows of files, with their row numbers as file_row_number."""
    if is_remote(files[0]):
        connection.register("numbered rows", pa.concat_tables(map(_rows_of_file, files), promote_options="default"))
        return '"numbered rows"'
    return f"read_parquet([{', '.join(map(portable.quote, files))}], union_by_name = true, file_row_number = true)"


def _rows_of_file(file: str) -> pa.Table:
    rows = as_one([file]).to_table()
    return rows.append_column("file_row_number", pa.array(range(rows.num_rows), pa.int64()))


def _on_disk(table: Table, files: Sequence[str], places: Sequence[str] = ()) -> str:
    """Read files on this machine, at their paths or at places that are expressions of SQL."""
    by_name = ", union_by_name = true" if table.rare or any(map(has_every_column, files)) else ""
    return f"read_parquet([{', '.join(places or map(portable.quote, files))}]{by_name})"


def _in_store(connection: duckdb.DuckDBPyConnection, table: Table, files: Sequence[str], name: str) -> str:
    """Read through Arrow, which reaches stores by itself; the name lasts as long as the connection."""
    connection.register(f"files of {name}", scan(as_one(files, table.file_schema)))
    return f'"files of {name}"'


def create_portable_view(
    connection: duckdb.DuckDBPyConnection, table: Table, files: Sequence[str], folder: Path
) -> None:
    """Create a view over files on this machine that are found beside the DuckDB file elsewhere too."""
    places = [portable.file_expression(file, folder) for file in files]
    with _readable(table):
        rows = _on_disk(table, files, places)
        connection.execute(f"CREATE VIEW {table.full_name} AS {_selection(table)} FROM {rows}")


def reason_of(error: Exception) -> str:
    """The first line of an error of DuckDB or Arrow; the rest is advice to programmers."""
    return str(error).partition("\n")[0]
