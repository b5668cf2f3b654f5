"""Records of __share_group_state as columns: what a snapshot and an update say, in one shape.

Put here how their bytes become numbers. What the numbers do to a state belongs in `state_walk`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assets.arrays.columns import flags, numbers
from assets.transforms.shares.state_walk import NULL, SNAPSHOT, TOMBSTONE, UNREADABLE, UPDATE
from parsers.messages.internal_topics import SHARE_GROUP_STATE
from parsers.messages.topic_records import RecordColumns, decode_records

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assets.arrays.columns import Mask
    from parsers.words import ByteArray, Int64Array

KEY: Final = ("group_id", "topic_id", "partition")
NUMBERS: Final = ("snapshot_epoch", "state_epoch", "leader_epoch", "start_offset", "delivery_complete_count")
EARLY_EPOCH: Final = "early_snapshot_epoch"
"""Where 4.0 wrote the snapshot epoch."""
BATCH: Final = ("first_offset", "last_offset", "delivery_state", "delivery_count")
LARGEST_OFFSET: Final = (1 << 63) - 1
_VALUES: Final = {SNAPSHOT: "share_snapshot", UPDATE: "share_update"}


@dataclass(frozen=True, slots=True)
class DecodedRecords:
    """What records say; a number is NULL where a record does not say it, or says -1."""

    kind: Int64Array
    keys: Mapping[str, pa.Array]
    numbers: Mapping[str, Int64Array]
    batches: Int64Array
    """The state batches of all records as ranges: first offset, end, state and count; none that no offset lies in."""
    from_batch: Int64Array
    to_batch: Int64Array
    """Which of the batches each record has."""


def decoded(records: pa.RecordBatch) -> DecodedRecords:
    """Decode the keys and values of records; a value that no layout reads is `UNREADABLE`."""
    buffer, (keys, values) = _laid_out(records)
    columns = decode_records(SHARE_GROUP_STATE, buffer, keys, values)
    is_bad = columns.error != 0
    parts = {kind: columns.values[name] for kind, name in _VALUES.items()}
    is_kind = {kind: flags(part.is_valid()) & ~is_bad for kind, part in parts.items()}
    kind = np.where(flags(records["is_tombstone"]) & ~is_bad, TOMBSTONE, UNREADABLE).astype(np.int64)
    for one, its in is_kind.items():
        kind[its] = one
    content = {name: _numbers(name, parts, is_kind) for name in NUMBERS}
    return DecodedRecords(kind, _keys(columns), content, *_batches(parts, is_kind))


def _keys(columns: RecordColumns) -> dict[str, pa.Array]:
    return {name: columns.keys[name] for name in KEY}


def _numbers(name: str, parts: Mapping[int, pa.StructArray], is_kind: Mapping[int, Mask]) -> Int64Array:
    """A number of each record, from snapshots and updates, as far as these have it."""
    values = np.full(len(parts[SNAPSHOT]), NULL, np.int64)
    for kind, part in parts.items():
        if part.type.get_field_index(name) < 0:
            continue
        column = pc.struct_field(part, name)
        if name == "snapshot_epoch":
            column = pc.coalesce(column, pc.struct_field(part, EARLY_EPOCH).cast(column.type))
        values[is_kind[kind]] = numbers(column)[is_kind[kind]]
    return np.maximum(values, NULL)


def _batches(
    parts: Mapping[int, pa.StructArray], is_kind: Mapping[int, Mask]
) -> tuple[Int64Array, Int64Array, Int64Array]:
    """The batches of all records, first of snapshots, then of updates; from where to where each record has its own."""
    size = len(parts[SNAPSHOT])
    from_batch, to_batch = np.zeros(size, np.int64), np.zeros(size, np.int64)
    tables, used = [np.empty((0, len(BATCH)), np.int64)], 0
    for kind, part in parts.items():
        lists = pc.struct_field(part, "state_batches")
        count = np.where(is_kind[kind], numbers(pc.list_value_length(lists)), 0).clip(0)
        ranges, is_sound = _ranges(lists.filter(pa.array(is_kind[kind])).flatten())
        own = np.concatenate([[0], np.cumsum(is_sound)])
        ends = np.cumsum(count)
        from_batch[is_kind[kind]] = used + own[(ends - count)[is_kind[kind]]]
        to_batch[is_kind[kind]] = used + own[ends[is_kind[kind]]]
        tables.append(ranges[is_sound])
        used += tables[-1].shape[0]
    return np.concatenate(tables), from_batch, to_batch


def _ranges(batches: pa.StructArray) -> tuple[Int64Array, Mask]:
    """State batches as ranges, and in which of them some offset lies."""
    first, last, state, deliveries = (numbers(column) for column in batches.flatten())
    end = np.minimum(last, LARGEST_OFFSET - 1) + 1
    ranges: Int64Array = np.stack([first, end, state, deliveries], axis=1)
    return np.ascontiguousarray(ranges), (first >= 0) & (first < end)


def _laid_out(records: pa.RecordBatch) -> tuple[ByteArray, list[tuple[Int64Array, Int64Array]]]:
    """One buffer with all keys and values, and where each begins and ends; -1 for none."""
    buffers, edges, size = [], [], 0
    for name in ("key", "value"):
        column = records.column(name).cast(pa.binary())
        _, places, data = column.buffers()
        ends = np.frombuffer(places, np.int32)[column.offset : column.offset + len(column) + 1].astype(np.int64) + size
        is_null = np.asarray(column.is_null(), np.bool_)
        edges.append((np.where(is_null, np.int64(-1), ends[:-1]), np.where(is_null, np.int64(-1), ends[1:])))
        buffers.append(np.frombuffer(data, np.uint8) if data is not None else np.empty(0, np.uint8))
        size += buffers[-1].size
    return np.concatenate(buffers), edges
