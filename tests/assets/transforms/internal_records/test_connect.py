"""Source offsets of Kafka Connect: what is one, and which of two is further."""

from __future__ import annotations

from typing import Any

import pytest

from assets.transforms.internal_records.connect import (
    SourceKey,
    UnreadableError,
    movement,
    source_key,
    source_offset,
)


def test_a_key_names_connector_and_part_whatever_the_order_of_its_names() -> None:
    """The same part has the same text, so that its records are one history."""
    one = source_key(b'["lines",{"b":1,"a":"x"}]')
    other = source_key(b'["lines", {"a": "x", "b": 1}]')
    assert one == other == SourceKey("lines", '{"a":"x","b":1}')


@pytest.mark.parametrize(
    "key",
    [
        None,
        b"",
        b"\xff",
        b"{}",
        b'["lines"]',
        b'["lines",{},1]',
        b"[1,{}]",
        b'["lines",[]]',
        b'["lines",{"a":NaN}]',
        b'["lines",{"a":' + b"1" * 5000 + b"}]",
        b'["lines",' + b'{"a":' * 100_000,
    ],
)
def test_what_is_no_key_is_unreadable_and_nothing_worse(key: bytes | None) -> None:
    """Any client may write into the topic."""
    with pytest.raises(UnreadableError):
        source_key(key)


def test_half_of_a_character_becomes_one_that_a_table_can_hold() -> None:
    """JSON can name half of a surrogate pair, UTF-8 can't."""
    assert source_key(b'["\\ud800",{"a":"\\udfff"}]') == SourceKey("?", '{"a":"?"}')


def test_an_offset_is_an_object_or_removed() -> None:
    """A tombstone, and the JSON null that a worker may write, remove it."""
    assert source_offset(b'{"position":1}', is_tombstone=False) == {"position": 1}
    assert source_offset(None, is_tombstone=True) is None
    assert source_offset(b"null", is_tombstone=False) is None


@pytest.mark.parametrize("value", [None, b"[1]", b"7", b'"x"', b"{"])
def test_an_offset_that_is_no_object_is_unreadable(value: bytes | None) -> None:
    """A value that was too large to be stored is NULL and no tombstone."""
    with pytest.raises(UnreadableError):
        source_offset(value, is_tombstone=False)


@pytest.mark.parametrize(
    ("before", "now", "kind"),
    [
        (None, {"position": 1}, "first"),
        ({"position": 1}, None, "removed"),
        (None, None, "removed"),
        ({"position": 1}, {"position": 1}, "repeat"),
        ({"position": 1}, {"position": 2}, "advance"),
        ({"position": 2}, {"position": 1.5}, "rewind"),
        ({"file": "a", "position": 2}, {"file": "b", "position": 1}, "changed"),
        ({"x": 1, "y": 2}, {"x": 2, "y": 1}, "changed"),
        ({"x": 1}, {"y": 1}, "changed"),
        ({"x": True}, {"x": False}, "changed"),
        ({"x": [1]}, {"x": [0]}, "changed"),
        ({"x": 10**300}, {"x": 1}, "rewind"),
    ],
)
def test_the_numbers_of_an_offset_say_how_it_moved(
    before: dict[str, Any] | None, now: dict[str, Any] | None, kind: str
) -> None:
    """Where more than numbers changed, or they disagree, nothing tells which is further."""
    assert movement(before, now) == kind
