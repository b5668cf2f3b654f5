"""The compiled decoder of lz4 frames: it gives what Arrow's gives, or leaves the frame to it."""

from __future__ import annotations

from random import Random
from typing import Final

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.log.compression.codecs import LZ4, CodecError, inflate
from parsers.log.compression.lz4 import LEFT, inflate_frames

ENOUGH: Final = (1 << 20, 1 << 22)
AFTER: Final = bytes(64)


def frame(content: bytes) -> bytes:
    """Compress with Arrow's encoder."""
    return bytes(pa.compress(content, "lz4", asbytes=True))


def independent(block: bytes, *, stored: bool = False) -> bytes:
    """Frame one block in the form that Kafka's own encoder writes."""
    size = len(block) | (0x80000000 if stored else 0)
    return bytes.fromhex("04224d18604082") + size.to_bytes(4, "little") + block + bytes(4)


def inflated(frames: list[bytes], bounds: tuple[int, int] = ENOUGH) -> list[bytes | None]:
    """Decode frames that stand behind each other, None where one is left."""
    ends = np.cumsum([len(one) for one in frames])
    starts = ends - [len(one) for one in frames]
    buffer = np.frombuffer(b"".join(frames) + AFTER, np.uint8)
    out, status = inflate_frames(buffer, starts, ends, bounds)
    assert out[: buffer.size].tobytes() == buffer.tobytes()
    contents, at = [], buffer.size
    for end in status.tolist():
        contents.append(None if end == LEFT else out[at:end].tobytes())
        at = max(at, end)
    return contents


def arrows(content: bytes) -> bytes | None:
    """Decode with Arrow, and take its refusal for an answer."""
    try:
        return inflate(LZ4, 2, content, ENOUGH[0])
    except CodecError:
        return None


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.binary(max_size=20), st.integers(1, 9000)), max_size=6))
def test_what_was_compressed_comes_back(drawn: list[tuple[bytes, int]]) -> None:
    """Frames of repeated stretches, short and long, with matches near and far, all come back."""
    contents = [(piece * times)[:100_000] + piece for piece, times in drawn]
    assert inflated([frame(content) for content in contents]) == contents


def test_forms_of_kafkas_encoder() -> None:
    """Blocks that stand alone are read, stored ones and compressed ones, an overlapping match among them."""
    overlapping = bytes.fromhex("1f61010000") + b"\x50bcdef"
    assert inflated([independent(b"abc", stored=True), independent(b"\x30abc"), independent(overlapping)]) == [
        b"abc",
        b"abc",
        b"a" * 20 + b"bcdef",
    ]


@settings(max_examples=200, deadline=None)
@given(st.binary(min_size=1, max_size=40), st.integers(1, 300), st.integers(0, 2**32), st.integers(1, 3))
def test_never_another_answer_than_arrows(piece: bytes, times: int, seed: int, changes: int) -> None:
    """A frame with changed bytes is left, or decoded to what Arrow makes of it."""
    dice, changed = Random(seed), bytearray(frame(piece * times))  # noqa: S311 - no secret
    for _ in range(changes):
        changed[dice.randrange(len(changed))] = dice.randrange(256)
    [content] = inflated([bytes(changed)])
    assert content is None or content == arrows(bytes(changed))


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=60))
def test_any_block_is_left_or_read_as_arrow_reads_it(block: bytes) -> None:
    """Whatever bytes a block is made of, nothing is read or written outside, and nothing is invented."""
    [content] = inflated([independent(block)])
    assert content is None or content == arrows(independent(block))


@pytest.mark.parametrize("at", range(40))
def test_cut_frames_are_left(at: int) -> None:
    """A frame that ends too early is left, and the one behind it is decoded."""
    whole = frame(b"group-1/topic-1" * 4)
    assert inflated([whole[:at], whole]) == [None, b"group-1/topic-1" * 4]


def test_bounds() -> None:
    """A frame beyond its bound is left, and when there is enough nothing more is decoded."""
    bomb, small = frame(bytes(3 << 20)), frame(b"x" * 1000)
    assert inflated([bomb, small], (1 << 20, 1 << 20)) == [None, b"x" * 1000]
    assert inflated([bomb, small], (4 << 20, 1 << 20)) == [bytes(3 << 20), None]
