"""Messages as JSON, against a plain converter and against what Kafka's converters are known to write."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.dump.json_lines.messages import by_version, message_texts, version_lead
from parsers.dump.json_lines.values import base64_strings, struct_texts, value_texts
from parsers.layouts.groups.consumer_group import CONSUMER_GROUP_MEMBER_METADATA
from parsers.layouts.groups.offset_commit import OFFSET_COMMIT
from parsers.messages.decode import decode
from parsers.wire import ZERO_UUID, Field, Layout, Wire, camel
from tests.parsers.encode import encode
from tests.parsers.made_messages import LAYOUTS, decoded, laid_out, name_of, structs

TOPIC_ID = "950cELHVS1yG9r7X3rmIXg"
INFINITIES = {float("inf"): "Infinity", float("-inf"): "-Infinity"}
DEFAULTS: dict[Wire, Any] = {Wire.STRING: "", Wire.BOOL: False, Wire.FLOAT64: 0.0}


HOSTILE = [
    "",
    'a"b\\c/',
    "\x00\x08\t\n\x0b\x0c\r\x1b[2J\x1f\x7f\x80\x9f",
    "\u202eevil",
    "é€😀\U0010ffff",
    "\ufeff\uffff",
]


def loaded(texts: pa.LargeStringArray) -> list[Any]:
    """Read the JSON text of every row."""
    return [None if text is None else json.loads(text) for text in texts.to_pylist()]


def converted(fields: tuple[Field, ...], values: dict[str, Any]) -> dict[str, Any]:
    """Convert a struct as Kafka does: tagged fields with their default are left out."""
    return {
        camel(row.name): converted_field(row, values[row.name])
        for row in fields
        if row.tag is None or not is_default(row, values[row.name])
    }


def converted_field(row: Field, value: Any) -> Any:  # noqa: ANN401 - whatever the field holds
    """Convert one field."""
    if value is None:
        return None
    if row.array:
        return [converted_field(Field(row.name, row.wire, fields=row.fields), one) for one in value]
    if row.wire is Wire.STRUCT:
        return converted(row.fields, value)
    if isinstance(value, float):
        return INFINITIES.get(value, value)
    return base64.b64encode(value).decode() if isinstance(value, bytes) else value


def is_default(row: Field, value: Any) -> bool:  # noqa: ANN401
    """Say whether a tagged field would not be written."""
    if row.default is None and (row.nullable or row.array):
        return value is None
    if row.wire is Wire.STRUCT and not row.array:
        return value is not None and all(is_default(child, value[child.name]) for child in row.fields)
    return bool(value == ([] if row.array else row.default or DEFAULTS.get(row.wire, 0)))


def shown(layout: Layout, version: int, messages: list[bytes | None]) -> list[Any]:
    """Give what is written of messages of one version."""
    result = decoded(layout, version, messages)
    read = struct_texts(layout.fields_of(version), result.columns)
    return loaded(read)


@pytest.mark.parametrize("layout", LAYOUTS, ids=name_of)
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_every_layout_and_version(layout: Layout, data: st.DataObject) -> None:
    """Any values of any version of any message are written as a plain converter writes them."""
    version = data.draw(st.sampled_from([v for v in layout.variants if v < 0 or v in layout.versions]))
    fields = layout.fields_of(version)
    values = data.draw(st.lists(structs(fields), max_size=3))
    expected = [converted(fields, value) for value in values]
    assert shown(layout, version, [encode(layout, version, value) for value in values]) == expected


def test_kafkas_null_and_empty_member() -> None:
    """A member that is no classic one has an explicit null; an absent field, which Kafka never writes, is left out."""
    plain: dict[str, Any] = {
        "instance_id": None,
        "rack_id": None,
        "client_id": "c",
        "client_host": "/h",
        "subscribed_topic_names": ["t"],
        "subscribed_topic_regex": None,
        "rebalance_timeout_ms": 5,
        "server_assignor": None,
        "classic_member_metadata": None,
    }
    written = encode(CONSUMER_GROUP_MEMBER_METADATA, 0, plain)
    assert written.endswith(b"\x01\x00\x01\x00")
    explicit, absent = shown(CONSUMER_GROUP_MEMBER_METADATA, 0, [written, written[:-4] + b"\x00"])
    assert explicit == absent | {"classicMemberMetadata": None}


def test_unknown_tags_and_left_over_bytes() -> None:
    """What no field holds is shown beside the data: tags of releases to come, and bytes after the last field."""
    plain = {"offset": 5, "leader_epoch": 1, "metadata": "", "commit_timestamp": 9, "topic_id": TOPIC_ID}
    message, untagged = encode(OFFSET_COMMIT, 4, plain), encode(OFFSET_COMMIT, 4, plain | {"topic_id": ZERO_UUID})
    odd = untagged.removesuffix(b"\x00") + b"\x01\x07\x02ab" + b"xyz"
    buffer, starts, ends = laid_out([message, odd])
    result = decode(OFFSET_COMMIT, buffer, starts, ends, np.array([4, 4], np.int16))
    ((version, rows),) = by_version(result)
    texts = message_texts(version_lead(result, version), result, version, rows)
    data = {"offset": 5, "leaderEpoch": 1, "metadata": "", "commitTimestamp": 9}
    unknown = {"struct": "", "tag": 7, "payload": base64.b64encode(b"ab").decode()}
    assert loaded(texts) == [
        {"version": 4, "data": data | {"topicId": TOPIC_ID}},
        {"version": 4, "data": data, "unknownTags": [unknown], "leftOverBytes": 3},
    ]


def test_drafts_name_their_release() -> None:
    """A layout that a release wrote under version 0 in its own way is named."""
    fields = CONSUMER_GROUP_MEMBER_METADATA.fields_of(-1)
    empty: dict[str, Any] = {row.name: [] if row.array else 0 if row.wire is Wire.INT32 else "" for row in fields}
    result = decoded(CONSUMER_GROUP_MEMBER_METADATA, 0, [encode(CONSUMER_GROUP_MEMBER_METADATA, -1, empty)])
    assert [version_lead(result, version) for version, _rows in by_version(result)] == [
        '"version":0,"layout":"3.7","data":'
    ]


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (pa.array([1.5, float("nan"), float("inf"), float("-inf")]), [1.5, "NaN", "Infinity", "-Infinity"]),
        (pa.array([True, None, False]), [True, None, False]),
        (pa.array(["a", None, "a"]).dictionary_encode(), ["a", None, "a"]),
        (pa.array([1, None, 3], pa.int16())[1:], [None, 3]),
        (pa.array(["x", None, "zz"])[1:], [None, "zz"]),
    ],
)
def test_plain_columns(array: pa.Array, expected: list[Any]) -> None:
    """Columns without a layout are written as they are, those that begin inside their buffers too."""
    texts = value_texts(array)
    assert loaded(texts) == expected


@settings(deadline=None)
@given(st.lists(st.none() | st.text() | st.sampled_from(HOSTILE), max_size=9))
def test_strings(values: list[str | None]) -> None:
    """Every text comes back from its JSON, which has nothing in it but printable ASCII."""
    texts = value_texts(pa.array(values, pa.string()))
    assert loaded(texts) == values
    assert all(text.isascii() and text.isprintable() for text in texts.to_pylist() if text is not None)


@pytest.mark.parametrize("code", [*range(0x100), 0x7FF, 0x800, 0xFFFF, 0x10000, 0x10FFFF])
def test_letters_that_need_an_escape(code: int) -> None:
    """What is not printable ASCII has a short escape where there is one, else four small hex digits."""
    short = {0x08: "\\b", 0x09: "\\t", 0x0A: "\\n", 0x0C: "\\f", 0x0D: "\\r", 0x22: '\\"', 0x5C: "\\\\"}
    units = chr(code).encode("utf-16-be").hex()
    long = "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
    expected = short.get(code, chr(code) if 0x20 <= code < 0x7F else long)
    assert value_texts(pa.array([chr(code)])).to_pylist() == [f'"{expected}"']


@settings(deadline=None)
@given(st.lists(st.none() | st.binary(), max_size=9))
def test_base64(values: list[bytes | None]) -> None:
    """Bytes are written as Kafka's converters write them: the plain alphabet, padded."""
    expected = [None if value is None else base64.b64encode(value).decode() for value in values]
    assert loaded(base64_strings(*laid_out(values))) == expected
    assert loaded(value_texts(pa.array(values, pa.binary()))) == expected
