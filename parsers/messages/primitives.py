"""The numbers and texts of Kafka's wire format at one position of a buffer, compiled.

Put here how a single value stands in the bytes; callers have checked that fixed-width values fit. Which values a
message has is in `parsers.layouts`.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from parsers.inlined import inlined, without_refcounts
from parsers.messages.reasons import Reason
from parsers.words import ByteArray, byte_at, little64, swap_bytes

CUT_SHORT: Final = -int(Reason.CUT_SHORT)
BAD_VARINT: Final = -int(Reason.BAD_VARINT)

_MORE: Final = 0x80
_MORE_IN_WORD: Final = np.uint64(0x8080808080808080)
_WORD_BYTES: Final = 8
_SEQUENCES: Final = np.array(
    [
        (0xC2, 0xDF, 2, 0x80, 0xBF),
        (0xE0, 0xE0, 3, 0xA0, 0xBF),
        (0xE1, 0xEC, 3, 0x80, 0xBF),
        (0xED, 0xED, 3, 0x80, 0x9F),
        (0xEE, 0xEF, 3, 0x80, 0xBF),
        (0xF0, 0xF0, 4, 0x90, 0xBF),
        (0xF1, 0xF3, 4, 0x80, 0xBF),
        (0xF4, 0xF4, 4, 0x80, 0x8F),
    ]
)
"""The sequences of UTF-8: first byte from and to, bytes, second byte from and to (Unicode's table 3-7)."""

_LAST_SHIFT: Final = 28
_LAST_MOST: Final = 0x0F


@inlined
def int8_at(buffer: ByteArray, at: int) -> int:
    """Read an int8."""
    return int(np.int8(byte_at(buffer, at)))


@inlined
def int16_at(buffer: ByteArray, at: int) -> int:
    """Read a big-endian int16."""
    return int(np.int16((byte_at(buffer, at) << np.uint64(8)) | byte_at(buffer, at + 1)))


@inlined
def int32_at(buffer: ByteArray, at: int) -> int:
    """Read a big-endian int32."""
    high = (byte_at(buffer, at) << np.uint64(24)) | (byte_at(buffer, at + 1) << np.uint64(16))
    low = (byte_at(buffer, at + 2) << np.uint64(8)) | byte_at(buffer, at + 3)
    return int(np.int32(high | low))


@inlined
def int64_at(buffer: ByteArray, at: int) -> int:
    """Read a big-endian int64."""
    return int(np.int64(swap_bytes(little64(buffer, at))))


@without_refcounts
def uvarint_at(buffer: ByteArray, at: int, limit: int) -> tuple[int, int]:
    """Read an unsigned varint of at most 32 bits: its value, and the position after it or the trouble below zero."""
    value, shift = np.int64(0), np.int64(0)
    while at < limit:
        part = np.int64(byte_at(buffer, at))
        if shift == _LAST_SHIFT and part > _LAST_MOST:
            return np.int64(0), np.int64(BAD_VARINT)
        value |= (part & 0x7F) << shift
        at += 1
        if part < _MORE:
            return value, np.int64(at)
        shift += 7
    return np.int64(0), np.int64(CUT_SHORT)


@inlined
def is_utf8(buffer: ByteArray, start: int, end: int) -> bool:
    """Tell whether the bytes are UTF-8: no overlong form, no surrogate, nothing above U+10FFFF, nothing cut short."""
    return _is_ascii(buffer, start, end) or _is_utf8(buffer, start, end)


@inlined
def _is_ascii(buffer: ByteArray, start: int, end: int) -> bool:
    """Tell whether no byte has its highest bit set; the last word may overlap the one before it."""
    bits, at = np.uint64(0), start
    if end - start >= _WORD_BYTES:
        while at <= end - _WORD_BYTES:
            bits |= little64(buffer, at)
            at += _WORD_BYTES
        return bool((bits | little64(buffer, end - _WORD_BYTES)) & _MORE_IN_WORD == 0)
    while at < end:
        bits |= byte_at(buffer, at)
        at += 1
    return bool(bits < _MORE)


@without_refcounts
def _is_utf8(buffer: ByteArray, start: int, end: int) -> bool:
    at = np.int64(start)
    while at < end:
        size = 1 if byte_at(buffer, at) < _MORE else _sequence_size(buffer, at, end)
        if size == 0:
            return False
        at += size
    return True


@without_refcounts
def _sequence_size(buffer: ByteArray, at: int, end: int) -> int:
    """Give the bytes of the sequence of two to four bytes that begins here; 0 when it is malformed."""
    lead = np.int64(byte_at(buffer, at))
    for form in range(_SEQUENCES.shape[0]):
        if _SEQUENCES[form, 0] <= lead <= _SEQUENCES[form, 1]:
            return int(_SEQUENCES[form, 2]) if _has_followers(buffer, at, end, form) else 0
    return 0


@without_refcounts
def _has_followers(buffer: ByteArray, at: int, end: int, form: int) -> bool:
    if end - at < _SEQUENCES[form, 2]:
        return False
    for follow in range(at + 2, at + _SEQUENCES[form, 2]):
        if byte_at(buffer, follow) & np.uint64(0xC0) != _MORE:
            return False
    return bool(_SEQUENCES[form, 3] <= np.int64(byte_at(buffer, at + 1)) <= _SEQUENCES[form, 4])
