"""Records of magic 2: what is written is read, and what lies about itself costs itself."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.parsers.log_writer import TIME_MS, batch, read_all, record, sized, varint

GOOD = record(0, b"k0", b"v0")
LAST = record(2, b"k2", b"v2")
FIELD = st.none() | st.binary(max_size=200)
HEADERS = st.lists(st.tuples(st.binary(max_size=5), st.none() | st.binary(max_size=5)), max_size=3)
WRITTEN = st.tuples(FIELD, FIELD, st.integers(-(2**40), 2**40), HEADERS)


def framed(fields: bytes) -> bytes:
    """Put a record's length before its fields."""
    return varint(len(fields)) + fields


@settings(deadline=None)
@given(st.lists(WRITTEN, max_size=8), st.integers(0, 2**60))
def test_what_is_written_is_read(written: list[tuple[Any, Any, int, Any]], base_offset: int) -> None:
    """Offsets, timestamps, keys and values come back, nulls and headers and all."""
    records = [
        record(delta, key, value, time_delta_ms=later, headers=headers)
        for delta, (key, value, later, headers) in enumerate(written)
    ]
    expected = [(base_offset + delta, TIME_MS + one[2], one[0], one[1]) for delta, one in enumerate(written)]
    walked = read_all(batch(base_offset, records))
    assert (walked.records, walked.quarantine) == (expected, [])


def test_log_append_time() -> None:
    """When the broker set the time, every record has the batch's largest timestamp."""
    walked = read_all(batch(0, [GOOD, record(1, None, None)], attributes=0x08, times=(5, 9)))
    assert [ms for _at, ms, _key, _value in walked.records] == [9, 9]


def test_gaps_of_compaction() -> None:
    """Offsets that the cleaner took out are missing, the others stay."""
    walked = read_all(batch(100, [GOOD, LAST], last_delta=7))
    assert [at for at, *_rest in walked.records] == [100, 102]
    assert walked.batches[0]["last_offset"] == 107


# What stands between two good records, and the reason it is set aside for.
BROKEN = {
    "attributes only": (framed(b"\0"), "record fields"),
    "nothing": (framed(b""), "record fields"),
    "key beyond the record": (framed(b"\0\0\2" + varint(50) + b"k"), "record fields"),
    "key length -2": (framed(b"\0\0\2" + varint(-2) + sized(b"v") + b"\0"), "record fields"),
    "a byte left over": (framed(b"\0\0\2" + sized(b"k") + sized(b"v") + b"\0" + b"x"), "record fields"),
    "10^9 headers": (framed(b"\0\0\2" + sized(b"k") + sized(b"v") + varint(10**9)), "record fields"),
    "header without a name": (framed(b"\0\0\2" + sized(b"k") + sized(b"v") + varint(1) + b"\1\1"), "record fields"),
    "varint of six bytes": (framed(b"\0\0" + b"\x80" * 5 + b"\1" + sized(b"k") + sized(b"v") + b"\0"), "record fields"),
    "offset twice": (record(0, b"k", b"v"), "record offset"),
    "offset beyond the batch": (record(3, b"k", b"v"), "record offset"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_record_costs_itself(name: str) -> None:
    """A record that its length ends but whose fields lie is set aside; those around it are read."""
    broken, reason = BROKEN[name]
    walked = read_all(batch(10, [GOOD, broken, LAST]))
    (row,) = walked.quarantine
    assert (row["reason"], row["bytes"], row["position"]) == (reason, broken, 61 + len(GOOD))
    assert [at for at, *_rest in walked.records] == [10, 12]


@pytest.mark.parametrize("length", [-1, 60, 2**31 - 1, -(2**31)])
def test_broken_length_costs_the_rest(length: int) -> None:
    """Behind a record that does not say where it ends, nothing of the batch can be read."""
    rest = varint(length) + b"\0\0\2" + LAST
    walked = read_all(batch(0, [GOOD, rest]) + batch(2, [GOOD]))
    assert [(row["reason"], row["bytes"]) for row in walked.quarantine] == [("record length", rest)]
    assert [at for at, *_rest in walked.records] == [0, 2]


@pytest.mark.parametrize("count", [1, 4, 10**9, 2**31 - 1])
def test_announced_count(count: int) -> None:
    """A header that announces other records than there are is reported, and nothing is allocated for them."""
    walked = read_all(batch(0, [GOOD, record(1, None, b"v"), LAST], count=count, last_delta=2))
    assert len(walked.records) == min(count, 3)
    assert [row["reason"] for row in walked.quarantine] == ["record count"]


def test_many_broken_records() -> None:
    """A batch of broken records fills a bounded number of rows; the last one holds the rest."""
    walked = read_all(batch(0, [framed(b"\0")] * 1000))
    assert len(walked.quarantine) == 17
    assert sum(row["size_bytes"] for row in walked.quarantine) == 2000


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=200), st.integers(0, 2**31 - 1), st.integers(0, 2**31 - 1))
def test_any_body(body: bytes, count: int, last_delta: int) -> None:
    """No body crashes the reader, and what is read from it lies inside it."""
    walked = read_all(batch(0, [], body=body, count=count, last_delta=last_delta))
    assert len(walked.batches) == 1
    assert len(walked.records) <= len(body) // 7
    assert all(0 <= at <= last_delta for at, *_rest in walked.records)
