"""Segments cut for several workers: the slices together give exactly what the whole gives."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.log.slices import split_segment
from tests.parsers.log_writer import Bytes, Walked, read_all, simple_log

if TYPE_CHECKING:
    from random import Random

BATCHES = simple_log(40)
WHOLE = b"".join(BATCHES)
POSITIONS = [sum(map(len, BATCHES[:number])) for number in range(40)]
INDEX = b"".join(struct.pack(">ii", 2 * number + 1, at) for number, at in enumerate(POSITIONS) if number)


def read_slices(content: bytes, index: bytes | None, target_bytes: int, *, bodies: bool = True) -> tuple[Walked, int]:
    """Walk the slices one by one and put what they give together; give also how many there were."""
    cuts = split_segment(Bytes(content), index, target_bytes)
    parts = [read_all(content, start, stop, bodies=bodies) for start, stop in cuts]
    batches = [row for part in parts for row in part.batches]
    records = [row for part in parts for row in part.records]
    quarantine = [row for part in parts for row in part.quarantine]
    torn_bytes = sum(part.torn_bytes for part in parts)
    return Walked(batches, records, quarantine, torn_bytes, parts[-1].end_position), len(parts)


def test_slices_of_a_sound_segment() -> None:
    """The index cuts the segment into stretches of about the wanted size."""
    for bodies in (True, False):
        read, count = read_slices(WHOLE, INDEX, len(WHOLE) // 5, bodies=bodies)
        assert read == read_all(WHOLE, bodies=bodies)
        assert count == 5


def test_no_index() -> None:
    """Without an index, or with an empty one, the file is one stretch."""
    assert split_segment(Bytes(WHOLE), None, 1) == split_segment(Bytes(WHOLE), b"", 1) == [(0, len(WHOLE))]
    assert split_segment(Bytes(b""), None, 1) == [(0, 0)]


def test_preallocated_index() -> None:
    """The zeros behind the entries of an active segment's index are not taken for positions."""
    assert split_segment(Bytes(WHOLE), INDEX[:80] + bytes(800), 1) == split_segment(Bytes(WHOLE), INDEX[:80], 1)


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=400))
def test_lying_index(index: bytes) -> None:
    """Whatever an index says, the slices give what the whole gives."""
    assert read_slices(WHOLE, index, 100)[0] == read_all(WHOLE)


@settings(max_examples=150, deadline=None)
@given(st.randoms(), st.integers(0, 6), st.integers(50, len(WHOLE)))
def test_slices_of_a_damaged_segment(dice: Random, damages: int, target_bytes: int) -> None:
    """Damage gives the same rows, whether the file is walked whole or in slices, and no byte is lost."""
    damaged = bytearray(WHOLE)
    for _ in range(damages):
        at = dice.randrange(len(damaged))
        damaged[at : at + dice.choice([1, 4, 200])] = dice.randbytes(dice.choice([1, 4, 200]))
    content = bytes(damaged[: dice.choice([len(damaged), dice.randrange(len(damaged))])])
    whole = read_all(content)
    assert read_slices(content, INDEX, target_bytes)[0] == whole
    assert whole.accounted_bytes == len(content)
