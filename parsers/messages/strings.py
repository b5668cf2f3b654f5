"""Spans of a buffer as Arrow strings and bytes: gathered, or numbered by the distinct ones.

Put here what needs only a buffer and spans, each a start and a length in one number. Which spans a message has belongs
in `parsers.messages.decode`.
"""

from __future__ import annotations

import secrets
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from parsers.errors import LagbookError
from parsers.inlined import inlined, without_refcounts
from parsers.messages.primitives import is_utf8
from parsers.spans import LENGTH_BITS, LENGTH_MASK, lengths_of, starts_of
from parsers.words import ByteArray, Int64Array, byte_at, little64

Codes = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]

_UUID_BYTES: Final = 16
_UUID_CHARS: Final = 22
_ALPHABET: Final = np.frombuffer(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", np.uint8)
_MOST_BYTES: Final = 2**31 - 1

_WORD_BYTES: Final = 8
_FIRST_PLACES: Final = 2048
_FREE: Final = -1
_MULTIPLIERS: Final = np.frombuffer(secrets.token_bytes(8 * 2**13), np.uint64)
"""Drawn anew by each process, so that nobody can name groups whose names collide."""


class Book(NamedTuple):
    """The distinct spans so far: a hash table of their hashes and numbers, and the span of each number."""

    places: Int64Array
    """_FREE, or a hash above the number of a span."""
    distinct: Int64Array
    used: Int64Array
    """One cell: how many there are."""
    multipliers: npt.NDArray[np.uint64]


def validity(is_valid: Mask) -> pa.Buffer | None:
    """Pack a mask into Arrow's bitmap; None when everything is valid."""
    return None if is_valid.all() else pa.py_buffer(np.packbits(is_valid, bitorder="little"))


def offsets(lengths: Int64Array) -> Codes:
    """Give the offsets of values of these lengths, one after the other; a negative length takes nothing."""
    ends = np.zeros(lengths.size + 1, np.int64)
    np.cumsum(np.maximum(lengths, 0), out=ends[1:])
    if ends[-1] > _MOST_BYTES:
        raise LagbookError(f"A column of {ends[-1]} bytes does not fit into one Arrow array; read the file in slices.")
    return ends.astype(np.int32)


def gather(buffer: ByteArray, spans: Int64Array, kind: pa.DataType) -> pa.Array:
    """Copy spans into a string or binary array; a null span is null."""
    places = offsets(lengths_of(spans))
    data = np.empty(places[-1], np.uint8)
    _gather(buffer, starts_of(spans), places, data)
    buffers = [validity(spans >= 0), pa.py_buffer(places), pa.py_buffer(data)]
    return pa.Array.from_buffers(kind, spans.size, buffers)


@without_refcounts
def _gather(buffer: ByteArray, starts: Int64Array, places: Codes, data: ByteArray) -> None:
    for row in range(starts.size):
        first, start = places[row], starts[row]
        for index in range(places[row + 1] - first):
            data[first + index] = byte_at(buffer, start + index)


def are_utf8(buffer: ByteArray, spans: Int64Array) -> Mask:
    """Tell which spans are UTF-8; a null span counts as an empty one."""
    result = np.empty(spans.size, np.bool_)
    _check_utf8(buffer, starts_of(spans), lengths_of(spans), result)
    return result


@without_refcounts
def _check_utf8(buffer: ByteArray, starts: Int64Array, lengths: Int64Array, result: Mask) -> None:
    for row in range(starts.size):
        result[row] = is_utf8(buffer, starts[row], starts[row] + lengths[row])


def uuid_texts(buffer: ByteArray, spans: Int64Array) -> pa.StringArray:
    """Write uuids as Kafka prints them, 22 characters of URL-safe base64; an empty span is the zero uuid."""
    octets = np.zeros((spans.size, _UUID_BYTES + 2), np.uint32)
    is_stored = lengths_of(spans) == _UUID_BYTES
    octets[is_stored, :_UUID_BYTES] = buffer[starts_of(spans[is_stored])[:, None] + np.arange(_UUID_BYTES)]
    triples = octets.reshape(spans.size, octets.shape[1] // 3, 3)
    words = (triples[:, :, 0] << 16) | (triples[:, :, 1] << 8) | triples[:, :, 2]
    sextets = (words[:, :, None] >> np.array([18, 12, 6, 0], np.uint32)) & np.uint32(0x3F)
    text = np.ascontiguousarray(_ALPHABET[sextets.reshape(spans.size, 4 * triples.shape[1])[:, :_UUID_CHARS]])
    places = np.arange(spans.size + 1, dtype=np.int32) * np.int32(_UUID_CHARS)
    buffers = [validity(spans >= 0), pa.py_buffer(places), pa.py_buffer(text)]
    return pa.Array.from_buffers(pa.string(), spans.size, buffers)


class DistinctSpans(NamedTuple):
    """Spans numbered by the distinct ones: the number of each row, -1 for null, and the first span of each number."""

    codes: Codes
    distinct: Int64Array


def intern(buffer: ByteArray, spans: Int64Array) -> DistinctSpans:
    """Number the distinct spans as they are first seen: the number of each row (-1 for null), and each one's span."""
    codes = np.empty(spans.size, np.int32)
    book = _book(_FIRST_PLACES)
    row = 0
    while row < spans.size:
        row = _intern(buffer, spans, codes, row, book)
        book = _grown(book) if row < spans.size else book
    return DistinctSpans(codes, book.distinct[: book.used[0]])


def _book(place_count: int) -> Book:
    places = np.full(place_count, _FREE, np.int64)
    return Book(places, np.zeros(place_count // 2, np.int64), np.zeros(1, np.int64), _MULTIPLIERS)


def _grown(book: Book) -> Book:
    larger = _book(4 * book.places.size)
    larger.distinct[: book.distinct.size] = book.distinct
    larger.used[:] = book.used
    _move(book.places, larger.places)
    return larger


@without_refcounts
def _move(places: Int64Array, larger: Int64Array) -> None:
    for entry in places:
        if entry != _FREE:
            larger[_free_place(larger, entry)] = entry


@inlined
def _free_place(places: Int64Array, entry: int) -> int:
    mask = places.size - 1
    place = (entry >> np.int64(32)) & mask
    while places[place] != _FREE:
        place = (place + 1) & mask
    return int(place)


@without_refcounts
def _intern(buffer: ByteArray, spans: Int64Array, codes: Codes, row: int, book: Book) -> int:
    """Number spans from a row on until the book is full; give the row where it ends."""
    while row < spans.size and book.used[0] < book.distinct.size:
        if row > 0 and _is_repeated(buffer, spans, row):
            codes[row] = codes[row - 1]
        else:
            codes[row] = _number(buffer, spans[row], book) if spans[row] >= 0 else -1
        row += 1
    return row


@inlined
def _is_repeated(buffer: ByteArray, spans: Int64Array, row: int) -> bool:
    """Tell whether a span equals the one before it, as the groups of commits that come together do."""
    span, before = spans[row], spans[row - 1]
    return span == before or (span >= 0 and before >= 0 and _is_same(buffer, span, before))


@inlined
def _number(buffer: ByteArray, span: int, book: Book) -> int:
    mask, hashed = book.places.size - 1, _hash(buffer, span, book.multipliers)
    place = hashed & mask
    while book.places[place] != _FREE:
        entry = book.places[place]
        number = entry & 0xFFFFFFFF
        if entry >> np.int64(32) == hashed and _is_same(buffer, span, book.distinct[number]):
            return int(number)
        place = (place + 1) & mask
    number = book.used[0]
    book.places[place], book.distinct[number], book.used[0] = (hashed << np.int64(32)) | number, span, number + 1
    return int(number)


@inlined
def _hash(buffer: ByteArray, span: int, multipliers: npt.NDArray[np.uint64]) -> int:
    """Hash a span by random multipliers, one for each four bytes: whoever does not know them can't make collisions."""
    start, length = span >> LENGTH_BITS, span & LENGTH_MASK
    total = multipliers[0] + multipliers[1] * np.uint64(length)
    part = 2
    for at in range(start, start + length - 7, _WORD_BYTES):
        total += _product(little64(buffer, at), multipliers, part)
        part += 2
    total += _product(_last_word(buffer, start, length), multipliers, part)
    return int(np.int64(total >> np.uint64(33)))


@inlined
def _last_word(buffer: ByteArray, start: int, length: int) -> int:
    """Load the last bytes of a span; where there are eight, they may overlap those that were loaded before."""
    if length >= _WORD_BYTES:
        return int(little64(buffer, start + length - _WORD_BYTES))
    word = np.uint64(0)
    for at in range(start, start + length):
        word = (word << np.uint64(8)) | byte_at(buffer, at)
    return int(word)


@inlined
def _product(word: int, multipliers: npt.NDArray[np.uint64], part: int) -> int:
    low, high = word & np.uint64(0xFFFFFFFF), word >> np.uint64(32)
    place = part & (multipliers.size - 1)
    return int(multipliers[place] * low + multipliers[place + 1] * high)


@inlined
def _is_same(buffer: ByteArray, one: int, other: int) -> bool:
    length = one & LENGTH_MASK
    if length != other & LENGTH_MASK:
        return False
    first, second = one >> LENGTH_BITS, other >> LENGTH_BITS
    if _last_word(buffer, first, length) != _last_word(buffer, second, length):
        return False
    for index in range(0, length - _WORD_BYTES, _WORD_BYTES):
        if little64(buffer, first + index) != little64(buffer, second + index):
            return False
    return True
