"""Records of the offsets topic with their place in the log: what they take from their batch, and what can't be read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

from parsers.log.damage.quarantine import quarantine_table
from parsers.log.records import Records, Span
from parsers.log.segments import Slice
from parsers.messages.record_types import KEY_COLUMNS, VALUE_COLUMNS
from parsers.offset_records import FROM_BATCH, offset_record_columns

if TYPE_CHECKING:
    from parsers.log.damage.quarantine import Trouble

KEY = bytes.fromhex("00010002673100017400000003")
VALUE = bytes.fromhex("0003000000000000002a0000000700016d0000018bcfe56800")
MARKER_KEY, MARKER = bytes.fromhex("00000001"), bytes.fromhex("000000000005")
HEADER: dict[str, Any] = {
    "base_offset": 100,
    "leader_epoch": 4,
    "producer_id": None,
    "producer_epoch": None,
    "base_sequence": None,
    "is_transactional": False,
    "is_control": False,
    "control_type": None,
    "coordinator_epoch": None,
    "delete_horizon_ms": None,
    "position": 7,
}
SCHEMA = pa.schema(
    {
        "base_offset": pa.int64(),
        "leader_epoch": pa.int32(),
        "producer_id": pa.int64(),
        "producer_epoch": pa.int16(),
        "base_sequence": pa.int32(),
        "is_transactional": pa.bool_(),
        "is_control": pa.bool_(),
        "control_type": pa.string(),
        "coordinator_epoch": pa.int32(),
        "delete_horizon_ms": pa.int64(),
        "position": pa.int64(),
    }
)
Pair = tuple[bytes | None, bytes | None]


def read(*batches: tuple[dict[str, Any], list[Pair]]) -> tuple[list[dict[str, Any]], list[Trouble]]:
    """The rows of a slice with these batches: what differs from a plain header, and the keys and values."""
    pairs = [(batch, *pair) for batch, (_, of_batch) in enumerate(batches) for pair in of_batch]
    spans = np.zeros((len(Span), len(pairs)), np.int64)
    buffer = bytearray()
    for at, (batch, *parts) in enumerate(pairs):
        spans[[Span.OFFSET, Span.TIMESTAMP_MS, Span.BATCH], at] = at, 1000 + at, batch
        for part, start in zip(parts, (Span.KEY_START, Span.VALUE_START), strict=True):
            spans[[start, start + 1], at] = (-1, -1) if part is None else (len(buffer), len(buffer) + len(part))
            buffer += part or b""
    records = Records(np.frombuffer(bytes(buffer), np.uint8), spans)
    headers = pa.RecordBatch.from_pylist([{**HEADER, **header} for header, _ in batches], schema=SCHEMA)
    rows, troubles = offset_record_columns(Slice(0, len(buffer), headers, records, quarantine_table([]), 0))
    return rows.to_pylist(), troubles


def test_a_commit_has_its_place_and_what_it_says() -> None:
    """Key, value, sizes and the batch's own columns stand in one row."""
    (row,), troubles = read(({}, [(KEY, VALUE)]))
    assert troubles == []
    assert (row["log_offset"], row["timestamp_ms"], row["batch_base_offset"], row["log_leader_epoch"]) == (
        0,
        1000,
        100,
        4,
    )
    assert (row["record_type"], row["value_version"], row["is_tombstone"]) == (1, 3, False)
    assert (row["group_id"], row["topic"], row["partition"], row["offset_commit"]["offset"]) == ("g1", "t", 3, 42)
    assert (row["key_bytes"], row["value_bytes"]) == (len(KEY), len(VALUE))


def test_each_record_takes_what_its_own_batch_says() -> None:
    """Batches that differ are looked up; where all say the same the result is the same."""
    transaction = {"base_offset": 102, "producer_id": 9, "producer_epoch": 2, "is_transactional": True}
    rows, _ = read(({}, [(KEY, VALUE)] * 2), (transaction, [(KEY, None)]))
    assert [(row["batch_base_offset"], row["producer_id"], row["is_transactional"]) for row in rows] == [
        (100, None, False),
        (100, None, False),
        (102, 9, True),
    ]
    alone, _ = read((transaction, [(KEY, None)]))
    assert {name: alone[0][name] for name in FROM_BATCH} == {name: rows[2][name] for name in FROM_BATCH}


def test_a_tombstone_is_told_from_a_marker() -> None:
    """A marker is neither decoded nor a tombstone nor a trouble, whatever its bytes look like as a key."""
    marker = {"is_control": True, "control_type": "COMMIT", "coordinator_epoch": 5}
    rows, troubles = read(({}, [(KEY, None)]), (marker, [(MARKER_KEY, MARKER)]))
    assert troubles == []
    assert [(row["is_tombstone"], row["record_type"], row["group_id"]) for row in rows] == [
        (True, 1, "g1"),
        (False, None, None),
    ]
    assert (rows[1]["control_type"], rows[1]["coordinator_epoch"], rows[1]["undecoded_key"]) == ("COMMIT", 5, None)


@pytest.mark.parametrize(
    ("key", "value", "part", "raw_bytes"),
    [
        (b"\x00\x63abc", b"xyz", "key", b"\x00\x63abc"),
        (KEY[:5], VALUE, "key", KEY[:5]),
        (KEY, VALUE[:9], "value", VALUE[:9]),
        (KEY, b"\x00\x63" + VALUE[2:], "value", b"\x00\x63" + VALUE[2:]),
    ],
)
def test_what_cannot_be_read_is_kept_and_told(key: bytes, value: bytes, part: str, raw_bytes: bytes) -> None:
    """The bytes stay in the row, the trouble names the batch and the record; the record beside it is not touched."""
    rows, troubles = read(({}, [(KEY, VALUE), (key, value)]))
    assert rows[0]["offset_commit"]["offset"] == 42
    assert rows[1][f"undecoded_{part}"] == raw_bytes
    trouble = next(trouble for trouble in troubles if trouble.reason.startswith(part))
    assert (trouble.position, trouble.log_offset, trouble.bytes) == (7, 1, raw_bytes)


def test_a_record_without_a_timestamp_has_none() -> None:
    """Kafka writes -1; here that is NULL."""
    buffer = np.frombuffer(KEY, np.uint8)
    spans = np.full((len(Span), 1), -1, np.int64)
    spans[[Span.OFFSET, Span.BATCH, Span.KEY_START, Span.KEY_END], 0] = 0, 0, 0, len(KEY)
    headers = pa.RecordBatch.from_pylist([HEADER], schema=SCHEMA)
    piece = Slice(0, len(buffer), headers, Records(buffer, spans), quarantine_table([]), 0)
    assert offset_record_columns(piece)[0].column("timestamp_ms").to_pylist() == [None]


def test_all_keys_and_values_have_their_column() -> None:
    """Whatever kinds of record a slice holds, its columns are the same."""
    (row,), _ = read(({}, [(KEY, VALUE)]))
    assert {*KEY_COLUMNS, *VALUE_COLUMNS} <= row.keys()


def test_a_slice_without_bodies_is_refused() -> None:
    """Headers alone hold no records."""
    headers = pa.RecordBatch.from_pylist([HEADER], schema=SCHEMA)
    with pytest.raises(ValueError, match="without bodies"):
        offset_record_columns(Slice(0, 0, headers, None, quarantine_table([]), 0))
