"""Records of __share_group_state as rows: what a snapshot and an update say, in one shape.

Put here how their bytes become rows. What the rows do to a state belongs in `share_states`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from parsers.messages.internal_topics import SHARE_GROUP_STATE
from parsers.messages.topic_records import decode_records

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parsers.words import ByteArray, Int64Array

    Row = dict[str, Any]

SNAPSHOT, UPDATE = "share_snapshot", "share_update"
KEY: Final = ("group_id", "topic_id", "partition")
NUMBERS: Final = ("snapshot_epoch", "state_epoch", "leader_epoch", "start_offset", "delivery_complete_count")


def decoded_rows(records: pa.RecordBatch) -> Iterator[Row]:
    """The rows of records, with what key and value say; `record_kind` is unreadable where no layout reads them."""
    buffer, (keys, values) = _laid_out(records)
    columns = decode_records(SHARE_GROUP_STATE, buffer, keys, values)
    named = {name: columns.keys[name].to_pylist() for name in KEY}
    by_kind = {kind: columns.values[kind].to_pylist() for kind in (SNAPSHOT, UPDATE)}
    is_bad = columns.error != 0
    for at, record in enumerate(records.drop_columns(["key", "value"]).to_pylist()):
        key = {name: named[name][at] for name in KEY}
        value = by_kind[SNAPSHOT][at] or by_kind[UPDATE][at]
        yield {
            **record,
            **key,
            **_value(record, value, is_snapshot=by_kind[SNAPSHOT][at] is not None, is_bad=is_bad[at]),
        }


def _value(record: Row, value: Row | None, *, is_snapshot: bool, is_bad: bool) -> Row:
    """What a value says, None for what it does not say and for Kafka's -1."""
    kind = "snapshot" if is_snapshot else "update"
    if is_bad or value is None:
        kind = "tombstone" if record["is_tombstone"] and not is_bad else "unreadable"
        return {"record_kind": kind, "batches": [], **dict.fromkeys(NUMBERS)}
    numbers = {name: value.get(name) for name in NUMBERS}
    numbers["snapshot_epoch"] = (
        value["early_snapshot_epoch"] if numbers["snapshot_epoch"] is None else numbers["snapshot_epoch"]
    )
    known = {name: None if number is None or number < 0 else number for name, number in numbers.items()}
    return {"record_kind": kind, "batches": value["state_batches"] or [], **known}


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
