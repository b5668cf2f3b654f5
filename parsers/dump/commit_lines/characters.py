"""Numbers, text and uuids as characters of JSON, written by compiled loops.

Only loops over bytes belong here; they are told where to write, give where they end, and allocate nothing.
"""

from __future__ import annotations

from string import ascii_lowercase, ascii_uppercase, digits
from typing import TYPE_CHECKING, Final

import numpy as np

from parsers.inlined import inlined
from parsers.words import bit_length, byte_at, little64, put_little64

if TYPE_CHECKING:
    from parsers.words import ByteArray

WORD_BYTES: Final = 8
"""`copy_words` reads and writes up to so many bytes more than it is asked for."""

LONGEST_VALUE_BYTES: Final = 26
"""The most that a value takes, the characters of a text left out: an int64 or a uuid in quotes."""

UNSURE: Final = -1
"""Stands for where a text ends that can't be written straight."""

UUID_BYTES: Final = 16
_UUID_CHARS: Final = 22
_MINUS: Final = 0x2D
_QUOTE: Final = 0x22
_NULL: Final = np.frombuffer(b"null".ljust(WORD_BYTES), np.uint8)
_NULL_BYTES: Final = 4
_FOURS: Final = np.frombuffer(b"".join(b"%04d" % four for four in range(10_000)), np.uint8)
_TEN_THOUSAND: Final = np.uint64(10_000)
_DIGITS_OF_BITS: Final = np.array([len(str(2**bits - 1)) for bits in range(65)], np.int64)
"""The digits of the largest number of so many bits."""

_SMALLEST: Final = np.array([0, 0, *(10**power for power in range(1, 20))], np.uint64)
"""The smallest number of so many digits."""

_URL_BASE64: Final = np.frombuffer(f"{ascii_uppercase}{ascii_lowercase}{digits}-_".encode(), np.uint8)
_ONES: Final = np.uint64(0x0101010101010101)
_HIGHS: Final = np.uint64(0x8080808080808080)
_SPACES: Final = np.uint64(0x2020202020202020)
_SPACES_BEHIND_ONE: Final = np.uint64(0x2020202020202000)
_QUOTES: Final = np.uint64(0x2222222222222222)
_BACKSLASHES: Final = np.uint64(0x5C5C5C5C5C5C5C5C)
_DELETES: Final = np.uint64(0x7F7F7F7F7F7F7F7F)


@inlined
def copy_words(data: ByteArray, at: int, source: ByteArray, start: int, size: int) -> int:
    """Copy so many bytes of the source, a word at a time; give where they end."""
    for done in range(0, size, WORD_BYTES):
        put_little64(data, at + done, little64(source, start + done))
    return at + size


@inlined
def _digit_count(magnitude: int) -> int:
    """Give the digits of a number: what its bits say, less one where the power of ten says that it is too many."""
    most = _DIGITS_OF_BITS[bit_length(magnitude)]
    count: int = most - (magnitude < _SMALLEST[most])
    return count


@inlined
def write_number(data: ByteArray, at: int, value: int) -> int:
    """Write a number, four digits at a time from the right."""
    if value < 0:
        data[at] = _MINUS
        at += 1
    rest = np.uint64(value if value >= 0 else -value)
    end = at + _digit_count(rest)
    place = end
    while rest >= _TEN_THOUSAND:
        four = 4 * np.int64(rest % _TEN_THOUSAND)
        rest //= _TEN_THOUSAND
        place -= 4
        for digit in range(4):
            data[place + digit] = _FOURS[four + digit]
    for digit in range(place - at):
        data[at + digit] = _FOURS[4 * np.int64(rest) + 4 - (place - at) + digit]
    return int(end)


@inlined
def write_null(data: ByteArray, at: int) -> int:
    """Write null."""
    return copy_words(data, at, _NULL, 0, _NULL_BYTES)


@inlined
def _zero_bytes(word: int) -> int:
    """Give a word that is not zero if one of the bytes is."""
    zeros: int = (word - _ONES) & ~word & _HIGHS
    return zeros


@inlined
def _escape_bits(word: int) -> int:
    """Give a word that is not zero if one of the eight bytes can't stand in a JSON string as it is."""
    controls = (word - _SPACES) & ~word
    others = _zero_bytes(word ^ _QUOTES) | _zero_bytes(word ^ _BACKSLASHES) | _zero_bytes(word ^ _DELETES)
    escaped: int = ((controls | word) & _HIGHS) | others
    return escaped


@inlined
def write_text(data: ByteArray, at: int, buffer: ByteArray, start: int, size: int) -> int:
    """Write text in quotes that needs no escape; give where it ends, `UNSURE` if it needs one.

    Eight bytes are taken at a time, the last of which may overlap.
    """
    data[at] = _QUOTE
    at += 1
    escape_bits = np.uint64(0)
    if size >= WORD_BYTES:
        for done in range(0, size - WORD_BYTES, WORD_BYTES):
            word = little64(buffer, start + done)
            put_little64(data, at + done, word)
            escape_bits |= _escape_bits(word)
        word = little64(buffer, start + size - WORD_BYTES)
        put_little64(data, at + size - WORD_BYTES, word)
        escape_bits |= _escape_bits(word)
    else:
        for done in range(size):
            byte = byte_at(buffer, start + done)
            data[at + done] = byte
            escape_bits |= _escape_bits(_SPACES_BEHIND_ONE | byte)
    data[at + size] = _QUOTE
    return at + size + 1 if escape_bits == 0 else UNSURE


@inlined
def write_uuid(data: ByteArray, at: int, buffer: ByteArray, start: int) -> int:
    """Write a uuid as Kafka prints it, three bytes as four letters."""
    data[at] = data[at + _UUID_CHARS + 1] = _QUOTE
    place = at + 1
    for triple in range(start, start + UUID_BYTES - 1, 3):
        word = (byte_at(buffer, triple) << np.uint64(16)) | (byte_at(buffer, triple + 1) << np.uint64(8))
        bits = np.int64(word | byte_at(buffer, triple + 2))
        for letter in range(4):
            data[place + letter] = _URL_BASE64[(bits >> (18 - 6 * letter)) & 0x3F]
        place += 4
    last = np.int64(byte_at(buffer, start + UUID_BYTES - 1))
    data[place], data[place + 1] = _URL_BASE64[last >> 2], _URL_BASE64[(last & 3) << 4]
    return at + _UUID_CHARS + 2
