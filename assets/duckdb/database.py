"""The DuckDB file: every table under its schema, described, with the macros; built beside the old one and swapped in.

Put here what happens inside the file or to it. What the tables hold comes from the Parquet files of the warehouse.
"""

from __future__ import annotations

import os
import tempfile
import uuid
from contextlib import contextmanager
from datetime import datetime, timezone
from itertools import accumulate
from typing import TYPE_CHECKING, Final

import duckdb
import pyarrow as pa

from assets.catalog import TABLES
from assets.duckdb import build_info, file_digest, mirror, portable, session, shown_files
from assets.duckdb.macro_bindings import create_bindings
from assets.models import MACROS, lineage
from assets.models.macro import called_in, in_order
from assets.storage.data_files import as_one, is_remote
from assets.storage.scanning import scan
from assets.storage.schema_evolution import has_every_column
from parsers.errors import WarehouseError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from assets.catalog import Table
    from assets.models import Macro
    from assets.storage.warehouse import Warehouse

COPIED_ROWS_MOST: Final = 2_000_000
"""The smallest tables, with so many rows together, are copied into the file; all others are views over their Parquet.

So a build takes as long over any history.
"""
LAYERS: Final = ("raw", "core", "internal", "mart")
SPILL: Final = "spool-duckdb"
"""The name of the folder for a database without a file: DuckDB spills to it."""
_UNREADABLE: Final = (
    duckdb.IOException,
    duckdb.InvalidInputException,
    duckdb.BinderException,
    duckdb.ConversionException,
    duckdb.SerializationException,
)
"""DuckDB's errors over a damaged file, for example another name of a column."""
_LOCKED: Final = "Could not set lock"
_SHOWN: Final = "SELECT list(DISTINCT cluster ORDER BY cluster), epoch_us(max(newest_record_at)) FROM mart.basis"
_THERE: Final = """
    SELECT schema_name || '.' || table_name FROM duckdb_tables()
    UNION SELECT schema_name || '.' || view_name FROM duckdb_views()
"""


def is_current(warehouse: Warehouse) -> bool:
    """Whether the file exists and was built from the current tables, models and macros of this warehouse."""
    path = warehouse.duckdb_path
    if not path.exists():
        return False
    try:
        with duckdb.connect(str(path), read_only=True) as connection:
            info = build_info.read(connection)
    except duckdb.Error:
        return False
    return build_info.is_current(info, warehouse)


def build(warehouse: Warehouse) -> dict[str, int]:
    """Build the file anew and swap it in; readers of the old one are not disturbed. Returns rows per table."""
    path = warehouse.duckdb_path
    _refuse_if_locked(path)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.unlink(missing_ok=True)
        with duckdb.connect(str(beside), config={**portable.STORAGE}) as connection, warehouse.pinned_versions():
            rows = _fill(connection, warehouse)
        file_digest.write(path, of=beside)
        beside.replace(path)
    except (OSError, duckdb.IOException) as error:
        message = f"{path} can't be built: {_reason(error)}"
        raise WarehouseError(message) from error
    finally:
        beside.unlink(missing_ok=True)
    return rows


def in_memory(warehouse: Warehouse, names: Iterable[str]) -> duckdb.DuckDBPyConnection:
    """A database without a file that has these tables as views over their Parquet."""
    connection = duckdb.connect()
    _bound(connection, warehouse)
    begin(connection)
    for name in names:
        _create(connection, TABLES[name], warehouse.files(name), kind="VIEW")
    return connection


def prepared(warehouse: Warehouse, statements: Sequence[str]) -> duckdb.DuckDBPyConnection:
    """A database without a file that has what these statements read and call, and nothing else."""
    connection = in_memory(warehouse, sorted(lineage.tables_of(statements)))
    _create_macros(connection, list(in_order(macro for sql in statements for macro in called_in(sql))))
    return connection


def create_macros(connection: duckdb.DuckDBPyConnection) -> list[Macro]:
    """Create every macro whose tables exist."""
    there = {name for (name,) in connection.sql(_THERE).fetchall()}
    macros = [macro for macro in MACROS if lineage.tables_of_macro(macro) <= there]
    _create_macros(connection, macros)
    return macros


def _create_macros(connection: duckdb.DuckDBPyConnection, macros: Sequence[Macro]) -> None:
    """Create macros, which are in the order of their calls."""
    create_bindings(connection, {name for (name,) in connection.sql(_THERE).fetchall()})
    for macro in macros:
        connection.execute(macro.statement)


def create_described_macros(connection: duckdb.DuckDBPyConnection) -> None:
    """The macros with what each returns, for who asks the file; there a mistyped name is an error, no empty answer."""
    for macro in create_macros(connection):
        if not macro.is_helper:
            _let_refuse(connection, macro)
            connection.execute(macro.comment)


def _let_refuse(connection: duckdb.DuckDBPyConnection, macro: Macro) -> None:
    if macro.refusals:
        arguments = ", ".join("NULL" for _ in macro.arguments)
        columns = connection.execute(f"DESCRIBE FROM {macro.name}({arguments})").fetchall()
        connection.execute(macro.refusing_statement({name: kind for name, kind, *_ in columns}))


def _bound(connection: duckdb.DuckDBPyConnection, warehouse: Warehouse) -> None:
    """Give it five eighths of the memory that DuckDB would take, half of the machine's, for Spark is there as well.

    What is more goes to a folder that DuckDB makes when it needs it and deletes at the end: in the warehouse, where
    there is room for what was made of it, and where tidying knows by the name what a run that died left behind.
    """
    place = tempfile.gettempdir() if warehouse.is_remote else warehouse.url
    spill = f"{place}/{SPILL}-{os.getpid()}-{uuid.uuid4().hex[:8]}"
    connection.execute("SET temp_directory = $spill", {"spill": spill})
    ((most,),) = connection.sql("SELECT parse_formatted_bytes(current_setting('memory_limit'))").fetchall()
    connection.execute(f"SET memory_limit = '{most * 5 // 8}B'")


def begin(connection: duckdb.DuckDBPyConnection) -> None:
    """Set a connection to a database without anything, and create the schemas of the layers."""
    session.begin(connection)
    for layer in LAYERS:
        connection.execute(f"CREATE SCHEMA {layer}")


def _fill(connection: duckdb.DuckDBPyConnection, warehouse: Warehouse) -> dict[str, int]:
    folder = warehouse.duckdb_path.parent
    begin(connection)
    portable.begin(connection, folder)
    rows = {name: warehouse.row_count(name) for name in TABLES}
    copied = _smallest(rows)
    viewed: dict[str, Mapping[str, str | None]] = {}
    for name, table in TABLES.items():
        if name in copied or not rows[name]:
            _create(connection, table, warehouse.files(name), kind="TABLE")
        else:
            viewed[name] = mirror.fetched(warehouse, name) if warehouse.is_remote else warehouse.digests(name)
            _create_portable_view(connection, table, [*viewed[name]], folder)
    portable.write_view_files(connection, viewed, folder)
    # Each of these a thousand statements by itself would wait for the disk.
    connection.begin()
    for name, table in TABLES.items():
        _describe(connection, table, "VIEW" if name in viewed else "TABLE")
    create_described_macros(connection)
    build_info.write(connection, warehouse, _contents(connection, rows, frozenset(viewed)))
    macros = {macro.name: lineage.tables_of_macro(macro) for macro in MACROS}
    shown_files.write_macros(connection, {**lineage.BINDINGS, **macros}, viewed.keys())
    connection.commit()
    mirror.drop_others(warehouse, [path for files in viewed.values() for path in files if warehouse.is_remote])
    return rows


def _contents(
    connection: duckdb.DuckDBPyConnection, rows: Mapping[str, int], views: frozenset[str]
) -> build_info.Contents:
    """What the file shows, by the tables that were created in it."""
    ((clusters, newest_us),) = connection.execute(_SHOWN).fetchall()
    newest_at = None if newest_us is None else datetime.fromtimestamp(newest_us / 1e6, timezone.utc)
    return build_info.Contents(rows, views, tuple(clusters or ()), newest_at)


def _create_portable_view(
    connection: duckdb.DuckDBPyConnection, table: Table, files: Sequence[str], folder: Path
) -> None:
    """Create a view over files on this machine that are found beside the DuckDB file elsewhere too."""
    places = [portable.file_expression(file, folder) for file in files]
    with _readable(table):
        rows = _on_disk(table, files, places)
        connection.execute(f"CREATE VIEW {table.full_name} AS {_selection(table)} FROM {rows}")


def _smallest(rows: Mapping[str, int]) -> frozenset[str]:
    """The smallest tables that have few enough rows together; raw ones, which few questions need, come last."""
    names = sorted(rows, key=lambda name: (name.startswith("raw."), rows[name], name))
    totals = accumulate(rows[name] for name in names)
    return frozenset(name for name, total in zip(names, totals, strict=True) if total <= COPIED_ROWS_MOST)


def _create(connection: duckdb.DuckDBPyConnection, table: Table, files: Sequence[str], *, kind: str) -> str:
    """Create the table or view over these files; without files, an empty table. Returns the kind that was created."""
    return create_from(connection, table, files, name=table.full_name, kind=kind)


def create_from(
    connection: duckdb.DuckDBPyConnection, table: Table, files: Sequence[str], *, name: str, kind: str = "VIEW"
) -> str:
    """Create a table or view of that name over some files of a table; without files, an empty table."""
    if not files:
        connection.register("no_rows", table.schema.empty_table())
        connection.execute(f"CREATE TABLE {name} AS FROM no_rows")
        connection.unregister("no_rows")
        return "TABLE"
    with _readable(table):
        rows = _in_store(connection, table, files, name) if is_remote(files[0]) else _on_disk(table, files)
        connection.execute(f"CREATE {kind} {name} AS {_selection(table)} FROM {rows}")
    return kind


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
        message = f"{table.full_name}: a file of the table can't be read: {_reason(error)}"
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


def _describe(connection: duckdb.DuckDBPyConnection, table: Table, kind: str) -> None:
    connection.execute(f"COMMENT ON {kind} {table.full_name} IS {portable.quote(table.meaning)}")
    for column in table.columns:
        connection.execute(f'COMMENT ON COLUMN {table.full_name}."{column.name}" IS {portable.quote(column.comment)}')


def _reason(error: Exception) -> str:
    """The first line of an error of DuckDB or Arrow; the rest is advice to programmers."""
    return str(error).partition("\n")[0]


def _refuse_if_locked(path: Path) -> None:
    """Refuse a file that another process has open for writing: its changes would be lost.

    A file that is none of DuckDB's any more, cut off by a full disk or copied half, is made anew like any other.
    """
    if not path.exists():
        return
    try:
        duckdb.connect(str(path), read_only=True).close()
    except duckdb.Error as error:
        reason = _reason(error)
        if _LOCKED in reason:
            message = f"{path} is open for writing elsewhere: close it there and run again ({reason})"
            raise WarehouseError(message) from error
