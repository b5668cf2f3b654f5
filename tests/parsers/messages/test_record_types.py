"""Records of the offsets topic as flat columns: keys, values, and what could not be read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.layouts.groups.offsets_key import OFFSETS_KEY
from parsers.layouts.groups.record_types import RECORD_TYPES
from parsers.messages.reasons import Reason
from parsers.messages.record_types import (
    KEY_COLUMNS,
    VALUE_COLUMNS,
    OffsetRecordColumns,
    as_declared,
    decode_offset_records,
    kafka_key_name,
    troubles,
)
from tests.parsers.encode import encode
from tests.parsers.golden import Vector, record_vectors
from tests.parsers.made_messages import laid_out, structs
from tests.parsers.naive import complete

if TYPE_CHECKING:
    from collections.abc import Sequence

    from parsers.words import ByteArray

COMMIT: Final = bytes.fromhex("0003000000000000002a0000000700016d0000018bcfe56800")
COMMIT_KEY: Final = bytes.fromhex("00010002673100017400000003")
GROUP_KEY: Final = bytes.fromhex("000200026731")

GOLDEN_KEYS: Final = [vector for vector in record_vectors() if vector.message.endswith("Key")]


def read(records: Sequence[tuple[bytes | None, bytes | None]]) -> tuple[ByteArray, OffsetRecordColumns]:
    """Decode records, and check that every column is sound and becomes what was declared."""
    parts = [part for record in records for part in record]
    buffer, starts, ends = laid_out(parts)
    columns = decode_offset_records(
        buffer, starts[::2].copy(), ends[::2].copy(), starts[1::2].copy(), ends[1::2].copy()
    )
    declared = {**KEY_COLUMNS, **VALUE_COLUMNS}
    assert list(declared) == [*columns.keys, *columns.values]
    for name, column in {**columns.keys, **columns.values}.items():
        column.validate(full=True)
        assert as_declared(column, declared[name][0]).type == declared[name][0]
        assert len(column) == len(records)
    return buffer, columns


@pytest.mark.parametrize("vector", GOLDEN_KEYS, ids=lambda vector: vector.message)
def test_golden_key_is_what_kafka_says_it_wrote(vector: Vector) -> None:
    """A key that Kafka wrote gives its record type and its fields; all other key columns are null."""
    _, columns = read([(vector.data, None)])
    (row,) = (row for row in RECORD_TYPES if f"{row.name}Key" == vector.message)
    stated = dict(vector.stated or {})
    group = stated.pop("group", None) or stated.pop("group_id")
    assert columns.record_type.to_pylist() == [row.id]
    assert {name: column[0].as_py() for name, column in columns.keys.items()} == {
        **dict.fromkeys(KEY_COLUMNS),
        **stated,
        "group_id": group,
    }
    assert not columns.error.any()


def test_a_key_in_any_script() -> None:
    """Group ids are UTF-8, outside the basic plane too."""
    (vector,) = (vector for vector in record_vectors() if vector.name == "OffsetCommitKey unicode")
    _, columns = read([(vector.data, None)])
    assert columns.keys["group_id"].to_pylist() == ["größe-😀"]


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_records_of_all_types_side_by_side(data: st.DataObject) -> None:
    """Each record's value is in the column of its kind, and null in all others; tombstones are null everywhere."""
    kinds = data.draw(st.lists(st.sampled_from(RECORD_TYPES), max_size=12))
    written, expected = [], []
    for kind in kinds:
        version = data.draw(st.sampled_from(list(kind.value.versions)))
        key = data.draw(structs(OFFSETS_KEY.fields_of(kind.id)))
        value = data.draw(st.none() | structs(kind.value.fields_of(version)))
        written.append((_headed(kind.id, encode(OFFSETS_KEY, kind.id, key)), _value(kind.value, version, value)))
        expected.append((kind, version, key, value))
    _, columns = read(written)
    assert not columns.error.any()
    for row, (kind, version, key, value) in enumerate(expected):
        _check_record(columns, row, (kind, version), key, value)


def _headed(head: int, body: bytes) -> bytes:
    return head.to_bytes(2, "big") + body


def _value(layout: Any, version: int, value: dict[str, Any] | None) -> bytes | None:  # noqa: ANN401 - a Layout
    return None if value is None else _headed(version, encode(layout, version, value))


def _check_record(
    columns: OffsetRecordColumns, row: int, kind: tuple[Any, int], key: dict[str, Any], value: dict[str, Any] | None
) -> None:
    record_type, version = kind
    assert columns.record_type[row].as_py() == record_type.id
    assert columns.value_version[row].as_py() == (None if value is None else version)
    assert columns.is_tombstone[row].as_py() == (value is None)
    assert {name: column[row].as_py() for name, column in columns.keys.items()} == {**dict.fromkeys(KEY_COLUMNS), **key}
    values = {name: column[row].as_py() for name, column in columns.values.items() if column[row].is_valid}
    for struct in values.values():
        struct.pop("unknown_tags")
    layout = record_type.value
    assert values == ({} if value is None else {record_type.column: complete(layout.fields, value)})


def test_a_commit_of_kafka_before_0_9_is_a_commit() -> None:
    """Record type 0 has the same key and value, and goes into the same column."""
    _, columns = read([(b"\0\0" + COMMIT_KEY[2:], COMMIT)])
    assert columns.record_type.to_pylist() == [0]
    assert columns.values["offset_commit"][0].as_py()["offset"] == 42


TROUBLED: Final[dict[str, tuple[bytes | None, bytes | None, list[tuple[str, Reason, str]]]]] = {
    "null key": (
        None,
        COMMIT,
        [("key", Reason.NULL_KEY, "null"), ("value", Reason.UNKNOWN_RECORD_TYPE, COMMIT[:16].hex())],
    ),
    "no record type": (
        b"\0",
        COMMIT,
        [("key", Reason.CUT_SHORT, "00"), ("value", Reason.UNKNOWN_RECORD_TYPE, COMMIT[:16].hex())],
    ),
    "unknown record type": (
        b"\0\x19\0\1g",
        b"\0\0",
        [("key", Reason.UNKNOWN_RECORD_TYPE, "0019000167"), ("value", Reason.UNKNOWN_RECORD_TYPE, "0000")],
    ),
    "negative record type": (b"\xff\xff\0\1g", None, [("key", Reason.UNKNOWN_RECORD_TYPE, "ffff000167")]),
    "key cut short": (COMMIT_KEY[:-1], COMMIT, [("key", Reason.CUT_SHORT, "000000")]),
    "unknown version": (COMMIT_KEY, b"\0\x09abc", [("value", Reason.UNKNOWN_VERSION, "0009616263")]),
    "negative version": (GROUP_KEY, b"\xff\xff" + bytes(20), [("value", Reason.UNKNOWN_VERSION, "ffff" + "00" * 14)]),
    "pre-release layouts can't be asked for": (
        b"\0\5" + GROUP_KEY[2:] + b"\0\1m",
        b"\xff\xfe" + bytes(9),
        [("value", Reason.UNKNOWN_VERSION, "fffe" + "00" * 9)],
    ),
    "no version": (COMMIT_KEY, b"\0", [("value", Reason.CUT_SHORT, "00")]),
    "empty value": (COMMIT_KEY, b"", [("value", Reason.CUT_SHORT, "nothing")]),
    "value cut short": (COMMIT_KEY, COMMIT[:-1], [("value", Reason.CUT_SHORT, COMMIT[17:-1].hex())]),
}


@pytest.mark.parametrize("name", TROUBLED)
def test_trouble_costs_one_record_and_is_told(name: str) -> None:
    """What can't be read is null and has its reason, its place and its bytes; its neighbours are whole."""
    key, value, expected = TROUBLED[name]
    buffer, columns = read([(COMMIT_KEY, COMMIT), (key, value), (COMMIT_KEY, COMMIT)])
    complaints = list(troubles(buffer, columns))
    assert [(trouble.part, trouble.reason, trouble.actual) for trouble in complaints] == expected
    assert [trouble.row for trouble in complaints] == [1] * len(expected)
    assert all(trouble.expected for trouble in complaints)
    for trouble in complaints:
        at = trouble.position
        assert trouble.actual in {"null", "nothing", buffer[at : at + len(trouble.actual) // 2].tobytes().hex()}
    assert columns.keys["group_id"].to_pylist()[::2] == ["g1", "g1"]
    assert [row and row["offset"] for row in columns.values["offset_commit"].to_pylist()][::2] == [42, 42]
    assert columns.error[1] == expected[0][1]
    assert columns.error_at[1] == max(complaints[0].position, 0)


def test_trouble_in_a_field_names_it() -> None:
    """What was expected begins with the field, so that the reader of a quarantine knows where he is."""
    buffer, columns = read([(COMMIT_KEY[:-1], COMMIT[:-1])])
    assert [trouble.expected.partition(":")[0] for trouble in troubles(buffer, columns)] == [
        "partition",
        "commit_timestamp",
    ]


def test_bytes_left_over_are_counted() -> None:
    """What follows the last known field of a key or a value does no harm, and is told."""
    _, columns = read([(COMMIT_KEY + b"x", COMMIT + b"yz"), (GROUP_KEY, None)])
    assert not columns.error.any()
    assert columns.key_left_over_bytes.tolist() == [1, 0]
    assert columns.value_left_over_bytes.tolist() == [2, 0]


def test_no_records_give_empty_columns() -> None:
    """A slice without records has all columns, and no rows."""
    _, columns = read([])
    assert len(columns.record_type) == 0


def test_what_does_not_occur_costs_no_memory() -> None:
    """The columns of other kinds share one stretch of zeros."""
    _, columns = read([(COMMIT_KEY, COMMIT)] * 1000)
    empty = [column for name, column in columns.values.items() if name != "offset_commit"]
    large = [buffer for column in empty for buffer in column.buffers() if buffer is not None and buffer.size > 64]
    assert len({buffer.address for buffer in large}) == 1
    assert all(column.null_count == 1000 for column in empty)


def test_columns_have_a_meaning_and_plain_types() -> None:
    """Each column says what it is in one sentence, and nothing it declares is a dictionary."""
    for kind, meaning in (KEY_COLUMNS | VALUE_COLUMNS).values():
        assert meaning.endswith(".")
        assert "dictionary" not in str(kind)
    assert KEY_COLUMNS["group_id"][0] == pa.string()
    assert kafka_key_name(2, "group_id") == "group"
    assert kafka_key_name(3, "group_id") == "groupId"
