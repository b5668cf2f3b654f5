"""LZ4 frames in the form that Kafka writes, decoded many at a time, compiled and within bounds.

Only the usual form belongs here: blocks without checksums, no announced size, one frame. What is unusual or broken is
LEFT to `parsers.log.compression.codecs`, which also tells what is wrong with it; nothing is decoded that it would
refuse.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from parsers.inlined import inlined, without_refcounts
from parsers.log.compression.xxhash import xxh32
from parsers.spans import frozen
from parsers.words import ByteArray, Int64Array, byte_at, little64, put_little64

LEFT: Final = -1
"""Size of a frame that was not decoded."""

_MAGIC: Final = b"\x04\x22\x4d\x18"
_LINKED, _INDEPENDENT = 0x40, 0x60
_BLOCK_BYTES: Final = {0x40: 64 << 10, 0x50: 256 << 10, 0x60: 1 << 20, 0x70: 4 << 20}
_FORMS: Final = [(flags, size) for flags in (_LINKED, _INDEPENDENT) for size in _BLOCK_BYTES]


def _header(flags: int, size: int) -> int:
    descriptor = bytes((flags, size))
    return int.from_bytes(_MAGIC + descriptor + bytes([xxh32(descriptor) >> 8 & 0xFF]), "little")


_HEADERS: Final = np.array([_header(*form) for form in _FORMS], np.uint64)
_FORM_BLOCK_BYTES: Final = np.array([_BLOCK_BYTES[size] for _flags, size in _FORMS], np.int64)
_HAS_LINKED_BLOCKS: Final = np.array([flags == _LINKED for flags, _size in _FORMS])

_HEADER_BYTES: Final = 7
_HEADER_BITS: Final = np.uint64(2 ** (8 * _HEADER_BYTES) - 1)
_SIZE_BYTES: Final = 4
_STORED: Final = 1 << 31
_SLACK_BYTES: Final = 16
"""Bytes behind source and target that copies of whole words may touch."""

_WORD_BYTES: Final = 8
_LONG: Final = 15
_LEAST_MATCH: Final = 4
_LAST_LITERALS: Final = 5
_LAST_SEQUENCE: Final = 8
_LAST_MATCH: Final = 12
"""How near to the end lz4's own decoder allows a match: literals behind it, bytes of the block, bytes made of it."""

_FULL: Final = -2


class Target(NamedTuple):
    """Where frames are decoded to, one behind the other, and where each of them ends there."""

    out: ByteArray
    ends: Int64Array
    frame_bytes: int
    """The most that a frame may have."""
    enough: int
    """Where nothing more is decoded."""

    @property
    def most(self) -> int:
        """The most bytes that there may be in all."""
        return self.enough + self.frame_bytes + _SLACK_BYTES


class _Block(NamedTuple):
    """A block: where its bytes are, how far back its matches may reach, and where what it makes must end."""

    start: int
    end: int
    low: int
    top: int


def inflate_frames(
    buffer: ByteArray, starts: Int64Array, ends: Int64Array, bounds: tuple[int, int]
) -> tuple[ByteArray, Int64Array]:
    """Decode the frames in buffer[starts:ends] behind a copy of the buffer, until they have more than enough bytes.

    The bounds are the most bytes of one frame, and what is enough. Where a frame was not decoded, its end is LEFT.
    """
    frame_bytes, total_bytes = bounds
    room = min(4 * int((ends - starts).sum()), total_bytes) + _BLOCK_BYTES[0x40] + _SLACK_BYTES
    frame_ends = np.full(starts.size, LEFT)
    target = Target(np.empty(buffer.size + room, np.uint8), frame_ends, frame_bytes, buffer.size + total_bytes)
    target.out[: buffer.size] = buffer
    frame, at = 0, buffer.size
    while frame < starts.size and at <= target.enough:
        frame, at = _inflate(frozen(buffer), (frozen(starts), frozen(ends)), target, (frame, at))
        is_full = frame < starts.size and at <= target.enough
        if is_full and target.out.size >= target.most:
            frame += 1
        elif is_full:
            target = target._replace(out=_grown(target, at))
    return target.out[:at], frame_ends


def _grown(target: Target, at: int) -> ByteArray:
    out = np.empty(min(2 * target.out.size, target.most), np.uint8)
    out[:at] = target.out[:at]
    return out


@without_refcounts
def _inflate(
    buffer: ByteArray, spans: tuple[Int64Array, Int64Array], target: Target, place: tuple[int, int]
) -> tuple[int, int]:
    """Decode frames from one on: give the first that was not, for want of room or because there is enough."""
    (starts, ends), frame, at = spans, np.int64(place[0]), np.int64(place[1])
    while frame < starts.size and at <= target.enough:
        end = _inflate_frame(buffer, starts[frame], ends[frame], target, at)
        if end == _FULL:
            break
        if end >= 0 and end - at <= target.frame_bytes:
            target.ends[frame] = at = end
        frame += 1
    return frame, at


@without_refcounts
def _inflate_frame(buffer: ByteArray, start: int, end: int, target: Target, to: int) -> int:
    """Decode one frame: give where its bytes end in the target, LEFT, or _FULL."""
    if end - start < _HEADER_BYTES + _SIZE_BYTES or end + _SLACK_BYTES > buffer.size:
        return LEFT
    form = _form(little64(buffer, start) & _HEADER_BITS)
    at, low = np.int64(start + _HEADER_BYTES), np.int64(to)
    while form >= 0 and at + _SIZE_BYTES <= end:
        size = np.int64(little64(buffer, at) & np.uint64(0xFFFFFFFF))
        at += _SIZE_BYTES
        if size == 0:
            return to if at == end else LEFT
        is_stored, size = size >= _STORED, size & (_STORED - 1)
        if size > end - at or size > _FORM_BLOCK_BYTES[form]:
            return LEFT
        block = _Block(at, at + size, low if _HAS_LINKED_BLOCKS[form] else np.int64(to), to + _FORM_BLOCK_BYTES[form])
        to = _store(buffer, block, target, to) if is_stored else _inflate_block(buffer, block, target, to)
        if to < 0:
            return to
        at += size
    return LEFT


@inlined
def _form(header: np.uint64) -> int:
    for form in range(_HEADERS.size):
        if _HEADERS[form] == header:
            return form
    return -1


@inlined
def _store(buffer: ByteArray, block: _Block, target: Target, to: int) -> int:
    size = block.end - block.start
    if to + size + _SLACK_BYTES > target.out.size:
        return _FULL
    _copy(buffer, block.start, target.out, to, size)
    return int(to + size)


@without_refcounts
def _inflate_block(buffer: ByteArray, block: _Block, target: Target, to: int) -> int:
    at = np.int64(block.start)
    while 0 <= at < block.end:
        token = np.int64(byte_at(buffer, at))
        at, to = _write_literals(buffer, block, target, (at + 1, to), token >> 4)
        if at == block.end:
            return to
        if at >= 0:
            at, to = _write_match(buffer, block, target, (at, to), token & _LONG)
    return int(min(at, LEFT))


@inlined
def _write_literals(
    buffer: ByteArray, block: _Block, target: Target, place: tuple[int, int], length: int
) -> tuple[int, int]:
    """Write the literals of a sequence: give where source and target go on, the first LEFT or _FULL for none."""
    to = place[1]
    length, at = _length(buffer, place[0], block.end, length)
    if at < 0 or at + length > block.end or to + length > block.top:
        return np.int64(LEFT), to
    if to + length + _SLACK_BYTES > target.out.size:
        return np.int64(_FULL), to
    _copy(buffer, at, target.out, to, length)
    return at + length, to + length


@inlined
def _write_match(
    buffer: ByteArray, block: _Block, target: Target, place: tuple[int, int], length: int
) -> tuple[int, int]:
    """Write the match of a sequence in the same way."""
    at, to = place
    if at > block.end - _LAST_SEQUENCE or to > block.top - _LAST_MATCH:
        return np.int64(LEFT), to
    offset = np.int64(little64(buffer, at) & np.uint64(0xFFFF))
    length, at = _length(buffer, at + 2, block.end, length)
    length += _LEAST_MATCH
    if at < 0 or offset == 0 or to - offset < block.low or to + length > block.top - _LAST_LITERALS:
        return np.int64(LEFT), to
    if to + length + _SLACK_BYTES > target.out.size:
        return np.int64(_FULL), to
    _repeat(target.out, to, offset, length)
    return at, to + length


@inlined
def _length(buffer: ByteArray, at: int, end: int, length: int) -> tuple[int, int]:
    """Complete a length whose first four bits are all set: give it, and the position after it, below zero for none."""
    if length < _LONG:
        return np.int64(length), np.int64(at)
    while at < end:
        more = np.int64(byte_at(buffer, at))
        length, at = length + more, at + 1
        if more < 255:  # noqa: PLR2004 - the most that a byte adds
            return np.int64(length), np.int64(at)
    return np.int64(0), np.int64(-1)


@inlined
def _copy(source: ByteArray, at: int, out: ByteArray, to: int, length: int) -> None:
    """Copy whole words, up to seven bytes more than asked for; both arrays have them."""
    for done in range(0, length, _WORD_BYTES):
        put_little64(out, to + done, little64(source, at + done))


@inlined
def _repeat(out: ByteArray, to: int, offset: int, length: int) -> None:
    """Repeat what was written `offset` bytes ago; what overlaps is repeated byte by byte."""
    if offset >= _WORD_BYTES:
        _copy(out, to - offset, out, to, length)
        return
    for index in range(to, to + length):
        out[index] = out[index - offset]
