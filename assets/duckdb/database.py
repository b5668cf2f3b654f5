"""The DuckDB file: every table under its schema, described, with the macros; built beside the old one and swapped in.

Put here what happens inside the file or to it. What the tables hold comes from the Parquet files of the warehouse.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from datetime import datetime, timezone
from itertools import accumulate
from typing import TYPE_CHECKING, Final

import duckdb

from assets.catalog import TABLES
from assets.duckdb import build_info, file_digest, mirror, portable, session, shown_files
from assets.duckdb.engine import empty_database
from assets.duckdb.file_relations import create_from, create_portable_view, reason_of
from assets.duckdb.macro_bindings import create_bindings
from assets.models import MACROS, lineage
from assets.models.macro_calls import called_in, in_order
from parsers.errors import WarehouseError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from assets.catalog import Table
    from assets.models import Macro
    from assets.storage.warehouse import Warehouse

COPIED_ROWS_MOST: Final = 2_000_000
"""The smallest tables, with so many rows together, are copied into the file; all others are views over their Parquet.

So a build takes as long over any history.
"""
LAYERS: Final = ("raw", "core", "internal", "mart")
_LOCKED: Final = "Could not set lock"
_SHOWN: Final = "SELECT list(DISTINCT cluster ORDER BY cluster), epoch_us(max(newest_record_at)) FROM mart.basis"
_THERE: Final = """
    SELECT schema_name || '.' || table_name FROM duckdb_tables() WHERE database_name = current_database()
    UNION SELECT schema_name || '.' || view_name FROM duckdb_views() WHERE database_name = current_database()
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
        message = f"{path} can't be built: {reason_of(error)}"
        raise WarehouseError(message) from error
    finally:
        beside.unlink(missing_ok=True)
    return rows


@contextmanager
def in_memory(warehouse: Warehouse, names: Iterable[str]) -> Iterator[duckdb.DuckDBPyConnection]:
    """A database without a file that has these tables as views over their Parquet."""
    with empty_database(warehouse) as connection:
        _create_schemas(connection)
        for name in names:
            _create(connection, TABLES[name], warehouse.files(name), kind="VIEW")
        yield connection


@contextmanager
def prepared(warehouse: Warehouse, statements: Sequence[str]) -> Iterator[duckdb.DuckDBPyConnection]:
    """A database without a file that has what these statements read and call, and nothing else."""
    tables = lineage.tables_of(statements)
    with in_memory(warehouse, sorted(tables)) as connection:
        _create_macros(connection, in_order(macro for sql in statements for macro in called_in(sql)), tables)
        yield connection


def create_macros(connection: duckdb.DuckDBPyConnection) -> list[Macro]:
    """Create every macro whose tables exist."""
    there = {name for (name,) in connection.sql(_THERE).fetchall()}
    macros = [macro for macro in MACROS if lineage.tables_of_macro(macro) <= there]
    _create_macros(connection, macros, there)
    return macros


def _create_macros(connection: duckdb.DuckDBPyConnection, macros: Iterable[Macro], tables: AbstractSet[str]) -> None:
    """Create macros, which come in the order of their calls, where these tables are."""
    create_bindings(connection, tables)
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


def begin(connection: duckdb.DuckDBPyConnection) -> None:
    """Set a connection to a database without anything, and create the schemas of the layers."""
    session.begin(connection)
    _create_schemas(connection)


def _create_schemas(connection: duckdb.DuckDBPyConnection) -> None:
    for layer in LAYERS:
        connection.execute(f"CREATE SCHEMA {layer}")


def _fill(connection: duckdb.DuckDBPyConnection, warehouse: Warehouse) -> dict[str, int]:
    folder = warehouse.duckdb_path.parent
    begin(connection)
    portable.begin(connection, folder)
    # Each of these thousand statements by itself would wait for the disk.
    connection.begin()
    rows = {name: warehouse.row_count(name) for name in TABLES}
    copied = _smallest(rows)
    viewed: dict[str, Mapping[str, str | None]] = {}
    for name, table in TABLES.items():
        if name in copied or not rows[name]:
            _create(connection, table, warehouse.files(name), kind="TABLE")
        else:
            viewed[name] = mirror.fetched(warehouse, name) if warehouse.is_remote else warehouse.digests(name)
            create_portable_view(connection, table, [*viewed[name]], folder)
    portable.write_view_files(connection, viewed, folder)
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


def _smallest(rows: Mapping[str, int]) -> frozenset[str]:
    """The smallest tables that have few enough rows together; raw ones, which few questions need, come last."""
    names = sorted(rows, key=lambda name: (name.startswith("raw."), rows[name], name))
    totals = accumulate(rows[name] for name in names)
    return frozenset(name for name, total in zip(names, totals, strict=True) if total <= COPIED_ROWS_MOST)


def _create(connection: duckdb.DuckDBPyConnection, table: Table, files: Sequence[str], *, kind: str) -> None:
    """Create the table or view over these files; without files, an empty table."""
    create_from(connection, table, files, name=table.full_name, kind=kind)


def _describe(connection: duckdb.DuckDBPyConnection, table: Table, kind: str) -> None:
    connection.execute(f"COMMENT ON {kind} {table.full_name} IS {portable.quote(table.meaning)}")
    for column in table.columns:
        connection.execute(f'COMMENT ON COLUMN {table.full_name}."{column.name}" IS {portable.quote(column.comment)}')


def _refuse_if_locked(path: Path) -> None:
    """Refuse a file that another process has open for writing: its changes would be lost.

    A file that is none of DuckDB's any more, cut off by a full disk or copied half, is made anew like any other.
    """
    if not path.exists():
        return
    try:
        duckdb.connect(str(path), read_only=True).close()
    except duckdb.Error as error:
        reason = reason_of(error)
        if _LOCKED in reason:
            message = f"{path} is open for writing elsewhere: close it there and run again ({reason})"
            raise WarehouseError(message) from error
