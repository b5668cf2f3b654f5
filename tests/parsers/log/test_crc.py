"""The two checksums, against plain ones, whatever the length and the alignment."""

from __future__ import annotations

import zlib

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.log.crc import CASTAGNOLI_TABLES, advance_by_tables, crc32, crc32c
from tests.parsers import log_writer

CHECK = np.frombuffer(b"123456789", np.uint8)


def test_check_values() -> None:
    """The check values of the two polynomials come out."""
    assert (crc32c(CHECK, 0, 9), crc32(CHECK, 0, 9)) == (0xE3069283, 0xCBF43926)


@settings(deadline=None)
@given(st.binary(max_size=300), st.integers(0, 40), st.integers(0, 300))
def test_any_stretch(content: bytes, start: int, size: int) -> None:
    """A stretch of a buffer has the checksum of the same bytes by themselves."""
    start = min(start, len(content))
    end = min(start + size, len(content))
    buffer = np.frombuffer(content + b"\0", np.uint8)
    assert crc32c(buffer, start, end) == log_writer.crc32c(content[start:end])
    assert crc32(buffer, start, end) == zlib.crc32(content[start:end])


@settings(deadline=None)
@given(st.binary(max_size=100))
def test_without_the_instruction(content: bytes) -> None:
    """A processor without the instruction gets the same checksum from the tables."""
    buffer = np.frombuffer(content + b"\0", np.uint8)
    register = advance_by_tables(np.uint64(0xFFFFFFFF), buffer, 0, len(content), CASTAGNOLI_TABLES)
    assert int(register) ^ 0xFFFFFFFF == log_writer.crc32c(content)
