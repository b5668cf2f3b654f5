"""The search for the next sound batch: checksums from marks, and what is not taken for a batch."""

from __future__ import annotations

import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.log.damage.resync import checksum, marks, next_sound
from tests.parsers import log_writer
from tests.parsers.log_writer import entry, simple_batch

CONTENT = np.random.default_rng(5).bytes(5000)
BUFFER = np.frombuffer(CONTENT, np.uint8)
MARKS = marks(BUFFER)


@settings(deadline=None)
@given(st.integers(0, 5000), st.integers(0, 5000))
def test_checksum_from_marks(one: int, other: int) -> None:
    """The checksum of any stretch follows from the registers at its two ends."""
    start, end = sorted((one, other))
    assert checksum(BUFFER, start, end, MARKS[0]) == zlib.crc32(CONTENT[start:end])
    assert checksum(BUFFER, start, end, MARKS[1]) == log_writer.crc32c(CONTENT[start:end])


@pytest.mark.parametrize("sound", [simple_batch(7), entry(7, b"k", b"v"), entry(7, None, b"v", magic=0)])
@pytest.mark.parametrize("before", [0, 1, 1023, 1024, 3000])
def test_finds_every_format(sound: bytes, before: int) -> None:
    """A sound batch of any magic is found wherever it begins, and not when a bit of it is wrong."""
    damaged = sound[:-1] + bytes([sound[-1] ^ 1])
    for content, expected in ((sound, before), (damaged, before + len(sound))):
        buffer = np.frombuffer(b"\xff" * before + content, np.uint8)
        assert next_sound(buffer, 0, len(buffer), marks(buffer)) == expected


def test_batch_that_does_not_end() -> None:
    """A batch that the buffer cuts is not taken for sound."""
    buffer = np.frombuffer(simple_batch(7)[:-1], np.uint8)
    assert next_sound(buffer, 0, len(buffer), marks(buffer)) == len(buffer)
