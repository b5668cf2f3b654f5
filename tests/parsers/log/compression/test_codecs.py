"""Inflating within a bound: every codec and framing, streams cut short, garbage, and bombs."""

from __future__ import annotations

import gzip
import struct
import tracemalloc
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.log.compression.codecs import CodecError, inflate
from tests.parsers.log_writer import batch, entry, read_all, record

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

PLAIN: Final = b"what was written " * 40
XERIAL_HEADER: Final = b"\x82SNAPPY\x00" + struct.pack(">ii", 1, 1)


def compress(name: str, content: bytes) -> bytes:
    """Compress with Arrow's codec of that name."""
    return bytes(pa.Codec(name).compress(content, asbytes=True))


def xerial(content: bytes, block_bytes: int = 100) -> bytes:
    """Frame snappy blocks as the Java library does."""
    cuts = [compress("snappy", content[at : at + block_bytes]) for at in range(0, len(content), block_bytes)]
    return XERIAL_HEADER + b"".join(struct.pack(">i", len(cut)) + cut for cut in cuts)


STREAMS: Final = {
    "gzip": (1, gzip.compress(PLAIN)),
    "xerial": (2, xerial(PLAIN)),
    "raw snappy": (2, compress("snappy", PLAIN)),
    "lz4": (3, compress("lz4", PLAIN)),
    "zstd": (4, compress("zstd", PLAIN)),
}
BOMB_BYTES: Final = 80 << 20
BOMBS: Final[dict[str, Callable[[], tuple[int, bytes]]]] = {
    "gzip": lambda: (1, compress("gzip", bytes(BOMB_BYTES))),
    "xerial": lambda: (2, xerial(bytes(BOMB_BYTES), 1 << 20)),
    "raw snappy": lambda: (2, compress("snappy", bytes(BOMB_BYTES))),
    "lz4": lambda: (3, compress("lz4", bytes(BOMB_BYTES))),
    "zstd": lambda: (4, compress("zstd", bytes(BOMB_BYTES))),
}


def inflated_or_none(codec: int, magic: int, content: bytes) -> bytes | None:
    """Inflate, and take the refusal for an answer."""
    try:
        return inflate(codec, magic, content, 10_000)
    except CodecError:
        return None


@pytest.mark.parametrize("name", STREAMS)
def test_inflates(name: str) -> None:
    """What was compressed comes back, up to the bound exactly."""
    codec, stream = STREAMS[name]
    assert inflate(codec, 2, stream) == PLAIN
    assert inflate(codec, 2, stream, len(PLAIN)) == PLAIN
    with pytest.raises(CodecError, match="beyond the bound"):
        inflate(codec, 2, stream, len(PLAIN) - 1)


@pytest.mark.parametrize("name", BOMBS)
def test_bomb_costs_its_batch(name: str) -> None:
    """A batch that would inflate beyond the bound is set aside; the batches around it are read."""
    codec, bomb = BOMBS[name]()
    good = [record(0, b"k", b"v")]
    walked = read_all(batch(0, good) + batch(1, [], body=bomb, codec=codec, count=1) + batch(2, good))
    assert [row["reason"] for row in walked.quarantine] == ["compression"]
    assert [at for at, *_rest in walked.records] == [0, 2]
    assert len(walked.batches) == 3


def test_many_large_batches() -> None:
    """Batches that are large when inflated come in several slices, each within the bound, all of them in order."""
    value = bytes(9 << 20)
    body = compress("zstd", record(0, None, value))
    walked = read_all(b"".join(batch(at, [], body=body, codec=4, count=1) for at in range(6)))
    assert [(at, len(content or b"")) for at, _ms, _key, content in walked.records] == [
        (at, 9 << 20) for at in range(6)
    ]
    assert [row["base_offset"] for row in walked.batches] == list(range(6))


def test_announced_snappy_size() -> None:
    """A raw block that announces more than its bytes can hold is refused before anything is allocated."""
    for size in (b"\xff\xff\xff\xff\x0f", b"\x80\x80\x80\x10", b"\xff\xff\xff\xff\xff", b""):
        with pytest.raises(CodecError):
            inflate(2, 2, size + b"abc" * bool(size))


def test_concatenated_xerial_streams() -> None:
    """Streams one behind the other are read as one."""
    assert inflate(2, 2, xerial(PLAIN) + xerial(b"and more")) == PLAIN + b"and more"


@pytest.mark.parametrize("size", [-1, 0, 10**6, 2**31 - 1])
def test_xerial_block_length(size: int) -> None:
    """A block length that does not fit the stream is an error that names the byte."""
    with pytest.raises(CodecError, match="byte 16"):
        inflate(2, 2, XERIAL_HEADER + struct.pack(">i", size) + b"abc")


def test_lz4_header_checksum() -> None:
    """The header checksum that old producers got wrong is passed over in magic 0 and checked from magic 1 on."""
    stream = bytearray(STREAMS["lz4"][1])
    end = 14 if stream[4] & 8 else 6
    stream[end] ^= 0xFF
    assert inflate(3, 0, bytes(stream)) == PLAIN
    with pytest.raises(CodecError):
        inflate(3, 1, bytes(stream))


@pytest.mark.parametrize(("codec", "magic"), [(5, 2), (6, 2), (7, 2), (4, 1), (4, 0)])
def test_unknown_codec(codec: int, magic: int) -> None:
    """A codec that the format does not know is named."""
    with pytest.raises(CodecError, match=f"codec {codec} in magic {magic}"):
        inflate(codec, magic, b"")


@pytest.mark.parametrize("name", STREAMS)
def test_cut_stream(name: str) -> None:
    """A stream that is cut does not pass for a shorter one, unless it ends between two blocks."""
    codec, stream = STREAMS[name]
    inflated = {inflated_or_none(codec, 2, stream[:size]) for size in range(1, len(stream))} - {None}
    assert all(PLAIN.startswith(content or b"") for content in inflated)
    assert name == "xerial" or not inflated


@settings(max_examples=300, deadline=None)
@given(st.integers(1, 7), st.integers(0, 2), st.binary(max_size=200), st.sampled_from(["", *STREAMS]), st.randoms())
def test_any_bytes(codec: int, magic: int, noise: bytes, begin: str, dice: Random) -> None:
    """No bytes crash a codec: it inflates within the bound or says why not."""
    content = bytearray((STREAMS[begin][1] if begin else b"") + noise)
    for _ in range(3 * bool(content)):
        content[dice.randrange(len(content))] = dice.randrange(256)
    assert len(inflated_or_none(codec, magic, bytes(content)) or b"") <= 10_000


def test_old_wrapper_bomb() -> None:
    """A wrapper of magic 1 that inflates beyond the bound is set aside like a batch."""
    wrapper = entry(3, None, compress("gzip", bytes(BOMB_BYTES)), attributes=1)
    walked = read_all(entry(2, b"k", b"v") + wrapper + entry(4, b"k", b"v"))
    assert [(row["reason"], row["size_bytes"]) for row in walked.quarantine] == [("compression", len(wrapper))]
    assert [at for at, *_rest in walked.records] == [2, 4]


@pytest.mark.parametrize("name", ["gzip", "lz4", "zstd"])
def test_broken_streams_leave_no_memory_behind(name: str) -> None:
    """A stream that turns out to be broken gives back what was reserved for its bytes."""
    codec, stream = STREAMS[name]
    broken = stream[:20] + bytes(byte ^ 0xFF for byte in stream[20:])
    tracemalloc.start()
    for _ in range(20):
        assert inflated_or_none(codec, 2, broken) is None
    held_bytes, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held_bytes < 1 << 20
