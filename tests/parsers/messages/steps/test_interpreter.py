"""Hostile bytes: whatever a record holds, nothing is raised, nothing outside its span is read, memory is bounded."""

from __future__ import annotations

import tracemalloc
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.layouts.groups.consumer_group import (
    CONSUMER_GROUP_METADATA,
    CONSUMER_GROUP_REGULAR_EXPRESSION,
    CONSUMER_GROUP_TARGET_ASSIGNMENT_MEMBER,
)
from parsers.layouts.groups.group_metadata import GROUP_METADATA
from parsers.layouts.groups.offset_commit import OFFSET_COMMIT
from parsers.layouts.groups.record_types import RECORD_TYPES
from parsers.layouts.groups.streams_group import STREAMS_GROUP_MEMBER_METADATA
from parsers.messages.decode import decode
from parsers.messages.reasons import Reason
from parsers.messages.steps.interpreter import run_rows
from parsers.messages.steps.program import compile_layout, least_bytes
from parsers.wire import Layout, Wire
from tests.parsers.encode import encode, uvarint
from tests.parsers.golden import Vector, record_vectors
from tests.parsers.made_messages import VERSIONED, decoded, name_of, rows, structs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parsers.messages.steps.tree import Node

VALUES: Final = {f"{row.name}Value": row.value for row in RECORD_TYPES}
GOLDEN_VALUES: Final = [vector for vector in record_vectors() if vector.message in VALUES]

REASONABLE: Final = 60
"""Bytes of memory that a byte of a message may cost."""


def same_in_other_surroundings(layout: Layout, version: int, message: bytes) -> None:
    """Decode a message between other bytes; what comes of it may not depend on them."""
    outcomes = []
    for around in (b"\x00" * 40, b"\xff" * 40, b"\x01" * 40):
        buffer = np.frombuffer(around + message + around, np.uint8)
        start = np.array([40], np.int64)
        result = decode(layout, buffer, start, start + len(message), version)
        result.columns.validate(full=True)
        outcomes.append((result.columns.to_pylist(), result.error.tolist(), result.left_over_bytes.tolist()))
    assert outcomes[0] == outcomes[1] == outcomes[2]


@pytest.mark.parametrize("vector", GOLDEN_VALUES, ids=lambda vector: vector.name)
def test_every_truncation_is_a_row_with_a_reason(vector: Vector) -> None:
    """A golden value cut at any byte is an error row, though its missing bytes stand right behind it."""
    layout, version = VALUES[vector.message], int.from_bytes(vector.data[:2], "big")
    buffer = np.frombuffer(vector.data, np.uint8)
    ends = np.arange(2, len(vector.data), dtype=np.int64)
    result = decode(layout, buffer, np.full(ends.size, 2, np.int64), ends, version)
    result.columns.validate(full=True)
    if not layout.drafts:
        assert (result.error != 0).all()
        assert result.columns.null_count == ends.size
    assert (result.error_at <= ends).all()


@pytest.mark.parametrize("vector", GOLDEN_VALUES, ids=lambda vector: vector.name)
def test_every_bit_flip_is_read_or_refused(vector: Vector) -> None:
    """One flipped bit anywhere gives a sound column, and the same one whatever stands around the value."""
    layout, version = VALUES[vector.message], int.from_bytes(vector.data[:2], "big")
    flipped = []
    for bit in range(8 * (len(vector.data) - 2)):
        data = bytearray(vector.data[2:])
        data[bit // 8] ^= 1 << bit % 8
        flipped.append(bytes(data))
    decoded(layout, version, flipped)
    for one in flipped[::29]:
        same_in_other_surroundings(layout, version, one)


@pytest.mark.parametrize(("layout", "version"), VERSIONED, ids=name_of)
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_any_bytes_are_read_or_refused(layout: Layout, version: int, data: st.DataObject) -> None:
    """Random bytes, alone and behind a sound beginning, never raise and never look outside."""
    noise = data.draw(st.binary(max_size=60))
    sound = encode(layout, version, data.draw(structs(layout.fields_of(version))))
    cut = data.draw(st.integers(0, len(sound)))
    same_in_other_surroundings(layout, version, noise)
    same_in_other_surroundings(layout, version, sound[:cut] + noise)


@pytest.mark.parametrize(
    ("layout", "version", "message"),
    [
        (GROUP_METADATA, 0, b"\0\0" + bytes(4) + b"\xff\xff" * 2 + (10**9).to_bytes(4, "big") + bytes(50)),
        (GROUP_METADATA, 0, b"\0\0" + bytes(4) + b"\xff\xff" * 2 + b"\x7f\xff\xff\xff" + bytes(50)),
        (GROUP_METADATA, 4, b"\1" + bytes(14) + uvarint(10**9 + 1) + bytes(50)),
        (CONSUMER_GROUP_REGULAR_EXPRESSION, 0, b"\xff\xff\xff\xff\x0f" + bytes(50)),
        (CONSUMER_GROUP_TARGET_ASSIGNMENT_MEMBER, 0, uvarint(2) + bytes(16) + uvarint(10**9) + bytes(50)),
        (CONSUMER_GROUP_METADATA, 0, bytes(4) + uvarint(10**9) + bytes(50)),
    ],
)
def test_huge_counts_are_refused_at_once(layout: Layout, version: int, message: bytes) -> None:
    """A count that its bytes can't hold is refused where it stands, and nothing is reserved for it."""
    decoded(layout, version, [message])
    tracemalloc.start()
    result = decoded(layout, version, [message])
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert result.error.tolist() == [Reason.COUNT_PAST_END]
    assert peak_bytes < 2**20


def _arrays(nodes: tuple[Node, ...]) -> Iterator[Node]:
    for node in nodes:
        yield from [node] if node.field.array else []
        yield from _arrays(node.children)


@pytest.mark.parametrize(("layout", "version"), VERSIONED, ids=name_of)
def test_every_element_takes_a_byte(layout: Layout, version: int) -> None:
    """No array of any layout has elements of no size, so a count is bounded by the bytes that follow it."""
    for array in _arrays(compile_layout(layout).tree.nodes):
        if version in array.field.versions:
            flexible = version in layout.flexible
            element = array.children[0]
            is_there = element.field.wire is not Wire.STRUCT or any(
                version in c.field.versions for c in element.children
            )
            assert not is_there or least_bytes(element, version, flexible=flexible) >= 1


def test_memory_grows_with_the_bytes_alone() -> None:
    """A message full of the smallest elements costs a bounded multiple of its size."""
    count = 200_000
    message = uvarint(count + 1) + b"\1" * count + bytes(16) + b"\0"
    decoded(CONSUMER_GROUP_REGULAR_EXPRESSION, 0, [message])
    tracemalloc.start()
    result = decoded(CONSUMER_GROUP_REGULAR_EXPRESSION, 0, [message])
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert result.error.tolist() == [0]
    assert peak_bytes < REASONABLE * len(message)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\xff\xff\xff\xff\xff\x01" + bytes(20), Reason.BAD_VARINT),
        (b"\x80\x80\x80\x80\x80\x80\x00" + bytes(20), Reason.BAD_VARINT),
        (b"\x80\x80\x80\x80\x10" + bytes(20), Reason.BAD_VARINT),
        (b"\x80\x80", Reason.CUT_SHORT),
        (b"\xff\xff\xff\xff\x0f" + bytes(20), Reason.LENGTH_PAST_END),
        (b"\x00" + bytes(20), Reason.UNEXPECTED_NULL),
        (b"\x02\xff" + bytes(20), Reason.NOT_UTF8),
    ],
)
def test_bad_compact_lengths_say_what_is_wrong(data: bytes, reason: Reason) -> None:
    """Varints of six bytes or more than 32 bits, lengths past the end, nulls where none may be: each has its reason."""
    result = decoded(OFFSET_COMMIT, 4, [bytes(12) + data])
    assert result.error.tolist() == [reason]
    assert result.field(0) == "metadata"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\xff\xfe", Reason.NEGATIVE_LENGTH),
        (b"\x80\x00", Reason.NEGATIVE_LENGTH),
        (b"\xff\xff", Reason.UNEXPECTED_NULL),
        (b"\x7f\xff", Reason.LENGTH_PAST_END),
        (b"\x00\x01\xc0", Reason.NOT_UTF8),
        (b"\x00", Reason.CUT_SHORT),
    ],
)
def test_bad_lengths_say_what_is_wrong(data: bytes, reason: Reason) -> None:
    """Negative lengths, lengths past the end, nulls where none may be: each has its reason."""
    assert decoded(OFFSET_COMMIT, 0, [bytes(8) + data]).error.tolist() == [reason]


@pytest.mark.parametrize(
    ("tags", "reason"),
    [
        (b"\1\0\x07" + bytes(7), Reason.CUT_SHORT),
        (b"\1\0\x09" + bytes(9), Reason.TAG_SIZE),
        (b"\1\0\x08" + bytes(7), Reason.LENGTH_PAST_END),
        (b"\5\0\x08" + bytes(5), Reason.COUNT_PAST_END),
        (b"\2\0\x08" + bytes(8), Reason.CUT_SHORT),
        (b"", Reason.CUT_SHORT),
    ],
)
def test_bad_tagged_sections_say_what_is_wrong(tags: bytes, reason: Reason) -> None:
    """A tagged field must fill the size it states, and the section must hold what it counts."""
    assert decoded(CONSUMER_GROUP_METADATA, 0, [bytes(4) + tags]).error.tolist() == [reason]


def test_marks_of_nullable_structs_are_taken_as_kafka_takes_them() -> None:
    """Any negative mark is null and any other is not; a mark that is cut off has a reason."""
    head = b"\0\0\2c\2h" + bytes(8) + b"\2p"
    messages = [head + mark for mark in (b"\xff\1\0", b"\x80\1\0", b"\1\2h\0\7\0\1\0", b"\0\2h\0\7\0\1\0", b"")]
    result = decoded(STREAMS_GROUP_MEMBER_METADATA, 0, messages)
    assert result.error.tolist() == [0, 0, 0, 0, Reason.CUT_SHORT]
    assert [row and row["user_endpoint"] for row in rows(result)] == [None, None, *[{"host": "h", "port": 7}] * 2, None]


def test_a_bad_row_costs_only_itself() -> None:
    """Between rows that can't be read, after some of their elements were, the others keep their own elements."""
    good = {"protocol_type": "p", "generation": 1, "protocol": None, "leader": None, "current_state_timestamp": 0}
    member = dict.fromkeys(("member_id", "group_instance_id", "client_id", "client_host"), "x")
    member |= {"rebalance_timeout": 1, "session_timeout": 2, "subscription": b"s", "assignment": b"a"}  # type: ignore[dict-item]
    whole = encode(GROUP_METADATA, 3, good | {"members": [member, member]})
    result = decoded(GROUP_METADATA, 3, [whole, whole[:-1], whole, b"", None, whole[:-20], whole])
    assert [bool(code) for code in result.error] == [False, True, False, True, False, True, False]
    assert [row and len(row["members"]) for row in rows(result)] == [2, None, 2, None, None, None, 2]


def test_loops_are_compiled_once_whatever_the_arrays_are() -> None:
    """Read-only, strided and writable arrays are given to one compiled loop: the next one would take seconds."""
    buffer = np.frombuffer(bytes(64), np.uint8)
    starts, ends = np.zeros(4, np.int64), np.full(4, 18, np.int64)
    decode(OFFSET_COMMIT, buffer, starts[::2], ends[::2], 2)
    decode(OFFSET_COMMIT, buffer.copy(), starts, ends, np.zeros(8, np.int16)[::2])
    assert len(cast("Any", run_rows).signatures) == 1


def test_spans_outside_the_buffer_are_refused() -> None:
    """Spans are the caller's to get right; one that ends outside the buffer is an error, not a read."""
    with pytest.raises(ValueError, match="span 1 ends at 65, but the buffer has 64 bytes"):
        decode(OFFSET_COMMIT, np.zeros(64, np.uint8), np.zeros(2, np.int64), np.array([64, 65]), 2)
