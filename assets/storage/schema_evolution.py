"""Schema evolution: a table of another release gets the columns of this one, or is refused with a remedy.

Put here how columns are compared and added. The columns are defined in `assets.catalog`.
"""

from __future__ import annotations

import posixpath
import uuid
from typing import TYPE_CHECKING, Final

from deltalake import Schema

from assets.storage.data_files import locate
from assets.storage.delta.delta_actions import add_file
from assets.storage.delta.log_digests import write_log_digests
from assets.storage.parquet_writer import write_file
from parsers.errors import WarehouseError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deltalake import DeltaTable, Field

    from assets.catalog import Table
    from assets.storage.data_files import DataFile
    from assets.storage.warehouse import Warehouse

COLUMNS: Final = "columns"


def fit(warehouse: Warehouse, tables: Iterable[Table]) -> None:
    """Add the columns of this release to tables that rows are appended to; replaced tables get them by themselves.

    A column that came since is NULL in all rows that were kept before. One that is gone or has another type is refused.
    """
    for table in tables:
        delta = warehouse.open_table(table.full_name)
        if delta is not None:
            _fit(delta, table, warehouse.table_url(table.full_name))


def refuse_others(warehouse: Warehouse, tables: Iterable[Table]) -> None:
    """Refuse tables with columns that do not fit, before anything is read; nothing is changed."""
    for table in tables:
        delta = warehouse.open_table(table.full_name)
        if delta is not None:
            _refuse(warehouse.table_url(table.full_name), *_fields(delta, table))


def has_every_column(uri: str) -> bool:
    """Whether a file is the empty one that has all columns of its table."""
    return posixpath.basename(uri).startswith(COLUMNS)


def _fit(delta: DeltaTable, table: Table, url: str) -> None:
    before, (there, wanted) = delta.version(), _fields(delta, table)
    _refuse(url, there, wanted)
    missing = [field for name, field in wanted.items() if name not in there]
    if missing:
        delta.create_write_transaction([add_file(url, columns_file(table, url))], "append", delta.schema())
        delta.alter.add_columns(missing)
    for name, field in there.items():
        if wanted[name].nullable and not field.nullable:
            delta.alter.drop_column_not_null(name)
    if delta.version() != before:
        write_log_digests(*locate(f"{url}/_delta_log"), before + 1)


def _fields(delta: DeltaTable, table: Table) -> tuple[dict[str, Field], dict[str, Field]]:
    """The columns that are there, and those of this release."""
    there = {field.name: field for field in delta.schema().fields}
    return there, {field.name: field for field in Schema.from_arrow(table.file_schema).fields}


def _refuse(url: str, there: dict[str, Field], wanted: dict[str, Field]) -> None:
    others = [
        f"column {name} is {_type(field)} there and {_type(wanted.get(name))} here"
        for name, field in there.items()
        if name not in wanted or wanted[name].type != field.type
    ]
    others += [f"column {name} is lacking there" for name in wanted.keys() - there if not wanted[name].nullable]
    if others:
        raise WarehouseError(
            f"{url} was written by another release of Lagbook: {'; '.join(sorted(others))}. Read the logs into a new"
            " warehouse (--warehouse), or go on with the release that wrote this one"
        )


def _type(field: Field | None) -> str:
    return "nothing" if field is None else str(getattr(field.type, "type", "another"))


def columns_file(table: Table, url: str) -> DataFile:
    """Write a file without rows that has all columns of a table."""
    return write_file(table.file_schema.empty_table(), f"{url}/{COLUMNS}-{uuid.uuid4().hex[:8]}.parquet")
