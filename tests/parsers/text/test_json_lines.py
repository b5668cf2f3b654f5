"""Keys and values in JSON are read by the layouts, and refused where they don't fit them."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from parsers.layouts.groups.record_types import RECORD_TYPES
from parsers.text.json_lines import key_of, object_of, parse_json, read_key, value_end, with_value
from parsers.text.rows import KeyValue, Unreadable

COMMIT: Final = {"offset": 42, "leaderEpoch": 7, "metadata": "m", "commitTimestamp": 5}
KEY: Final = {"type": "1", "data": {"group": "g", "topic": "t", "partition": 3}}


def commit(**changes: Any) -> KeyValue:  # noqa: ANN401 - what JSON holds
    """Read a commit of version 3 with some fields changed."""
    return with_value(key_of(KEY), {"version": "3", "data": {**COMMIT, **changes}})


def test_type_and_version_may_be_text_or_numbers() -> None:
    """kafka-dump-log prints them as text, the console formatters as numbers; up to 4.0 a type was called version."""
    line = commit()
    assert (line.record_type, line.value_version, line.column) == (1, 3, "offset_commit")
    assert key_of({**KEY, "type": 1}) == key_of({"version": 1, "data": KEY["data"]}) == key_of(KEY)


@pytest.mark.parametrize(
    "changes",
    [
        {"offset": "42"},
        {"offset": 1 << 63},
        {"offset": True},
        {"offset": 4.0},
        {"leaderEpoch": 1 << 31},
        {"metadata": None},
        {"metadata": "\ud800"},
        {"offset": [42]},
    ],
    ids=str,
)
def test_a_field_of_another_type_is_refused(changes: dict[str, Any]) -> None:
    """A number must fit its width, and text must be text."""
    with pytest.raises(Unreadable):
        commit(**changes)


def test_a_missing_field_is_refused_and_a_new_one_told() -> None:
    """A field that the version must have is missed; one that nobody knows leaves the record and a doubt."""
    with pytest.raises(Unreadable):
        with_value(key_of(KEY), {"version": "3", "data": {"offset": 42}})
    line = commit(colour="red")
    assert line.value is not None
    assert line.doubt is not None
    assert line.doubt.actual == "'colour'"


def test_an_unknown_type_or_version_is_a_doubt() -> None:
    """What a newer Kafka wrote is there, but not read."""
    assert key_of({"type": "77", "data": {"a": 1}}).doubt is not None
    line = with_value(key_of(KEY), {"version": 9, "data": "unknown"})
    assert (line.value_version, line.column) == (9, None)
    assert line.doubt is not None
    assert with_value(key_of({"type": "77", "data": {}}), {"version": 1, "data": {}}).value_version == 1


@pytest.mark.parametrize("value", [[], 5, {}, {"type": 1}, {"type": 1, "data": {}, "x": 1}, {"type": "x", "data": {}}])
def test_what_is_no_key_is_refused(value: Any) -> None:  # noqa: ANN401
    """A key is an object of a type and its fields."""
    with pytest.raises(Unreadable):
        key_of(value)


def test_bytes_are_base64() -> None:
    """Bytes that no tool opened stand in base64, and nothing else is taken for bytes."""
    member = {
        "memberId": "m",
        "groupInstanceId": None,
        "clientId": "c",
        "clientHost": "h",
        "rebalanceTimeout": 1,
        "sessionTimeout": 2,
        "subscription": "AAE=",
        "assignment": "",
    }
    group = {"protocolType": "p", "generation": 1, "protocol": None, "leader": None, "currentStateTimestamp": 1}
    key = key_of({"type": 2, "data": {"group": "g"}})
    line = with_value(key, {"version": 3, "data": {**group, "members": [member]}})
    assert line.value is not None
    assert line.value["members"][0]["subscription"] == b"\0\1"
    for wrong in ("AAE", "A*E=", "AAE=\n", 5, "é"):
        with pytest.raises(Unreadable):
            with_value(key, {"version": 3, "data": {**group, "members": [{**member, "subscription": wrong}]}})


def test_every_record_type_has_a_reader() -> None:
    """No record type is left out: its empty tombstone is read."""
    names = {"group_id", "member_id", "regular_expression", "topic", "partition"}
    for row in RECORD_TYPES:
        data = {"group": "g", "topic": "t", "partition": 0} if row.id < 2 else {"groupId": "g"}
        data = {"group": "g"} if row.id == 2 else data
        members = {"memberId": "m"} if row.id in {5, 7, 8, 10, 13, 14, 19, 21, 22} else {}
        expression = {"regularExpression": "a.*"} if row.id == 16 else {}
        line = with_value(key_of({"type": str(row.id), "data": {**data, **members, **expression}}), None)
        assert (line.record_type, line.is_tombstone, line.doubt) == (row.id, True, None)
        assert line.key.keys() <= names


def test_json_fills_its_text() -> None:
    """Nothing stands behind a value, and where one ends is told in bytes."""
    assert parse_json(b' {"a":1} ') == {"a": 1}
    assert object_of({"b": 2, "a": 1}, "a", "b") == [1, 2]
    assert value_end('{"é":"}"} payload: '.encode()) == len('{"é":"}"}'.encode())
    for raw in (b'{"a":1}x', b"", b"{", b'"\xff"', b"[" * 100_000):
        with pytest.raises(Unreadable):
            parse_json(raw)


def test_keys_are_remembered() -> None:
    """A key that comes again is the same object, unless it is so large that remembering it would cost."""
    raw = json.dumps(KEY).encode()
    assert read_key(raw) is read_key(raw)
    large = json.dumps({"type": "2", "data": {"group": "x" * 600}}).encode()
    assert read_key(large) == read_key(large)
    assert read_key(large) is not read_key(large)
