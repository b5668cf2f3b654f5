"""Keys and values of the offsets topic straight from their bytes, against what the columns give."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.dump import json_offsets
from parsers.dump.json_interpreter import LARGEST_RECORD_BYTES
from parsers.dump.json_offsets import offset_contents
from parsers.dump.json_topics import offset_contents as column_contents
from parsers.layouts.consumer_protocol import ASSIGNMENT, SUBSCRIPTION
from parsers.layouts.group_metadata import GROUP_METADATA
from parsers.layouts.offset_commit import OFFSET_COMMIT
from parsers.layouts.offsets_key import OFFSETS_KEY
from parsers.layouts.record_types import RECORD_TYPES
from tests.parsers.encode import encode
from tests.parsers.made_messages import laid_out, structs

if TYPE_CHECKING:
    from parsers.dump.json_contents import Contents, Edges
    from parsers.words import ByteArray

Record = tuple[bytes | None, bytes | None]

COMMIT_KEY: Final = {"group_id": "g", "topic": "t", "partition": 0}
MEMBER: Final = {
    "member_id": "m",
    "group_instance_id": None,
    "client_id": "c",
    "client_host": "/h",
    "rebalance_timeout": 1,
    "session_timeout": 2,
    "subscription": b"",
    "assignment": b"",
}
GROUP: Final = {
    "protocol_type": "consumer",
    "generation": 1,
    "protocol": "range",
    "leader": None,
    "current_state_timestamp": 5,
}


def message(layout: Any, version: int, values: dict[str, Any]) -> bytes:  # noqa: ANN401 - a layout
    """Write a message behind its version."""
    return version.to_bytes(2, "big") + encode(layout, version, values)


def shown(records: list[Record], write: Any) -> list[tuple[bytes, bytes]]:  # noqa: ANN401 - a writer
    """Give the texts of keys and values."""
    buffer, starts, ends = laid_out([part for record in records for part in record])
    contents: Contents = write(buffer, (starts[::2], ends[::2]), (starts[1::2], ends[1::2]))
    return [(contents.keys.to_bytes(row), contents.values.to_bytes(row)) for row in range(len(records))]


def no_columns(_buffer: ByteArray, _keys: Edges, _values: Edges) -> Contents:
    """Stand for the writer of columns where it must not be needed."""
    raise AssertionError("a record was not written straight")


@st.composite
def records(draw: st.DrawFn) -> Record:
    """Draw a record of any type and version, its members opened or not."""
    row = draw(st.sampled_from(RECORD_TYPES))
    key = message(OFFSETS_KEY, row.id, draw(structs(OFFSETS_KEY.fields_of(row.id))))
    if draw(st.integers(0, 4)) == 0:
        return key, None
    version = draw(st.sampled_from(list(row.value.versions)))
    values = draw(structs(row.value.fields_of(version)))
    if row.value is GROUP_METADATA and draw(st.booleans()):
        values |= {"protocol_type": "consumer"}
        for member in values["members"]:
            for name, layout in (("subscription", SUBSCRIPTION), ("assignment", ASSIGNMENT)):
                own = draw(st.sampled_from(list(layout.versions)))
                member[name] = message(layout, own, draw(structs(layout.fields_of(own))))
    return key, message(row.value, version, values)


@st.composite
def damaged(draw: st.DrawFn) -> Record:
    """Draw a record, and change, cut or lengthen it where it hurts."""
    parts = list(draw(records()))
    for place in draw(st.lists(st.integers(0, 1), max_size=2)):
        part = parts[place]
        if part:
            at = draw(st.integers(0, len(part) - 1))
            byte = draw(st.sampled_from(b"\x00\x01\x10\x1f\x20\x22\x5c\x7f\x80\xc3\xff"))
            forms = (part[:at], part + bytes([byte]), part[:at] + bytes([byte]) + part[at + 1 :])
            parts[place] = draw(st.sampled_from(forms))
    return parts[0], parts[1]


@settings(deadline=None, max_examples=300)
@given(st.lists(records() | damaged(), max_size=6))
def test_both_ways_write_the_same(some: list[Record]) -> None:
    """Whatever stands in the bytes, nobody can tell by the text which way a record went."""
    assert shown(some, offset_contents) == shown(some, column_contents)


@pytest.mark.parametrize("version", OFFSET_COMMIT.versions)
def test_commits_need_no_columns(version: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every version of a commit is written straight, with the largest numbers and without a topic id."""
    monkeypatch.setattr(json_offsets, "_column_contents", no_columns)
    values = {
        "offset": -(2**63),
        "leader_epoch": -(2**31),
        "metadata": "a/b",
        "commit_timestamp": 2**63 - 1,
        "expire_timestamp": 10**18,
        "topic_id": "950cELHVS1yG9r7X3rmIXg",
    }
    key = message(OFFSETS_KEY, 1, COMMIT_KEY | {"partition": 2**31 - 1})
    ((key_text, value_text),) = shown([(key, message(OFFSET_COMMIT, version, values))], offset_contents)
    assert json.loads(key_text) == {"type": 1, "data": {"group": "g", "topic": "t", "partition": 2**31 - 1}}
    written = json.loads(value_text)["data"]
    assert written["offset"] == -(2**63)
    assert written.get("topicId", values["topic_id"]) == values["topic_id"]


def test_groups_of_consumers_need_no_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """What members said is opened on the way; what is empty stays empty."""
    monkeypatch.setattr(json_offsets, "_column_contents", no_columns)
    subscription = {
        "topics": ["a", "longer-than-a-word"],
        "user_data": b"\xff\x00",
        "owned_partitions": [{"topic": "a", "partitions": [0, -1]}, {"topic": "b", "partitions": []}],
        "generation_id": 7,
        "rack_id": None,
    }
    member = MEMBER | {"subscription": message(SUBSCRIPTION, 3, subscription)}
    value = message(GROUP_METADATA, 3, GROUP | {"members": [member, MEMBER]})
    ((_key, text),) = shown([(message(OFFSETS_KEY, 2, {"group_id": "g"}), value)], offset_contents)
    first, second = json.loads(text)["data"]["members"]
    assert first["subscription"] == {
        "topics": ["a", "longer-than-a-word"],
        "userData": base64.b64encode(b"\xff\x00").decode(),
        "ownedPartitions": [{"topic": "a", "partitions": [0, -1]}, {"topic": "b", "partitions": []}],
        "generationId": 7,
        "rackId": None,
    }
    assert second["subscription"] == second["assignment"] == ""


@pytest.mark.parametrize("letter", ['"', "\\", "\x00", "\x1f", "\x7f", "é", "\U0001f600"])
@pytest.mark.parametrize("length", [1, 7, 8, 9, 16, 40])
def test_no_place_of_a_text_goes_unescaped(letter: str, length: int) -> None:
    """A letter that needs an escape is seen wherever it stands in a short or a long text."""
    texts = ["a" * at + letter + "a" * (length - at - 1) for at in range(length)]
    some: list[Record] = [(message(OFFSETS_KEY, 2, {"group_id": text}), None) for text in texts]
    written = shown(some, offset_contents)
    assert [json.loads(key)["data"]["group"] for key, _value in written] == texts
    assert all(key.decode("ascii").isprintable() for key, _value in written)


def test_room_grows_for_what_takes_more_than_its_bytes() -> None:
    """Members without names take thirty times their bytes as JSON, and large messages are written all the same."""
    empty = MEMBER | {"member_id": "", "client_id": "", "client_host": ""}
    fits = message(GROUP_METADATA, 3, GROUP | {"members": [empty] * 2000})
    too_large = message(GROUP_METADATA, 3, GROUP | {"members": [empty] * 4000})
    assert len(fits) < LARGEST_RECORD_BYTES < len(too_large)
    key = message(OFFSETS_KEY, 2, {"group_id": "g"})
    some: list[Record] = [(key, fits), (key, too_large), (key, fits), (None, b"\x00"), (key, None)]
    assert shown(some, offset_contents) == shown(some, column_contents)


def test_no_records() -> None:
    """Nothing is written of nothing."""
    nothing = np.zeros(0, np.int64)
    contents = offset_contents(np.zeros(0, np.uint8), (nothing, nothing), (nothing, nothing))
    assert len(contents.keys) == len(contents.values) == contents.trouble_count == 0
