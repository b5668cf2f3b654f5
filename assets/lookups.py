"""Tables that rest on lookups among the rows of another one, which are remembered: a run looks up what is new.

What is remembered stands in tables of its own, and counts only together with the commit of the table that it was
written with. Where anything that was looked up is gone, or something else made the table, nothing is remembered, and
all is looked up anew.

Put here how it is remembered. What is looked up, and which of it has to be looked up anew, is in the transform.
"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Final

from assets.catalog import TABLES
from assets.duckdb.database import prepared
from assets.duckdb.file_relations import create_from
from assets.materialize import Materialization, is_made_by, table_inputs
from assets.storage.parquet_files import TableFile
from assets.storage.parquet_writer import write_file
from assets.transforms.declaration import EARLIER, EARLIER_ROWS, LATER, NEW_ROWS

if TYPE_CHECKING:
    from collections.abc import Sequence

    import duckdb
    import pyarrow as pa

    from assets.catalog import Table
    from assets.materialize import Inputs
    from assets.storage.data_files import DataFile
    from assets.storage.warehouse import Warehouse
    from assets.transforms.declaration import TransformWithLookups

WRITTEN_WITH: Final = "lookups"
"""In the notes of a table and of its memory: whether the one was written with the other."""


def from_transform_with_lookups(warehouse: Warehouse, table: Table, transform: TransformWithLookups) -> Materialization:
    """Make a table, looking up what is new."""
    with warehouse.pinned_versions():
        inputs = table_inputs(warehouse, transform.reads, *transform.models)
        if warehouse.is_current(table, inputs):
            return Materialization(table, warehouse.row_count(table.full_name), unchanged=True)
        folder = warehouse.new_folder(table)
        warehouse.make_folder(folder)
        file = TableFile(f"{folder}/rows.parquet", table)
        with prepared(warehouse, transform.statements) as connection:
            _recall(connection, warehouse, table, transform, _new_files(warehouse, table, inputs, transform))
            for batch in transform.rows(connection):
                file.add_fitting(batch)
            memory = [(one, _later(connection, one)) for one in transform.memory]
    _commit(warehouse, table, [file.finish()] if file.has_rows else [], inputs, memory)
    return Materialization(table, warehouse.row_count(table.full_name), unchanged=False)


def _new_files(
    warehouse: Warehouse, table: Table, inputs: Inputs, transform: TransformWithLookups
) -> Sequence[str] | None:
    """The files whose rows were not looked up yet; None where all have to be, for nothing is remembered."""
    note = warehouse.note(table.full_name)
    notes = [warehouse.note(one.full_name) for one in transform.memory]
    if not is_made_by(note, inputs) or any(other.get(WRITTEN_WITH) != note.get(WRITTEN_WITH, "") for other in notes):
        return None
    files = frozenset(warehouse.files(transform.searched))
    known = warehouse.files_since(transform.searched, note["inputs"][transform.searched])
    return sorted(files - known) if known and known <= files else None


def _recall(
    connection: duckdb.DuckDBPyConnection,
    warehouse: Warehouse,
    table: Table,
    transform: TransformWithLookups,
    new_files: Sequence[str] | None,
) -> None:
    """Create what the transform finds: new rows, the table as it was, and what is remembered."""
    create_from(connection, TABLES[transform.searched], new_files or (), name=NEW_ROWS)
    for name, one in {EARLIER_ROWS: table, **{f"{EARLIER}{one.name}": one for one in transform.memory}}.items():
        create_from(connection, one, () if new_files is None else warehouse.files(one.full_name), name=name)


def _later(connection: duckdb.DuckDBPyConnection, one: Table) -> pa.Table:
    """What the next run is to remember."""
    columns = ", ".join(one.column_names)
    return connection.sql(f"SELECT {columns} FROM {LATER}{one.name}").to_arrow_table().cast(one.file_schema)  # noqa: S608 - names of the catalog


def _commit(
    warehouse: Warehouse,
    table: Table,
    files: Sequence[DataFile],
    inputs: Inputs,
    memory: Sequence[tuple[Table, pa.Table]],
) -> None:
    """Commit the table, then its memory: of a run that dies in between nothing is remembered."""
    note = {WRITTEN_WITH: uuid.uuid4().hex}
    transaction = warehouse.begin(table)
    transaction.revise(transaction.file_list(), files, {"inputs": dict(inputs), **note})
    for one, rows in memory:
        folder = warehouse.new_folder(one)
        warehouse.make_folder(folder)
        transaction = warehouse.begin(one)
        new = [write_file(rows, f"{folder}/rows.parquet")] if rows.num_rows else []
        transaction.revise(transaction.file_list(), new, note)
