"""Decoding: every layout in every version, against Kafka's own bytes, an encoder, and a naive reader."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.layouts.groups.consumer_group import CONSUMER_GROUP_MEMBER_METADATA, CONSUMER_GROUP_METADATA
from parsers.layouts.groups.group_metadata import GROUP_METADATA
from parsers.layouts.groups.offset_commit import OFFSET_COMMIT
from parsers.layouts.groups.record_types import RECORD_TYPES
from parsers.messages.arrays.schemas import layout_type
from parsers.messages.reasons import Reason
from parsers.wire import Field, Layout, Wire
from tests.parsers.encode import encode, uvarint
from tests.parsers.golden import Vector, record_vectors
from tests.parsers.made_messages import LAYOUTS, VERSIONED, decoded, name_of, rows, structs
from tests.parsers.naive import complete, naive_read

if TYPE_CHECKING:
    from collections.abc import Sequence

VALUES: Final = {f"{row.name}Value": row.value for row in RECORD_TYPES}
GOLDEN_VALUES: Final = [vector for vector in record_vectors() if vector.message in VALUES]


def stated(vector: Vector) -> dict[str, Any]:
    """What Kafka's class held, as far as the version can carry it."""
    layout = VALUES[vector.message]
    version = int.from_bytes(vector.data[:2], "big")
    return complete(layout.fields, _carried(layout.fields_of(version), vector.stated or {}))


def _carried(fields: Sequence[Field], values: dict[str, Any]) -> dict[str, Any]:
    return {row.name: _carried_value(row, values[row.name]) for row in fields}


def _carried_value(row: Field, value: Any) -> Any:  # noqa: ANN401 - whatever the field holds
    if row.wire is Wire.BYTES and isinstance(value, list):
        return bytes(value)
    if row.wire is not Wire.STRUCT or value is None:
        return value
    return [_carried(row.fields, one) for one in value] if row.array else _carried(row.fields, value)


@pytest.mark.parametrize("vector", GOLDEN_VALUES, ids=lambda vector: vector.name)
def test_golden_value_is_what_kafka_says_it_wrote(vector: Vector) -> None:
    """A value that Kafka wrote decodes to what its class held, to the last byte."""
    version = int.from_bytes(vector.data[:2], "big")
    result = decoded(VALUES[vector.message], version, [vector.data[2:]])
    assert rows(result) == [stated(vector)]
    assert result.left_over_bytes.tolist() == [0]


@pytest.mark.parametrize("vector", GOLDEN_VALUES, ids=lambda vector: vector.name)
def test_golden_value_equals_the_naive_reader(vector: Vector) -> None:
    """The columns of a golden value equal what a reader of one value after the other gives."""
    version = int.from_bytes(vector.data[:2], "big")
    layout = VALUES[vector.message]
    assert rows(decoded(layout, version, [vector.data[2:]])) == [naive_read(layout, version, vector.data[2:])]


@pytest.mark.parametrize(("layout", "version"), VERSIONED, ids=name_of)
@settings(max_examples=15)
@given(data=st.data())
def test_round_trip(layout: Layout, version: int, data: st.DataObject) -> None:
    """Whatever is written in any version of any layout comes back, and the naive reader agrees."""
    messages = data.draw(st.lists(structs(layout.fields_of(version)), min_size=1, max_size=4))
    encoded = [encode(layout, version, message) for message in messages]
    result = decoded(layout, version, encoded)
    assert result.error.tolist() == [0] * len(messages)
    assert result.left_over_bytes.tolist() == [0] * len(messages)
    assert rows(result) == [complete(layout.fields, message) for message in messages]
    assert rows(result) == [naive_read(layout, version, one) for one in encoded]


@pytest.mark.parametrize("layout", [layout for layout in LAYOUTS if layout.drafts], ids=name_of)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_pre_release_layouts_are_found_by_their_bytes(layout: Layout, data: st.DataObject) -> None:
    """Version 0 is read by the released layout if that reads all of it, else by the newest draft that does."""
    written = data.draw(st.integers(-len(layout.drafts), 0))
    encoded = encode(layout, written, data.draw(structs(layout.fields_of(written))))
    expected = next(
        naive_read(layout, version, encoded)
        for version in range(0, -len(layout.drafts) - 1, -1)
        if _reads(layout, version, encoded)
    )
    assert rows(decoded(layout, 0, [encoded])) == [expected]


def _reads(layout: Layout, version: int, encoded: bytes) -> bool:
    try:
        naive_read(layout, version, encoded)
    except (ValueError, RecursionError):
        return False
    return True


@settings(max_examples=50, deadline=None)
@given(data=st.data())
def test_versions_mix_in_one_column(data: st.DataObject) -> None:
    """Each row is read by its own version, nulls in between stay null, and the other rows don't notice."""
    versions = data.draw(st.lists(st.integers(0, 4), min_size=1, max_size=12))
    drawn = [data.draw(st.none() | structs(GROUP_METADATA.fields_of(version))) for version in versions]
    messages = [None if one is None else encode(GROUP_METADATA, v, one) for v, one in zip(versions, drawn, strict=True)]
    expected = [None if one is None else complete(GROUP_METADATA.fields, one) for one in drawn]
    assert rows(decoded(GROUP_METADATA, versions, messages)) == expected


@pytest.mark.parametrize("layout", LAYOUTS, ids=name_of)
def test_type_is_the_layouts_own_whatever_occurs(layout: Layout) -> None:
    """No rows, null rows and any version give one type, so that all files of a table have one schema."""
    version = layout.versions.stop - 1
    for messages in ([], [None], [b"", None]):
        assert decoded(layout, version, messages).columns.cast(layout_type(layout)).type == layout_type(layout)


def test_unknown_tags_are_kept_at_every_depth() -> None:
    """A tagged field that no table names is kept with its number, its bytes, and the struct it stood in."""
    member = uvarint(2) + b"m" + uvarint(0) + uvarint(2) + b"c" + uvarint(2) + b"h" + bytes(8) + b"\1\1"
    head = uvarint(9) + b"consumer" + bytes(4) + uvarint(0) * 2 + bytes(8)
    data = head + uvarint(2) + member + b"\1\7\2ab" + b"\2\3\0\x09\1z"
    result = decoded(GROUP_METADATA, 4, [None, data, data])
    assert result.error.tolist() == [0, 0, 0]
    tags = [row and row["unknown_tags"] for row in result.columns.to_pylist()]
    assert (
        tags[1:]
        == [
            [
                {"struct": "members", "tag": 7, "payload": b"ab"},
                {"struct": "", "tag": 3, "payload": b""},
                {"struct": "", "tag": 9, "payload": b"z"},
            ]
        ]
        * 2
    )


def test_absent_tag_is_what_kafka_takes_for_a_json_null_default() -> None:
    """Absent is an empty struct, an explicit null is null: KIP-848 members write the latter."""
    plain = {row.name: None for row in CONSUMER_GROUP_MEMBER_METADATA.fields_of(0)} | {
        "client_id": "c",
        "client_host": "h",
        "subscribed_topic_names": [],
        "rebalance_timeout_ms": 1,
    }
    empty = {"session_timeout_ms": 0, "supported_protocols": []}
    messages = [
        encode(CONSUMER_GROUP_MEMBER_METADATA, 0, plain | {"classic_member_metadata": c}) for c in (None, empty)
    ]
    assert len(messages[0]) - len(messages[1]) == 3
    metadata = [row["classic_member_metadata"] for row in rows(decoded(CONSUMER_GROUP_MEMBER_METADATA, 0, messages))]
    assert metadata == [None, empty]


def test_last_of_a_repeated_tag_wins() -> None:
    """A tag that comes twice counts as Kafka's own reader takes it: the later one stands."""
    tag = b"\0\x08" + (1).to_bytes(8, "big")
    later = b"\0\x08" + (2).to_bytes(8, "big")
    assert rows(decoded(CONSUMER_GROUP_METADATA, 0, [bytes(4) + b"\2" + tag + later])) == [
        {"epoch": 0, "metadata_hash": 2}
    ]


def test_bytes_after_the_struct_are_counted() -> None:
    """What follows the last known field costs nothing, and is told."""
    commit = encode(OFFSET_COMMIT, 2, {"offset": 1, "metadata": "m", "commit_timestamp": 2})
    result = decoded(OFFSET_COMMIT, 2, [commit, commit + b"abc"])
    assert result.left_over_bytes.tolist() == [0, 3]
    assert result.columns.null_count == 0


def test_trouble_names_the_field_and_the_place() -> None:
    """A value that ends too early says in which field, and where that field begins."""
    commit = encode(OFFSET_COMMIT, 3, {"offset": 1, "leader_epoch": 2, "metadata": "m", "commit_timestamp": 2})
    result = decoded(OFFSET_COMMIT, 3, [commit, commit[:-1]])
    first, second = result.error.tolist(), result.error_at.tolist()
    assert first == [Reason.OK, Reason.CUT_SHORT]
    assert result.field(1) == "commit_timestamp"
    assert second[1] == 11 + len(commit) + 11 + 15
    assert rows(result)[1] is None


@pytest.mark.parametrize("version", [-1, -32768, OFFSET_COMMIT.versions.stop, OFFSET_COMMIT.versions.stop + 4, 32767])
def test_unknown_version_is_a_row_with_a_reason(version: int) -> None:
    """A version that no table has costs its own row."""
    result = decoded(OFFSET_COMMIT, [version, 2], [bytes(30), bytes(18)])
    assert result.error.tolist() == [Reason.UNKNOWN_VERSION, Reason.OK]
