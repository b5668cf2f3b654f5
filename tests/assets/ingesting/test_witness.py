"""The digest of what was read, however the reads lay."""

from __future__ import annotations

from blake3 import blake3
from hypothesis import given
from hypothesis import strategies as st

from assets.ingesting.witness import Witness
from tests.parsers.log_writer import Bytes

CONTENT = bytes(range(256)) * 4
READS = st.lists(st.tuples(st.integers(0, 1100), st.integers(0, 400)), max_size=8)


@given(st.integers(0, 1024), READS, st.lists(st.integers(0, 1024), min_size=1, max_size=4).map(sorted))
def test_the_digest_is_of_the_stretch(start: int, reads: list[tuple[int, int]], seen: list[int]) -> None:
    """Whatever was read before, the digest is of the bytes from the start to where it was told to see."""
    witness = Witness(Bytes(CONTENT), start)
    for position, length in reads:
        assert witness.read(position, length).tobytes() == CONTENT[position : position + length]
        witness.see(min(seen[0], 1024))
    for position in seen:
        witness.see(position)
    assert witness.blake3 == blake3(CONTENT[start : max(seen[-1], start)]).hexdigest()


def test_a_file_that_shrank_ends_the_digest() -> None:
    """What is not there any more is not waited for."""
    witness = Witness(Bytes(b"abc"), 0)
    witness.see(10)
    assert witness.blake3 == blake3(b"abc").hexdigest()
