"""Spans as Arrow arrays: gathered, numbered by the distinct ones, and uuids as Kafka prints them."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.errors import LagbookError
from parsers.messages import strings
from parsers.messages.strings import gather, intern, offsets, uuid_texts
from parsers.spans import lengths_of, pack, starts_of

if TYPE_CHECKING:
    from parsers.words import ByteArray, Int64Array


def spans_of(values: list[bytes | None]) -> tuple[ByteArray, Int64Array]:
    """Put values one after the other and give their spans."""
    sizes = np.array([len(value or b"") for value in values], np.int64)
    ends = np.cumsum(sizes) if values else sizes
    is_null = np.array([value is None for value in values], np.bool_)
    return np.frombuffer(b"".join(value or b"" for value in values), np.uint8), pack(
        np.where(is_null, -1, ends - sizes), ends
    )


@settings(max_examples=100, deadline=None)
@given(st.lists(st.none() | st.binary(max_size=20)))
def test_gathered_is_the_values(values: list[bytes | None]) -> None:
    """What was put into a buffer comes back as a column, nulls and empty ones told apart."""
    buffer, spans = spans_of(values)
    column = gather(buffer, spans, pa.binary())
    column.validate(full=True)
    assert column.to_pylist() == values
    assert [start < 0 for start in starts_of(spans)] == [length < 0 for length in lengths_of(spans)]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.none() | st.sampled_from([b"", b"a", b"ab", b"a" * 8, b"a" * 9, b"a" * 17, b"b" * 17, b"\0"])))
def test_interned_spans_are_numbered_as_they_come(values: list[bytes | None]) -> None:
    """Equal bytes have one number, in the order of first sight, and null has none."""
    buffer, spans = spans_of(values)
    codes, distinct = intern(buffer, spans)
    expected = list(dict.fromkeys(value for value in values if value is not None))
    assert gather(buffer, distinct, pa.binary()).to_pylist() == expected
    assert codes.tolist() == [-1 if value is None else expected.index(value) for value in values]


def test_more_distinct_spans_than_the_first_table_holds() -> None:
    """The table grows as often as it must, and loses none."""
    values: list[bytes | None] = [b"%d" % (number % 20_000) for number in range(50_000)]
    codes, distinct = intern(*spans_of(values))
    assert distinct.size == 20_000
    assert codes.tolist() == [number % 20_000 for number in range(50_000)]


def test_equal_hashes_are_told_apart_by_their_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """When every hash is the same, different spans still have different numbers."""
    monkeypatch.setattr(strings, "_MULTIPLIERS", np.zeros(2**13, np.uint64))
    values: list[bytes | None] = [b"%09d" % (number % 300) for number in range(900)]
    assert intern(*spans_of(values))[0].tolist() == [number % 300 for number in range(900)]


@given(st.binary(min_size=16, max_size=16))
def test_uuids_are_written_as_kafka_prints_them(data: bytes) -> None:
    """URL-safe base64 of 22 characters; an empty span is the zero uuid, and null is null."""
    buffer, spans = spans_of([data, b"", None])
    expected = base64.urlsafe_b64encode(data).decode()[:22]
    assert uuid_texts(buffer, spans).to_pylist() == [expected, "A" * 22, None]


def test_a_column_too_large_for_arrow_is_refused() -> None:
    """More than two gigabytes of text in one array is an error that says what to do, and never a wrong offset."""
    with pytest.raises(LagbookError, match=r"4294967294 bytes .* in slices"):
        offsets(np.array([2**31 - 1, 2**31 - 1], np.int64))
