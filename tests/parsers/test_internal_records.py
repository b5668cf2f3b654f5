"""Records of internal topics as columns: where each is, whose it is, its bytes, and what is too large to be taken."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from parsers.files.internal_topics import INTERNAL_TOPICS
from parsers.internal_records import LARGEST_KEY_BYTES, LARGEST_VALUE_BYTES, internal_record_columns
from parsers.log.damage.quarantine import QUOTED_BYTES, Trouble
from parsers.log.segments import walk
from tests.parsers.golden import blob_vectors
from tests.parsers.log_writer import TIME_MS, Bytes, batch, record

if TYPE_CHECKING:
    from collections.abc import Sequence

KEY: Final = next(one.data for one in blob_vectors("vectors-blobs.txt") if one.name == "share snapshot key")
(SHARE_STATE,) = (one for one in INTERNAL_TOPICS if one.kind == "share_group_state")
TRANSACTIONAL: Final = 0x10
CONTROL: Final = 0x20
HEADER: Final = {"key": b"h", "value": None}
COMMIT: Final = b"\0\0\0\1"


def read(batches: Sequence[bytes]) -> tuple[list[dict[str, Any]], list[Trouble]]:
    """The rows of a log with these batches, and its troubles."""
    rows: list[dict[str, Any]] = []
    troubles: list[Trouble] = []
    for piece in walk(Bytes(b"".join(batches)), bodies=True):
        columns, bad = internal_record_columns(piece, SHARE_STATE)
        rows += columns.to_pylist()
        troubles += bad
    return rows, troubles


def test_a_record_has_its_place_its_group_and_its_bytes() -> None:
    """A key of another form names no group, and a tombstone has no value."""
    records = [record(0, KEY, b"v", headers=[(b"h", None)]), record(1, b"\0\0\xff", None, time_delta_ms=5)]
    rows, troubles = read([batch(7, records, producer=(9, 2, 0))])
    common = {
        "batch_base_offset": 7,
        "leader_epoch": 3,
        "producer_id": 9,
        "producer_epoch": 2,
        "is_transactional": False,
        "is_control": False,
        "control_type": None,
        "kind": "share_group_state",
    }
    first = {"record_offset": 7, "timestamp_ms": TIME_MS, "is_tombstone": False, "group_id": "g", "key": KEY}
    second = {"record_offset": 8, "timestamp_ms": TIME_MS + 5, "is_tombstone": True, "group_id": None}
    assert rows == [
        {**common, **first, "key_bytes": len(KEY), "value_bytes": 1, "value": b"v", "headers": [HEADER]},
        {**common, **second, "key_bytes": 3, "value_bytes": None, "key": b"\0\0\xff", "value": None, "headers": None},
    ]
    assert troubles == []


def test_a_marker_is_a_row_without_key_and_value() -> None:
    """It decides about the records of its producer, and is no tombstone."""
    marker = batch(1, [record(0, COMMIT, b"\0\0\0\0\0\0")], attributes=TRANSACTIONAL | CONTROL, producer=(9, 2, -1))
    data = batch(0, [record(0, KEY, b"v")], attributes=TRANSACTIONAL, producer=(9, 2, 0))
    ((_, row), troubles) = read([data, marker])
    assert (row["is_control"], row["control_type"], row["key"], row["value"]) == (True, "COMMIT", None, None)
    assert (row["is_tombstone"], row["group_id"], troubles) == (False, None, [])


@pytest.mark.parametrize(("part", "limit"), [("key", LARGEST_KEY_BYTES), ("value", LARGEST_VALUE_BYTES)])
def test_what_is_too_large_is_set_aside_and_the_rest_goes_on(part: str, limit: int) -> None:
    """Its size stays in the row, its beginning in the quarantine; a part of the largest size is taken."""
    pairs = [(b"k" * limit, b"v"), (b"k" * (limit + 1), b"v")] if part == "key" else []
    pairs = pairs or [(KEY, b"v" * limit), (KEY, b"v" * (limit + 1))]
    rows, (trouble,) = read([batch(5, [record(at, *pair) for at, pair in enumerate(pairs)])])
    assert [(row[f"{part}_bytes"], row[part] is None) for row in rows] == [(limit, False), (limit + 1, True)]
    assert (trouble.log_offset, trouble.reason, trouble.size_bytes) == (6, f"{part}: too large", limit + 1)
    assert (trouble.position, trouble.bytes) == (0, pairs[1][part == "value"][:QUOTED_BYTES])
