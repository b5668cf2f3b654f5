"""Objects, lists and collections put together for many rows at once, against what json reads of them."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.dump.json_lines.objects import (
    LINE_FRAME,
    TEXT,
    Pair,
    Texts,
    bytes_of,
    collect,
    lists,
    null_where,
    objects,
    pair_of,
)
from parsers.dump.json_lines.values import numbers

INT64 = st.integers(-(2**63), 2**63 - 1)


def loaded(texts: Texts) -> list[Any]:
    """Read the text of every row."""
    return [None if text is None else json.loads(text) for text in texts.to_pylist()]


@settings(deadline=None)
@given(st.lists(st.tuples(INT64, st.booleans(), st.booleans(), st.sampled_from([None, "a", "bb"])), max_size=20))
def test_pairs_that_are_null_or_missing(rows: list[tuple[int, bool, bool, str | None]]) -> None:
    """A number may be null, a pair may be missing, and commas stand between pairs alone."""
    values, is_null, is_present, letters = zip(*rows, strict=True) if rows else ((), (), (), ())
    texts = pa.array([letter and json.dumps(letter) for letter in letters], TEXT)
    pairs = [
        pair_of("text", texts, is_present=np.array(is_present, np.bool_)),
        pair_of("number", numbers(np.array(values, np.int64), np.array(is_null, np.bool_))),
    ]
    expected: list[dict[str, Any]] = [
        ({"text": text} if has else {}) | {"number": None if null else value} for value, null, has, text in rows
    ]
    assert loaded(objects(pairs, len(rows))) == expected


def test_rows_that_lack_every_pair() -> None:
    """A row without any pair is an empty object among the others."""
    pairs = [
        pair_of("one", numbers(np.arange(3)), is_present=np.array([False, True, False])),
        pair_of("two", numbers(np.arange(3)), is_present=np.array([False, True, True])),
    ]
    assert objects(pairs, 3).to_pylist() == ["{}", '{"one":1,"two":1}', '{"two":2}']
    assert objects(pairs[:1], 3).to_pylist() == ["{}", '{"one":1}', "{}"]


def test_pairs_stay_in_their_order() -> None:
    """Pairs that some rows lack stand between those that all rows have."""
    rows = np.arange(4)
    never, some = np.zeros(4, np.bool_), rows % 2 == 0
    pairs = [
        pair_of("first", numbers(rows)),
        pair_of("some", numbers(rows * 3), is_present=some),
        pair_of("never", numbers(rows), is_present=never),
        pair_of("null", numbers(rows, ~never)),
        pair_of("last", numbers(rows * 5), is_present=~some),
    ]
    assert objects(pairs, 4).to_pylist() == [
        '{"first":0,"some":0,"null":null}',
        '{"first":1,"null":null,"last":5}',
        '{"first":2,"some":6,"null":null}',
        '{"first":3,"null":null,"last":15}',
    ]


def test_frames() -> None:
    """Lines follow each other without a gap; without pairs there is the frame alone."""
    data, edges = bytes_of(objects([pair_of("a", numbers(np.array([10, 2])))], 2, LINE_FRAME))
    assert data[edges[0] : edges[-1]].tobytes() == b'{"a":10}\n{"a":2}\n'
    assert objects([Pair('"b":{"c":', numbers(np.array([3])))], 1, ("{", "}}")).to_pylist() == ['{"b":{"c":3}}']
    assert objects([], 2).to_pylist() == ["{}", "{}"]


def test_lists_and_collections() -> None:
    """Lists take the elements between two edges; rows of several parts come together in their order."""
    elements = collect(4, [(np.array([0, 3]), numbers(np.array([1, 4]))), (np.array([1]), pa.array(['"two"'], TEXT))])
    assert loaded(elements) == [1, "two", None, 4]
    assert loaded(lists(pa.array([0, 2, 2, 4], pa.int32()), elements)) == [[1, "two"], [], [None, 4]]
    assert loaded(collect(2, [])) == [None, None]


def test_null_where_keeps_what_was_null_and_where_a_column_begins() -> None:
    """Rows become null beside those that are, in a column that begins inside its buffers too."""
    texts = pa.array(["0", "1", None, "3"], TEXT)[1:]
    assert null_where(texts, np.array([False, False, True])).to_pylist() == ["1", None, None]
