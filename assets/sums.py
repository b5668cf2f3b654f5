"""Tables of sums: what is new in a table is added to what its sums were, and only that is read.

A file of new rows is summed once. Files that were merged have rows that are summed already: Delta's log tells them
from new ones. Where rows left the table, since a partition of the offsets topic was replayed anew or its archive was
retired, all of that partition is summed anew.

Put here what is summed. How is said by the model of a table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import pyarrow as pa

from assets import models
from assets.catalog import TABLES
from assets.duckdb.database import prepared
from assets.duckdb.file_relations import create_from
from assets.materialize import Materialization, is_made_by, table_inputs
from assets.reconstruct.file_names import Place, rows_in
from assets.storage.data_files import as_one
from assets.storage.parquet_files import READ_AT_ONCE, TableFile

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from assets.catalog import Table
    from assets.materialize import Inputs
    from assets.storage.warehouse import Warehouse
    from assets.transforms.declaration import TransformWithSums

PARTITION: Final = ("cluster", "log_partition")


class _Changes(NamedTuple):
    """What became of the summed table since its sums were made."""

    new: Sequence[str]
    """The files to sum: new ones, and all of the partitions that lost rows."""
    partitions: frozenset[str]
    """The tags of the partitions that lost rows."""
    is_first: bool
    """Nothing that was summed before counts."""


def from_transform_with_sums(warehouse: Warehouse, table: Table, transform: TransformWithSums) -> Materialization:
    """Add what is new to the sums."""
    with warehouse.pinned_versions():
        inputs = table_inputs(warehouse, transform.reads, *transform.all_models)
        if warehouse.is_current(table, inputs):
            return Materialization(table, warehouse.row_count(table.full_name), unchanged=True)
        changes = _changes(warehouse, table, inputs, transform.summed)
        earlier = _earlier(warehouse, table, changes)
        folder = warehouse.new_folder(table)
        warehouse.make_folder(folder)
        file = TableFile(f"{folder}/rows.parquet", table)
        with prepared(warehouse, ()) as connection:
            create_from(connection, TABLES[transform.summed], changes.new, name="new_rows")
            connection.register("earlier_sums", earlier)
            for batch in connection.sql(models.select(transform.model)).to_arrow_reader(READ_AT_ONCE):
                file.add_fitting(batch)
    warehouse.replace(table, [file.finish()] if file.has_rows else [], inputs)
    return Materialization(table, warehouse.row_count(table.full_name), unchanged=False)


def _changes(warehouse: Warehouse, table: Table, inputs: Inputs, summed: str) -> _Changes:
    files = frozenset(warehouse.files(summed))
    note = warehouse.note(table.full_name)
    version = note["inputs"][summed] if is_made_by(note, inputs) else None
    known = warehouse.files_since(summed, version)
    gone = _tags(known - files)
    if not known or None in gone:
        return _Changes(sorted(files), frozenset(), is_first=True)
    partitions = frozenset(tag for tag in gone if tag is not None)
    new = sorted(file for file in files if file not in known or _tag(file) in partitions)
    return _Changes(new, partitions, is_first=False)


def _tags(files: Iterable[str]) -> frozenset[str | None]:
    return frozenset(map(_tag, files))


def _tag(file: str) -> str | None:
    """The partition of the offsets topic whose rows a file has, by its name."""
    rows = rows_in(file)
    return None if rows is None else rows.tag


def _earlier(warehouse: Warehouse, table: Table, changes: _Changes) -> pa.Table:
    """The sums that count, but those of partitions that are summed anew."""
    files = warehouse.files(table.full_name)
    if changes.is_first or not files:
        return table.file_schema.empty_table()
    sums = as_one(files, table.file_schema).to_table()
    places = [Place(*place) for place in zip(*(sums[name].to_pylist() for name in PARTITION), strict=True)]
    return sums.filter(pa.array([place.tag not in changes.partitions for place in places], pa.bool_()))
