"""Records as an export has them (place, time, bytes of key and value), and the columns that they become.

Put here what holds of every format of export. How a format is read belongs in its own module.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from parsers.errors import SourceError
from parsers.exports.cells import base64_cells, kcat_cells, plain_cells
from parsers.files.discovery import OFFSETS_TOPIC
from parsers.log.damage.quarantine import QUOTED_BYTES, Trouble
from parsers.messages.arrays.schemas import null_array
from parsers.offset_records import RECORD_SCHEMA, Spans, key_value_columns, numbers_or_null

if TYPE_CHECKING:
    from parsers.exports.cells import Cells
    from parsers.exports.spellings import Columns
    from parsers.words import ByteArray, Int64Array

NO_RECORDS: Final = pa.RecordBatch.from_pylist([], schema=RECORD_SCHEMA)
_ACTUAL_BYTES: Final = 32


class ExportSlice(NamedTuple):
    """Some records of an export as columns of `RECORD_SCHEMA`, by partition and offset, and what could not be read."""

    records: pa.RecordBatch
    troubles: list[Trouble]


@dataclass(frozen=True, eq=False)
class LogRows:
    """Rows of an export that are records of the offsets topic, each with a place in its log."""

    partition: Int64Array
    offset: Int64Array
    timestamp_ms: Int64Array
    key: pa.Array
    value: pa.Array
    position: Int64Array


def export_slice(path: str, columns: Columns, rows: pa.RecordBatch, position: Int64Array) -> ExportSlice:
    """Read rows that have the columns `columns` names; `position` says where in the file each stands."""
    rows, position = _of_the_topic(rows, columns, position)
    log_rows, troubles = _log_rows(path, rows, columns, position)
    cells = [_cells(column, is_raw=columns.is_raw) for column in (log_rows.key, log_rows.value)]
    is_bad = cells[0].is_bad | cells[1].is_bad
    troubles += [_unreadable(log_rows, row) for row in np.flatnonzero(is_bad).tolist()]
    good = np.flatnonzero(~is_bad)
    order = good[np.lexsort((log_rows.offset[good], log_rows.partition[good]))]
    return _decode(log_rows, cells, order, troubles)


def _decode(log_rows: LogRows, cells: list[Cells], order: Int64Array, troubles: list[Trouble]) -> ExportSlice:
    buffer, spans = _together(cells, order)
    offset, timestamp_ms = log_rows.offset[order], log_rows.timestamp_ms[order]
    contents = key_value_columns(buffer, spans)
    troubles += contents.troubles(buffer, offset, log_rows.position, order)
    known = {
        "log_partition": pa.array(log_rows.partition[order], pa.int32()),
        "log_offset": pa.array(offset, pa.int64()),
        "timestamp_ms": numbers_or_null(timestamp_ms, timestamp_ms >= 0),
        # A consumer is never given a marker.
        "is_control": pa.repeat(pa.scalar(value=False), len(order)),
        **contents.columns,
    }
    columns = [
        known[field.name] if field.name in known else null_array(field.type, len(order)) for field in RECORD_SCHEMA
    ]
    return ExportSlice(pa.RecordBatch.from_arrays(columns, names=RECORD_SCHEMA.names), troubles)


def _of_the_topic(rows: pa.RecordBatch, columns: Columns, position: Int64Array) -> tuple[pa.RecordBatch, Int64Array]:
    """The rows that are no other topic's."""
    if "topic" not in columns.names:
        return rows, position
    topic = rows.column(columns.names["topic"])
    is_other = pc.fill_null(pc.not_equal(topic.cast(pa.string()), OFFSETS_TOPIC), fill_value=False)
    mask = ~is_other.to_numpy(zero_copy_only=False)
    return (rows, position) if mask.all() else (rows.filter(pa.array(mask)), position[mask])


def _log_rows(path: str, rows: pa.RecordBatch, columns: Columns, position: Int64Array) -> tuple[LogRows, list[Trouble]]:
    """The rows that have a partition and an offset, and a trouble for each of the others."""
    named = columns.names.get("partition")
    partition = _numbers(path, rows, named) if named else np.full(rows.num_rows, columns.partition, np.int64)
    offset = _numbers(path, rows, columns.names["offset"])
    timed = columns.names.get("timestamp")
    timestamp_ms = _times(path, rows.column(timed)) if timed else np.full(rows.num_rows, -1, np.int64)
    is_placed = (partition >= 0) & (partition < 1 << 31) & (offset >= 0)
    troubles = [_without_place(int(position[row])) for row in np.flatnonzero(~is_placed).tolist()]
    keep = pa.array(is_placed)
    key, value = (rows.column(columns.names[name]).filter(keep) for name in ("key", "value"))
    log_rows = LogRows(
        partition[is_placed], offset[is_placed], timestamp_ms[is_placed], key, value, position[is_placed]
    )
    return log_rows, troubles


def _numbers(path: str, rows: pa.RecordBatch, name: str) -> Int64Array:
    """A column of whole numbers; -1 where there is none."""
    try:
        numbers: Int64Array = pc.fill_null(rows.column(name).cast(pa.int64()), -1).to_numpy(zero_copy_only=False)
    except pa.ArrowInvalid as error:
        raise SourceError(f"{path}: column {name} has something else than whole numbers: {error}") from error
    return numbers


def _times(path: str, column: pa.Array) -> Int64Array:
    """Times in milliseconds, from numbers of them, timestamps or their text; -1 where there is none."""
    try:
        if not pa.types.is_integer(column.type):
            zone = None if pa.types.is_timestamp(column.type) and column.type.tz is None else "UTC"
            column = column.cast(pa.timestamp("ms", tz=zone), safe=False)
        times: Int64Array = pc.fill_null(column.cast(pa.int64()), -1).to_numpy(zero_copy_only=False)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise SourceError(f"{path}: the column of times can't be read: {error}") from error
    return times


def _cells(column: pa.Array, *, is_raw: bool) -> Cells:
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return plain_cells(column)
    return kcat_cells(column) if is_raw else base64_cells(column)


def _together(cells: list[Cells], order: Int64Array) -> tuple[ByteArray, Spans]:
    """Keys and values in one buffer."""
    key, value = cells
    behind = len(key.buffer)
    start, end = (np.where(edge < 0, edge, edge + behind) for edge in (value.start, value.end))
    spans = Spans(key.start[order], key.end[order], start[order], end[order])
    return np.concatenate([key.buffer, value.buffer]), spans


def _without_place(position: int) -> Trouble:
    return Trouble(position, 0, None, "record without a place", "a partition and an offset, not negative", "none", b"")


def _unreadable(log_rows: LogRows, row: int) -> Trouble:
    """A key or value that lost its bytes on the way: it is no record then, since nobody can say what it was."""
    content = b" ".join(str(cell[row].as_py()).encode() for cell in (log_rows.key, log_rows.value))
    expected = "a key and a value in base64, or as kcat prints them, with every byte as it was"
    position, offset = int(log_rows.position[row]), int(log_rows.offset[row])
    return Trouble(
        position, len(content), offset, "key or value", expected, ascii(content[:_ACTUAL_BYTES]), content[:QUOTED_BYTES]
    )
