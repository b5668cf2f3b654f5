"""The records of one slice of an internal topic as columns: where each is in the log, and its key and value as bytes.

Put here what holds for every internal topic whose records are read whole. Which topics those are is in
`parsers.files.internal_topics`, what their keys and values mean in `parsers.messages.internal_topics`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import pyarrow as pa

from parsers.data_records import HEADERS, header_columns
from parsers.log.damage.quarantine import Trouble, quote_bytes
from parsers.messages.strings import gather
from parsers.offset_records import numbers_or_null, to_records
from parsers.spans import pack

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parsers.files.internal_topics import InternalTopic
    from parsers.log.records import Records
    from parsers.log.segments import Slice
    from parsers.messages.topic_records import Mask
    from parsers.words import Int64Array

LARGEST_KEY_BYTES: Final = 64 << 10
LARGEST_VALUE_BYTES: Final = 1 << 20
"""A larger key or value is left out, with a row of quarantine: Kafka's own messages of internal topics are smaller."""

FROM_BATCH: Final = {
    "batch_base_offset": "base_offset",
    "leader_epoch": "leader_epoch",
    "producer_id": "producer_id",
    "producer_epoch": "producer_epoch",
    "is_transactional": "is_transactional",
    "is_control": "is_control",
    "control_type": "control_type",
}
"""What a record takes from its batch: its own column, and the batch's."""


def internal_record_columns(piece: Slice, topic: InternalTopic) -> tuple[pa.RecordBatch, list[Trouble]]:
    """Every record of the slice, and those whose key or value is too large; a control record has neither."""
    records = piece.records
    if records is None:
        message = "the slice was walked without bodies"
        raise ValueError(message)
    is_control: Mask = np.asarray(piece.batches.column("is_control"), np.bool_)[records.batch]
    key = _part((records.key_start, records.key_end), LARGEST_KEY_BYTES, is_control)
    value = _part((records.value_start, records.value_end), LARGEST_VALUE_BYTES, is_control)
    columns = {
        "record_offset": pa.array(records.offset),
        "timestamp_ms": numbers_or_null(records.timestamp_ms, records.timestamp_ms >= 0),
        **{own: to_records(piece.batches.column(batch), records.batch) for own, batch in FROM_BATCH.items()},
        "is_tombstone": pa.array((records.value_start < 0) & ~is_control),
        "key_bytes": key.sizes(),
        "value_bytes": value.sizes(),
        "kind": pa.repeat(topic.kind, len(records)),
        "group_id": _groups(topic, records, key),
        "key": gather(records.buffer, pack(key.starts, key.ends), pa.binary()),
        "value": gather(records.buffer, pack(value.starts, value.ends), pa.binary()),
        "headers": _headers(records),
    }
    positions = piece.batches.column("position").to_numpy()[records.batch]
    bad = [one for name, part in (("key", key), ("value", value)) for one in _too_large(name, part, records, positions)]
    return pa.RecordBatch.from_arrays(list(columns.values()), names=list(columns)), bad


class _Part(NamedTuple):
    """Keys or values: where each begins, -1 where it is not taken, where it ends, and which are too large."""

    starts: Int64Array
    ends: Int64Array
    all_starts: Int64Array
    is_large: Mask
    limit_bytes: int

    def sizes(self) -> pa.Array:
        """The size of each, also where it is not taken; NULL where there is none."""
        return numbers_or_null((self.ends - self.all_starts).astype(np.int32), self.all_starts >= 0)


def _part(spans: tuple[Int64Array, Int64Array], limit_bytes: int, is_control: Mask) -> _Part:
    """Keys or values by where they begin and end; of control records there is none."""
    starts, ends = spans
    is_large = (ends - starts > limit_bytes) & (starts >= 0) & ~is_control
    return _Part(np.where(is_large | is_control, np.int64(-1), starts), ends, starts, is_large, limit_bytes)


def _groups(topic: InternalTopic, records: Records, key: _Part) -> pa.Array:
    if topic.groups is None:
        return pa.nulls(len(records), pa.string())
    return topic.groups(records.buffer, key.starts, key.ends)


def _headers(records: Records) -> pa.Array:
    """The headers of each record; NULL where it has none."""
    if not records.header_count.any():
        return pa.nulls(len(records), HEADERS)
    lists = header_columns(records)
    return pa.ListArray.from_arrays(lists.offsets, lists.values, mask=pa.array(records.header_count == 0))


def _too_large(name: str, part: _Part, records: Records, positions: Int64Array) -> Iterator[Trouble]:
    """A row of quarantine for each key or value that is left out, with the position of its batch."""
    for row in np.flatnonzero(part.is_large).tolist():
        start, end = int(part.all_starts[row]), int(part.ends[row])
        yield Trouble(
            int(positions[row]),
            end - start,
            int(records.offset[row]),
            f"{name}: too large",
            f"{part.limit_bytes} bytes at most",
            f"{end - start} bytes",
            quote_bytes(records.buffer, start, end),
        )
