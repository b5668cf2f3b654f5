"""The common columns of all tables about groups: log position, and from when to when a row was valid.

Put here columns that mean the same in each of those tables. Columns of a single table belong in its module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from assets.arrays.columns import or_null
from assets.arrays.neighbours import NO_ROW, at_rows, take_rows
from assets.transforms.groups.group_kinds import GROUP_TYPES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assets.catalog import Table
    from assets.transforms.groups.group_log import GroupLog
    from parsers.words import Int64Array

PARTITION_COLUMNS = ("cluster", "log_partition")
"""Columns that are the same for a whole partition of the log; `assets.reconstruct` adds them."""


def own_schema(table: Table) -> pa.Schema:
    """The columns of a table that its projection fills."""
    columns = [column for column in table.columns if column.name not in PARTITION_COLUMNS]
    return pa.schema([pa.field(column.name, column.type) for column in columns])


def fill_columns(table: Table, columns: Mapping[str, pa.Array]) -> pa.Table:
    """Rows of a table from some of its columns; the others are NULL."""
    schema = own_schema(table)
    count = len(columns["log_offset"])
    arrays = [
        columns[field.name].cast(field.type) if field.name in columns else pa.nulls(count, field.type)
        for field in schema
    ]
    return pa.Table.from_arrays(arrays, schema=schema)


def of_log(log: GroupLog, row: Int64Array) -> dict[str, pa.Array]:
    """Group and position of records."""
    kinds = pa.array(GROUP_TYPES).take(pa.array(log.group_type[row]))
    return {"group_id": log.take("group_id", row), "group_type": kinds, "log_offset": pa.array(log.offset[row])}


def validity(log: GroupLog, row: Int64Array, end: Int64Array) -> dict[str, pa.Array]:
    """From when to when a record was valid, and whether the log has no gap in between."""
    return {
        "from_at": take_rows(log.at, row),
        "to_at": take_rows(log.at, end),
        "to_log_offset": or_null(at_rows(log.offset, end), end != NO_ROW),
        "is_gap_free": pa.array(log.is_gap_free(log.offset[row], end)),
    }
