"""The digest of what was read, however the reads lay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blake3 import blake3
from hypothesis import given
from hypothesis import strategies as st

from assets.ingest import digesting_source as bearing
from assets.ingest.digesting_source import DigestingSource, digest
from tests.parsers.log_writer import Bytes

if TYPE_CHECKING:
    import pytest

CONTENT = bytes(range(256)) * 4
READS = st.lists(st.tuples(st.integers(0, 1100), st.integers(0, 400)), max_size=8)


@given(st.integers(0, 1024), READS, st.lists(st.integers(0, 1024), min_size=1, max_size=4).map(sorted))
def test_the_digest_is_of_the_stretch(start: int, reads: list[tuple[int, int]], digested: list[int]) -> None:
    """Whatever was read before, the digest is of the bytes from the start to where it was told to see."""
    witness = DigestingSource(Bytes(CONTENT), start)
    for position, length in reads:
        assert witness.read(position, length).tobytes() == CONTENT[position : position + length]
        witness.digest_up_to(min(digested[0], 1024))
    for position in digested:
        witness.digest_up_to(position)
    assert witness.blake3 == blake3(CONTENT[start : max(digested[-1], start)]).hexdigest()


def test_a_file_that_shrank_ends_the_digest() -> None:
    """What is not there any more is not waited for."""
    witness = DigestingSource(Bytes(b"abc"), 0)
    witness.digest_up_to(10)
    assert witness.blake3 == blake3(b"abc").hexdigest()


def test_a_long_stretch_is_digested_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the pieces lie makes no difference; the file may end before the stretch does."""
    monkeypatch.setattr(bearing, "_AT_ONCE_BYTES", 100)
    assert digest(Bytes(CONTENT), 30, 777) == blake3(CONTENT[30:777]).hexdigest()
    assert digest(Bytes(CONTENT), 30, 5000) == blake3(CONTENT[30:]).hexdigest()
