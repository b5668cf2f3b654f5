"""The records of one slice of the offsets topic as columns: where each stood in the log, and what it says.

Put here the joining of the two halves, its columns, and the troubles that show when a message is read. How batches
and records are found belongs in `parsers.log.segments`, how keys and values are read in
`parsers.messages.record_types`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from parsers.log.damage.quarantine import Trouble, quote_bytes
from parsers.messages.arrays.scatter import spread
from parsers.messages.arrays.schemas import null_array
from parsers.messages.record_types import KEY_COLUMNS, VALUE_COLUMNS, decode_offset_records, troubles
from parsers.messages.strings import validity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parsers.log.segments import Slice
    from parsers.messages.record_types import OffsetRecordColumns
    from parsers.messages.topic_records import Mask, Part, Reasons
    from parsers.words import ByteArray, Int64Array

FROM_BATCH: Final = {
    "batch_base_offset": "base_offset",
    "log_leader_epoch": "leader_epoch",
    "producer_id": "producer_id",
    "producer_epoch": "producer_epoch",
    "base_sequence": "base_sequence",
    "is_transactional": "is_transactional",
    "is_control": "is_control",
    "control_type": "control_type",
    "coordinator_epoch": "coordinator_epoch",
    "delete_horizon_ms": "delete_horizon_ms",
}
"""What a record takes from its batch: its own column, and the batch's."""

PLAIN_COLUMNS: Final[dict[str, pa.DataType]] = {
    "log_partition": pa.int32(),
    "log_offset": pa.int64(),
    "timestamp_ms": pa.int64(),
    "batch_base_offset": pa.int64(),
    "log_leader_epoch": pa.int32(),
    "producer_id": pa.int64(),
    "producer_epoch": pa.int16(),
    "base_sequence": pa.int32(),
    "is_transactional": pa.bool_(),
    "is_control": pa.bool_(),
    "control_type": pa.string(),
    "coordinator_epoch": pa.int32(),
    "delete_horizon_ms": pa.int64(),
    "record_type": pa.int16(),
    "value_version": pa.int16(),
    "is_tombstone": pa.bool_(),
    "key_bytes": pa.int32(),
    "value_bytes": pa.int32(),
}
"""Where a record stood and how large it is: the columns that are no part of its key or its value."""
UNDECODED_COLUMNS: Final = ("undecoded_key", "undecoded_value")

RECORD_SCHEMA: Final = pa.schema(
    [
        *PLAIN_COLUMNS.items(),
        *((name, kind) for name, (kind, _) in KEY_COLUMNS.items()),
        *((name, kind) for name, (kind, _) in VALUE_COLUMNS.items()),
        *((name, pa.binary()) for name in UNDECODED_COLUMNS),
    ]
)
"""The partition of the offsets topic, then what a record says, in declared types; in memory text may be a dictionary.

Whoever reads a record gives these columns: from a segment, from text, or from a dump, NULL where that can't say.
"""


def offset_record_columns(piece: Slice) -> tuple[pa.RecordBatch, list[Trouble]]:
    """Every record of the slice, and those whose key or value could not be read."""
    records = piece.records
    if records is None:
        message = "the slice was walked without bodies"
        raise ValueError(message)
    is_control = piece.batches.column("is_control")
    control = np.asarray(is_control)[records.batch] if is_control.true_count else None
    spans = Spans(records.key_start, records.key_end, records.value_start, records.value_end)
    contents = key_value_columns(records.buffer, spans, control)
    columns = {
        "log_offset": pa.array(records.offset),
        "timestamp_ms": numbers_or_null(records.timestamp_ms, records.timestamp_ms >= 0),
        **{own: to_records(piece.batches.column(batch), records.batch) for own, batch in FROM_BATCH.items()},
        **contents.columns,
    }
    bad = list(
        contents.troubles(records.buffer, records.offset, piece.batches.column("position").to_numpy(), records.batch)
    )
    return pa.RecordBatch.from_arrays(list(columns.values()), names=list(columns)), bad


class Spans(NamedTuple):
    """Where the keys and values of records stand in a buffer; a start of -1 is null."""

    key_start: Int64Array
    key_end: Int64Array
    value_start: Int64Array
    value_end: Int64Array


@dataclass(frozen=True, eq=False)
class KeyValueColumns:
    """What keys and values say, as the columns from `record_type` on, and how they were decoded."""

    columns: dict[str, pa.Array]
    spans: Spans
    decoded: OffsetRecordColumns
    control: Mask | None

    def troubles(
        self, buffer: ByteArray, offsets: Int64Array, positions: Int64Array, carrier: Int64Array
    ) -> Iterator[Trouble]:
        """One row per record that could not be read; its position is that of what carries it, such as its batch."""
        edges = {"key": self.spans[:2], "value": self.spans[2:]}
        for trouble in troubles(buffer, self.decoded):
            row = trouble.row
            if self.control is not None and self.control[row]:
                continue
            start, end = (int(edge[row]) for edge in edges[trouble.part])
            yield Trouble(
                int(positions[carrier[row]]),
                max(end - start, 0),
                int(offsets[row]),
                f"{trouble.part}: {trouble.reason.name.lower().replace('_', ' ')}",
                trouble.expected,
                trouble.actual,
                quote_bytes(buffer, max(start, 0), max(end, 0)),
            )


def key_value_columns(buffer: ByteArray, spans: Spans, control: Mask | None = None) -> KeyValueColumns:
    """What the keys and values in a buffer say; control records have neither."""
    meant = spans if control is None else Spans(*(np.where(control, np.int64(-1), span) for span in spans))
    decoded = decode_offset_records(buffer, *meant)
    key, value = decoded.parts
    columns = {
        "record_type": decoded.record_type,
        "value_version": decoded.value_version,
        "is_tombstone": _bool_column(_is_tombstone(spans, control)),
        "key_bytes": _sizes(spans.key_start, spans.key_end),
        "value_bytes": _sizes(spans.value_start, spans.value_end),
        **decoded.keys,
        **decoded.values,
        "undecoded_key": _undecoded(buffer, key, decoded.key_error),
        "undecoded_value": _undecoded(buffer, value, decoded.value_error),
    }
    return KeyValueColumns(columns, spans, decoded, control)


def _is_tombstone(spans: Spans, control: Mask | None) -> Mask:
    is_null = spans.value_start < 0
    return is_null if control is None else is_null & ~control


def to_records(values: pa.Array, of_batch: Int64Array) -> pa.Array:
    """What its batch says, for each record; where all batches say the same, nothing has to be looked up."""
    if values.null_count == len(values):
        return null_array(values.type, of_batch.size)
    least_and_most = pc.min_max(values)
    if values.null_count == 0 and least_and_most["min"] == least_and_most["max"]:
        return pa.repeat(values[0], of_batch.size)
    return values.take(pa.array(of_batch))


def _bool_column(values: Mask) -> pa.Array:
    return pa.Array.from_buffers(pa.bool_(), values.size, [None, pa.py_buffer(np.packbits(values, bitorder="little"))])


def numbers_or_null(values: np.ndarray, is_valid: Mask) -> pa.Array:
    """Give numbers as a column, null where they are not valid."""
    kind = pa.from_numpy_dtype(values.dtype)
    return pa.Array.from_buffers(kind, values.size, [validity(is_valid), pa.py_buffer(np.ascontiguousarray(values))])


def _sizes(starts: Int64Array, ends: Int64Array) -> pa.Array:
    sizes = np.empty(starts.size, np.int32)
    np.subtract(ends, starts, out=sizes, casting="unsafe")
    return numbers_or_null(sizes, starts >= 0)


def _undecoded(buffer: ByteArray, part: Part, error: Reasons) -> pa.Array:
    """The bytes of the few keys or values that no layout reads; NULL for all others."""
    rows = np.flatnonzero(error)
    rows = rows[part.starts[rows] >= 0]
    if not len(rows):
        return null_array(pa.binary(), error.size)
    bytes_of = pa.array([buffer[part.starts[row] : part.ends[row]].tobytes() for row in rows.tolist()], pa.binary())
    return spread(bytes_of, rows, error.size)
