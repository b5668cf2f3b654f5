"""The five codecs of a batch, as a table: id to name and to the way of inflating within a bound.

Only compression belongs here, with Kafka's own framings (xerial snappy, the lz4 header of old producers). What the
inflated bytes mean belongs to `parsers.log.bodies`.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final, NamedTuple

import pyarrow as pa
import zstandard

from parsers.log.compression.xxhash import xxh32

if TYPE_CHECKING:
    from collections.abc import Callable

INFLATED_LIMIT_BYTES: Final = 64 << 20
LZ4: Final = 3

_STEP_BYTES: Final = 1 << 20
_XERIAL_MAGIC: Final = b"\x82SNAPPY\x00"
_XERIAL_HEADER_BYTES: Final = 16
_SNAPPY_MOST_RATIO: Final = 64  # a snappy copy of 3 bytes makes 64: what announces more lies

_SMALL_BYTES: Final = 128 << 10
_ZSTD_WINDOW_BYTES: Final = 128 << 20  # the most that a stream is given by default
_ZSTD_NO_SIZE: Final = (zstandard.CONTENTSIZE_UNKNOWN, -1)

_LZ4_MAGIC: Final = b"\x04\x22\x4d\x18"
_LZ4_DESCRIPTOR_AT: Final = 4
_LZ4_HAS_CONTENT_SIZE: Final = 0x08


class CodecError(Exception):
    """Compressed bytes that do not inflate: what was expected of them, and what was found."""

    def __init__(self, expected: str, actual: str) -> None:
        """Say what a sound stream would have, and what this one has."""
        super().__init__(f"expected {expected}, found {actual}")
        self.expected = expected
        self.actual = actual


class Codec(NamedTuple):
    """A row of the table of codecs."""

    name: str
    inflate: Callable[[bytes, int], bytes]
    newest_only: bool = False


def inflate(codec: int, magic: int, data: bytes, limit_bytes: int = INFLATED_LIMIT_BYTES) -> bytes:
    """Inflate the body of a batch of the given magic; `CodecError` when it can't be, or would be too large."""
    row = CODECS.get(codec)
    if row is None or (row.newest_only and magic < 2):  # noqa: PLR2004 - the format that brought zstd
        raise CodecError("a codec that the format knows", f"codec {codec} in magic {magic}")
    if row.name == "lz4" and magic == 0:
        data = _with_sound_lz4_header(data)
    return row.inflate(data, limit_bytes)


def _as_is(data: bytes, limit_bytes: int) -> bytes:
    return _within(data, limit_bytes)


def _frames(name: str) -> Callable[[bytes, int], bytes]:
    """Give the inflater of a codec whose streams say themselves where they end."""

    def inflate_frames(data: bytes, limit_bytes: int) -> bytes:
        """Inflate all streams that follow each other, up to the limit."""
        pieces, total = [], 0
        try:
            stream = pa.CompressedInputStream(pa.BufferReader(data), name)
            # Not read(): that one loses the memory for the bytes whenever the stream turns out to be broken.
            while total <= limit_bytes and (piece := stream.read_buffer(_STEP_BYTES)).size:
                pieces.append(piece)
                total += piece.size
        except (OSError, pa.ArrowException) as error:
            raise CodecError(f"a {name} stream", str(error)) from error
        return _within(b"".join(pieces), limit_bytes)

    return inflate_frames


class _Zstandard(threading.local):
    """A decompressor per thread: to make one costs more than to decompress a batch."""

    def __init__(self) -> None:
        self.decompressor = zstandard.ZstdDecompressor()


_ZSTANDARD: Final = _Zstandard()


def _zstd(data: bytes, limit_bytes: int) -> bytes:
    """Inflate one small frame at once; what is large, unusual or broken goes the way of all streams."""
    try:
        frame = zstandard.get_frame_parameters(data)
        if frame.window_size <= _ZSTD_WINDOW_BYTES and _is_small(frame.content_size, limit_bytes):
            inflate_once = _ZSTANDARD.decompressor.decompress
            return inflate_once(data, max_output_size=min(limit_bytes, _SMALL_BYTES), allow_extra_data=False)
    except zstandard.ZstdError:
        pass
    return _zstd_stream(data, limit_bytes)


def _is_small(content_size: int, limit_bytes: int) -> bool:
    """Tell whether a frame may be small; one that says it is empty is believed by a stream alone."""
    return content_size in _ZSTD_NO_SIZE or 0 < content_size <= min(limit_bytes, _SMALL_BYTES)


def _within(data: bytes, limit_bytes: int) -> bytes:
    if len(data) > limit_bytes:
        raise CodecError(f"at most {limit_bytes} bytes when inflated", "more: it inflates beyond the bound")
    return data


def _snappy(data: bytes, limit_bytes: int) -> bytes:
    """Inflate xerial's framing, one or several streams in a row, or else a single raw block."""
    if not data.startswith(_XERIAL_MAGIC):
        return _snappy_block(data, limit_bytes)
    pieces, position = [], 0
    while position < len(data):
        if data.startswith(_XERIAL_MAGIC, position):
            position += _XERIAL_HEADER_BYTES
            continue
        size = int.from_bytes(data[position : position + 4], "big", signed=True)
        block = data[position + 4 : position + 4 + max(size, 0)]
        if size <= 0 or len(block) != size:
            raise CodecError(f"a snappy block at byte {position}", f"length {size}, {len(block)} bytes")
        pieces.append(_snappy_block(block, limit_bytes))
        limit_bytes -= len(pieces[-1])
        position += 4 + size
    return b"".join(pieces)


def _snappy_block(block: bytes, limit_bytes: int) -> bytes:
    """Inflate one raw block, whose announced size is checked before anything is allocated."""
    announced = _snappy_size(block)
    if announced > limit_bytes:
        raise CodecError(f"at most {limit_bytes} bytes when inflated", f"{announced} announced: beyond the bound")
    if announced > _SNAPPY_MOST_RATIO * len(block):
        raise CodecError(f"a snappy block of {len(block)} bytes", f"{announced} inflated bytes announced")
    try:
        return bytes(pa.Codec("snappy").decompress(block, decompressed_size=announced, asbytes=True))
    except (OSError, pa.ArrowException) as error:
        raise CodecError("a snappy block", str(error)) from error


def _snappy_size(block: bytes) -> int:
    """Read the varint in front of a raw block."""
    size = 0
    for place, byte in enumerate(block[:5]):
        size |= (byte & 0x7F) << 7 * place
        if byte < 0x80:  # noqa: PLR2004 - the continuation bit
            return size
    raise CodecError("a snappy block that begins with its size", block[:5].hex() or "nothing")


def _with_sound_lz4_header(data: bytes) -> bytes:
    """Correct the header checksum that old producers computed over the wrong bytes, and that readers must not check."""
    if not data.startswith(_LZ4_MAGIC) or len(data) <= _LZ4_DESCRIPTOR_AT:
        return data
    end = _LZ4_DESCRIPTOR_AT + (10 if data[_LZ4_DESCRIPTOR_AT] & _LZ4_HAS_CONTENT_SIZE else 2)
    checksum = xxh32(data[_LZ4_DESCRIPTOR_AT:end]) >> 8 & 0xFF
    return data[:end] + bytes([checksum]) + data[end + 1 :]


_zstd_stream: Final = _frames("zstd")

CODECS: Final = {
    0: Codec("none", _as_is),
    1: Codec("gzip", _frames("gzip")),
    2: Codec("snappy", _snappy),
    LZ4: Codec("lz4", _frames("lz4")),
    4: Codec("zstd", _zstd, newest_only=True),
}
