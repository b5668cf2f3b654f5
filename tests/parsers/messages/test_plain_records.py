"""Keys and values without a record type: checkpoints and offset syncs of MirrorMaker 2, sound and broken."""

from __future__ import annotations

import pyarrow as pa
import pytest

from parsers.layouts.mirror_maker import CHECKPOINT_KEY, CHECKPOINT_VALUE, OFFSET_SYNC_KEY, OFFSET_SYNC_VALUE
from parsers.messages.plain_records import Misread, Part, read_part

KEY = Part(CHECKPOINT_KEY)
VALUE = Part(CHECKPOINT_VALUE, is_versioned=True)


def _text(text: str) -> bytes:
    return len(text.encode()).to_bytes(2, "big") + text.encode()


def _long(*numbers: int) -> bytes:
    return b"".join(number.to_bytes(8, "big", signed=True) for number in numbers)


CHECKPOINT = _text("größe") + _text("source.orders") + (7).to_bytes(4, "big")
TRANSLATION = b"\0\0" + _long(60, 1) + _text("note")


def test_a_checkpoint_is_read_field_by_field() -> None:
    """Group, topic and partition are in the key, offsets and metadata behind the version of the value."""
    keys, no_trouble = read_part(KEY, pa.array([CHECKPOINT], pa.binary()))
    values, none_either = read_part(VALUE, pa.array([TRANSLATION], pa.binary()))
    assert keys.to_pylist() == [{"group_id": "größe", "topic": "source.orders", "partition": 7}]
    assert values.to_pylist() == [{"upstream_offset": 60, "downstream_offset": 1, "metadata": "note"}]
    assert no_trouble == none_either == []


def test_an_offset_sync_is_read_field_by_field() -> None:
    """Neither of its parts has a version."""
    keys, _ = read_part(Part(OFFSET_SYNC_KEY), pa.array([_text("orders") + b"\0\0\0\1"], pa.binary()))
    values, _ = read_part(Part(OFFSET_SYNC_VALUE), pa.array([_long(2**63 - 1, -1)], pa.binary()))
    assert keys.to_pylist() == [{"topic": "orders", "partition": 1}]
    assert values.to_pylist() == [{"upstream_offset": 2**63 - 1, "downstream_offset": -1}]


def test_a_tombstone_is_null_and_no_trouble() -> None:
    """A null value among others stays in its place."""
    values, misreads = read_part(VALUE, pa.array([None, TRANSLATION, None], pa.binary()))
    assert [value and value["upstream_offset"] for value in values.to_pylist()] == [None, 60, None]
    assert misreads == []


def test_rows_of_a_slice_are_those_of_the_slice() -> None:
    """A column that begins in the middle of its buffer is read from there."""
    values, _ = read_part(VALUE, pa.array([b"", TRANSLATION], pa.binary()).slice(1))
    assert values.to_pylist()[0]["downstream_offset"] == 1


@pytest.mark.parametrize("cut", range(len(TRANSLATION)))
def test_a_value_cut_short_is_told_with_its_place(cut: int) -> None:
    """Wherever a value ends too early, its row is null and the place lies in it."""
    values, (trouble,) = read_part(VALUE, pa.array([TRANSLATION[:cut], TRANSLATION], pa.binary()))
    assert values[0].as_py() is None
    assert values[1].as_py() is not None
    assert trouble.row == 0
    assert 0 <= trouble.position <= cut


def test_a_version_that_nobody_knows_is_told() -> None:
    """A later version may have other fields."""
    values, misreads = read_part(VALUE, pa.array([b"\0\1" + TRANSLATION[2:]], pa.binary()))
    assert values[0].as_py() is None
    assert [(one.position, one.expected) for one in misreads] == [(0, "a version with a known layout")]


def test_a_key_that_is_no_text_is_told_with_its_field() -> None:
    """The field, what is expected in it, and the bytes that stand there."""
    _, misreads = read_part(KEY, pa.array([b"\0\2\xff\xfe" + CHECKPOINT[8:]], pa.binary()))
    assert [(one.row, one.expected) for one in misreads] == [(0, "group_id: text in UTF-8")]
    assert isinstance(misreads[0], Misread)
