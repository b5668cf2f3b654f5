"""Objects, lists and numbers put together for many rows at once, against what json reads of them."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.dump.json_pieces import (
    LINE_FRAME,
    Objects,
    Pair,
    Room,
    Texts,
    collected,
    lists,
    named,
    numbers,
    objects,
    words,
)

INT64 = st.integers(-(2**63), 2**63 - 1)


def loaded(texts: Texts) -> list[Any]:
    """Read the text of every row."""
    return [json.loads(texts.to_bytes(row)) for row in range(len(texts))]


@settings(deadline=None)
@given(st.lists(INT64 | st.sampled_from([0, 9, 10, 99, 100, -1, -10, 10**18, -(10**18), 2**63 - 1, -(2**63)])))
def test_numbers(values: list[int]) -> None:
    """Every int64 is written with its digits and no others."""
    texts = numbers(np.array(values, np.int64))
    assert [texts.to_bytes(row).decode() for row in range(len(texts))] == [str(value) for value in values]


@settings(deadline=None)
@given(st.lists(st.tuples(INT64, st.booleans(), st.booleans(), st.sampled_from(["a", "bb"])), max_size=20))
def test_objects(rows: list[tuple[int, bool, bool, str]]) -> None:
    """A number may be null, a pair may be missing, and commas stand between pairs alone."""
    values, is_valid, is_present, letters = zip(*rows, strict=True) if rows else ((), (), (), ())
    texts = words([json.dumps(letter).encode() for letter in letters])
    present = np.array(is_present, np.bool_)
    pairs = [
        named("text", texts, is_present=present),
        named("number", np.array(values, np.int64), is_valid=np.array(is_valid, np.bool_)),
    ]
    expected = [
        ({"text": text} if has else {}) | {"number": value if valid else None} for value, valid, has, text in rows
    ]
    assert loaded(objects(pairs, len(rows))) == expected


@pytest.mark.parametrize("count", [1, 255, 256, 1000])
def test_constants_are_written_in_every_row(count: int) -> None:
    """What is the same in all rows is written all the same, wherever it stands among the pairs."""
    rows = np.arange(count)
    same, others = np.full(count, 7), rows * 3
    never, always, some = np.zeros(count, np.bool_), np.ones(count, np.bool_), rows % 2 == 0
    pairs = [
        named("first", same),
        named("row", rows),
        named("null", same, is_valid=never),
        named("some", others, is_present=some),
        named("never", others, is_present=never),
        named("always", others, is_present=always),
        named("text", words([b'"x"']).take(np.zeros(count, np.int64))),
    ]
    found = loaded(objects(pairs, count))
    assert found == [
        {"first": 7, "row": row, "null": None, "always": 3 * row, "text": "x"} | ({} if row % 2 else {"some": 3 * row})
        for row in range(count)
    ]


def test_frames_and_rooms() -> None:
    """Lines follow each other without a gap, and a room is used again for the next ones."""
    room = Room()
    first = Objects([named("a", np.array([10, 2]))], 2).write(0, 2, LINE_FRAME, room)
    assert first.data.tobytes() == b'{"a":10}\n{"a":2}\n'
    second = Objects([Pair(b'"b":{"c":', np.array([3]))], 1).write(0, 1, (b"{", b"}}\n"), room)
    assert second.data.tobytes() == b'{"b":{"c":3}}\n'
    assert np.shares_memory(first.data, second.data)


def test_lists_and_collections() -> None:
    """Lists take the elements between two edges; rows of several parts come together in their order."""
    elements = collected(4, [(np.array([0, 3]), numbers(np.array([1, 4]))), (np.array([1]), words([b'"two"']))])
    assert loaded(elements) == [1, "two", None, 4]
    assert loaded(lists(np.array([0, 2, 2, 4]), elements)) == [[1, "two"], [], [None, 4]]
    assert loaded(elements.take(np.array([3, -1, 0]))) == [4, None, 1]
    assert loaded(objects([], 2)) == [{}, {}]
