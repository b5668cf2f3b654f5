"""Text as JSON strings in ASCII, bytes as base64, uuids as Kafka prints them, written by compiled loops.

Only loops over bytes belong here; they are told where to write and never allocate. Numbers and what is put together
from texts are in `parsers.dump.json_bytes`.
"""

from __future__ import annotations

from string import ascii_lowercase, ascii_uppercase, digits
from typing import TYPE_CHECKING, Final

import numpy as np

from parsers.dump.json_memory import copy_bytes, put64
from parsers.inlined import inlined, uncounted
from parsers.words import byte_at, little64

if TYPE_CHECKING:
    from parsers.words import ByteArray, Int64Array

_QUOTE: Final = 0x22
_BACKSLASH: Final = 0x5C
_PAD: Final = 0x3D
_LETTER_U: Final = 0x75
_UNICODE_BYTES: Final = 6
_FIRST_PRINTABLE: Final = 0x20
_DELETE: Final = 0x7F
_HEX: Final = np.frombuffer(b"0123456789abcdef", np.uint8)
_BASE64: Final = np.frombuffer(f"{ascii_uppercase}{ascii_lowercase}{digits}+/".encode(), np.uint8)
_ONES: Final = np.uint64(0x0101010101010101)
_HIGHS: Final = np.uint64(0x8080808080808080)
_SPACES: Final = np.uint64(0x2020202020202020)
_SPACES_BEHIND_ONE: Final = np.uint64(0x2020202020202000)
_QUOTES: Final = np.uint64(0x2222222222222222)
_BACKSLASHES: Final = np.uint64(0x5C5C5C5C5C5C5C5C)
_DELETES: Final = np.uint64(0x7F7F7F7F7F7F7F7F)
_URL_BASE64: Final = np.frombuffer(f"{ascii_uppercase}{ascii_lowercase}{digits}-_".encode(), np.uint8)
_WORD_BYTES: Final = 8
_UUID_BYTES: Final = 16
_UUID_CHARS: Final = 22
_SHORT: Final = {0x08: "b", 0x09: "t", 0x0A: "n", 0x0C: "f", 0x0D: "r", _QUOTE: '"', _BACKSLASH: "\\"}


def _short_escapes() -> ByteArray:
    """Second byte of the escape of each byte that has a short one; 0 for the others."""
    table = np.zeros(256, np.uint8)
    for byte, letter in _SHORT.items():
        table[byte] = ord(letter)
    return table


def _widths() -> Int64Array:
    r"""Bytes that each byte of UTF-8 takes when it is written as ASCII: what is not printable becomes \uXXXX."""
    table = np.ones(256, np.int64)
    table[:_FIRST_PRINTABLE] = table[_DELETE] = _UNICODE_BYTES
    table[list(_SHORT)] = 2
    table[0x80:0xC0] = 0
    table[0xC0:0xF0] = _UNICODE_BYTES
    table[0xF0:] = 2 * _UNICODE_BYTES
    return table


_ESCAPES: Final = _short_escapes()
_WIDTHS: Final = _widths()


@uncounted
def measure_quoted(source: ByteArray, starts: Int64Array, ends: Int64Array, sizes: Int64Array) -> None:
    """Give the bytes of each text as a JSON string in ASCII; 0 for null."""
    for row in range(starts.size):
        size = 0
        if starts[row] >= 0:
            size = 2
            for at in range(starts[row], ends[row]):
                size += _WIDTHS[np.int64(byte_at(source, at))]
        sizes[row] = size


@uncounted
def write_quoted(
    data: ByteArray, firsts: Int64Array, source: ByteArray, spans: tuple[Int64Array, Int64Array], sizes: Int64Array
) -> None:
    """Write each text as a JSON string in ASCII; the bytes must be UTF-8."""
    starts, ends = spans
    for row in range(firsts.size):
        if starts[row] < 0:
            continue
        data[firsts[row]] = data[firsts[row] + sizes[row] - 1] = _QUOTE
        length = ends[row] - starts[row]
        if sizes[row] == length + 2:
            copy_bytes(data, firsts[row] + 1, source, (starts[row], length))
        else:
            _write_escaped(data, firsts[row] + 1, source, starts[row], ends[row])


@uncounted
def _write_escaped(data: ByteArray, at: int, source: ByteArray, start: int, end: int) -> None:
    while start < end:
        byte = np.int64(byte_at(source, start))
        width = _WIDTHS[byte]
        if width == 1:
            data[at] = byte
        elif width == 2:  # noqa: PLR2004 - a backslash and a letter
            data[at], data[at + 1] = _BACKSLASH, _ESCAPES[byte]
        elif width:
            _write_code_point(data, at, _code_point(source, start, end))
        at += width
        start += 1


@uncounted
def _code_point(source: ByteArray, start: int, end: int) -> int:
    """Read the code point that begins here; the bytes behind its first one each carry six bits."""
    lead = np.int64(byte_at(source, start))
    more = (lead >= 0xC0) + (lead >= 0xE0) + (lead >= 0xF0)  # noqa: PLR2004 - the bits of UTF-8
    point = lead & (0x7F >> (more + (more > 0)))
    for follow in range(start + 1, min(start + 1 + more, end)):
        point = (point << 6) | (np.int64(byte_at(source, follow)) & 0x3F)
    return int(point)


@uncounted
def _write_code_point(data: ByteArray, at: int, point: int) -> None:
    r"""Write \uXXXX, or two of them for what lies beyond U+FFFF."""
    if point > 0xFFFF:  # noqa: PLR2004 - surrogates of UTF-16
        _write_unit(data, at, 0xD7C0 + (point >> 10))
        _write_unit(data, at + _UNICODE_BYTES, 0xDC00 | (point & 0x3FF))
    else:
        _write_unit(data, at, point)


@uncounted
def _write_unit(data: ByteArray, at: int, unit: int) -> None:
    data[at], data[at + 1] = _BACKSLASH, _LETTER_U
    for place in range(4):
        data[at + 2 + place] = _HEX[(unit >> (12 - 4 * place)) & 0xF]


@uncounted
def write_base64(data: ByteArray, firsts: Int64Array, source: ByteArray, starts: Int64Array, ends: Int64Array) -> None:
    """Write each stretch of bytes as a JSON string of base64, padded; null where it starts below zero."""
    for row in range(firsts.size):
        if starts[row] >= 0:
            write_letters(data, firsts[row], source, starts[row], ends[row])


@inlined
def write_letters(data: ByteArray, at: int, source: ByteArray, start: int, end: int) -> int:
    """Write a stretch of bytes as a JSON string of base64; give where it ends."""
    data[at] = _QUOTE
    at += 1
    while end - start >= 3:  # noqa: PLR2004 - three bytes make four letters
        word = (byte_at(source, start) << np.uint64(16)) | (byte_at(source, start + 1) << np.uint64(8))
        _write_four(data, at, np.int64(word | byte_at(source, start + 2)))
        at, start = at + 4, start + 3
    if start < end:
        at = _write_last(data, at, source, start, end)
    data[at] = _QUOTE
    return at + 1


@inlined
def _write_four(data: ByteArray, at: int, word: int) -> None:
    for place in range(4):
        data[at + place] = _BASE64[(word >> (18 - 6 * place)) & 0x3F]


@uncounted
def _write_last(data: ByteArray, at: int, source: ByteArray, start: int, end: int) -> int:
    """Write the one or two bytes that are left; give where they end."""
    word, left = np.int64(byte_at(source, start)) << 16, end - start
    if left > 1:
        word |= np.int64(byte_at(source, start + 1)) << 8
    _write_four(data, at, word)
    data[at + 3] = _PAD
    if left == 1:
        data[at + 2] = _PAD
    return at + 4


@inlined
def _zero_bytes(word: int) -> int:
    """Give a word that is not zero if one of the bytes is."""
    zeros: int = (word - _ONES) & ~word & _HIGHS
    return zeros


@inlined
def _escaped(word: int) -> int:
    """Give a word that is not zero if one of the eight bytes can't stand in a JSON string as it is."""
    controls = (word - _SPACES) & ~word
    others = _zero_bytes(word ^ _QUOTES) | _zero_bytes(word ^ _BACKSLASHES) | _zero_bytes(word ^ _DELETES)
    escaped: int = ((controls | word) & _HIGHS) | others
    return escaped


@inlined
def write_plain(data: ByteArray, at: int, buffer: ByteArray, start: int, size: int) -> int:
    """Write text in quotes that needs no escape; give where it ends, below zero if it needs one.

    Eight bytes are taken at a time, the last of which may overlap.
    """
    data[at] = _QUOTE
    at += 1
    found = np.uint64(0)
    if size >= _WORD_BYTES:
        for done in range(0, size - _WORD_BYTES, _WORD_BYTES):
            word = little64(buffer, start + done)
            put64(data, at + done, word)
            found |= _escaped(word)
        word = little64(buffer, start + size - _WORD_BYTES)
        put64(data, at + size - _WORD_BYTES, word)
        found |= _escaped(word)
    else:
        for done in range(size):
            byte = byte_at(buffer, start + done)
            data[at + done] = byte
            found |= _escaped(_SPACES_BEHIND_ONE | byte)
    data[at + size] = _QUOTE
    return at + size + 1 if found == 0 else -1


@inlined
def write_uuid(data: ByteArray, at: int, buffer: ByteArray, start: int) -> int:
    """Write a uuid as Kafka prints it, three bytes as four letters; give where it ends."""
    data[at] = data[at + _UUID_CHARS + 1] = _QUOTE
    place = at + 1
    for triple in range(start, start + _UUID_BYTES - 1, 3):
        word = (byte_at(buffer, triple) << np.uint64(16)) | (byte_at(buffer, triple + 1) << np.uint64(8))
        bits = np.int64(word | byte_at(buffer, triple + 2))
        for letter in range(4):
            data[place + letter] = _URL_BASE64[(bits >> (18 - 6 * letter)) & 0x3F]
        place += 4
    last = np.int64(byte_at(buffer, start + _UUID_BYTES - 1))
    data[place], data[place + 1] = _URL_BASE64[last >> 2], _URL_BASE64[(last & 3) << 4]
    return at + _UUID_CHARS + 2
