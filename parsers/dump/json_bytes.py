"""Bytes of JSON values, written by compiled loops: numbers, the pairs of objects, lists.

Only loops over bytes belong here; they are told where to write and never allocate. Quoted text and base64 are in
`parsers.dump.json_letters`, what is written belongs to `parsers.dump.json_pieces`.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Final

import numpy as np

from parsers.dump.json_memory import (
    LEAD_BYTES,
    bit_length,
    byte_from,
    copy_bytes,
    copy_from,
    copy_two_words,
    number_from,
)
from parsers.inlined import inlined, uncounted

if TYPE_CHECKING:
    from parsers.words import ByteArray, Int64Array

NUMBER_BYTES: Final = 20
"""The most that a number takes."""

NULL_BYTES: Final = 4


class Cell(IntEnum):
    """Cells of the row that a pair has in a table of pairs; an address of 0 is none."""

    IS_TEXT = 0
    LEAD_START = 1
    LEAD_SIZE = 2
    VALUES = 3  # address of the numbers, or of where the texts start
    ENDS = 4  # of texts
    SOURCE = 5  # of texts
    VALID = 6  # of a mask: which numbers are not null
    PRESENT = 7  # of a mask: which rows have the pair
    VIA = 8  # of the index of each row among the texts


_COMMA: Final = 0x2C
_MINUS: Final = 0x2D
_NULL: Final = np.frombuffer(b"null", np.uint8)
_FOURS: Final = np.frombuffer(b"".join(b"%04d" % four for four in range(10_000)), np.uint8)
_TEN_THOUSAND: Final = np.uint64(10_000)
_DIGITS_OF_BITS: Final = np.array([len(str(2**bits - 1)) for bits in range(65)], np.int64)
"""The digits of the largest number of so many bits."""

_SMALLEST: Final = np.array([0, 0, *(10**power for power in range(1, 20))], np.uint64)
"""The smallest number of so many digits."""


@inlined
def _digit_count(magnitude: int) -> int:
    """Give the digits of a number: what its bits say, less one where the power of ten says that it is too many."""
    most = _DIGITS_OF_BITS[bit_length(magnitude)]
    count: int = most - (magnitude < _SMALLEST[most])
    return count


@inlined
def write_number(data: ByteArray, at: int, value: int) -> int:
    """Write a number, four digits at a time from the right; give where it ends."""
    if value < 0:
        data[at] = _MINUS
        at += 1
    rest = np.uint64(value if value >= 0 else -value)
    end = at + _digit_count(rest)
    place = end
    while rest >= _TEN_THOUSAND:
        four = np.int64(rest % _TEN_THOUSAND)
        rest //= _TEN_THOUSAND
        place -= 4
        copy_bytes(data, place, _FOURS, (4 * four, 4))
    for digit in range(place - at):
        data[at + digit] = _FOURS[4 * np.int64(rest) + 4 - (place - at) + digit]
    return int(end)


@inlined
def copy_lead(data: ByteArray, at: int, leads: ByteArray, start: int, size: int) -> int:
    """Copy what stands before a value; give where it ends. Behind both arrays' last byte is room for LEAD_BYTES."""
    for done in range(0, size, LEAD_BYTES):
        copy_two_words(data, at + done, leads, start + done)
    return at + size


@inlined
def write_null(data: ByteArray, at: int) -> int:
    """Write null; give where it ends."""
    copy_bytes(data, at, _NULL, (0, NULL_BYTES))
    return at + NULL_BYTES


@inlined
def _text_size(pair: Int64Array, row: int) -> int:
    index = number_from(pair[Cell.VIA], row) if pair[Cell.VIA] else row
    start = number_from(pair[Cell.VALUES], index)
    size: int = number_from(pair[Cell.ENDS], index) - start
    return size if start >= 0 else np.int64(0)


@uncounted
def measure_texts(pairs: Int64Array, sizes: Int64Array) -> None:
    """Add to each row the bytes that its texts take that are not null, its missing pairs included."""
    for pair in pairs:
        for row in range(sizes.size if pair[Cell.IS_TEXT] else 0):
            sizes[row] += _text_size(pair, row)


@inlined
def _write_value(data: ByteArray, at: int, pair: Int64Array, row: int) -> int:
    if pair[Cell.IS_TEXT] == 0:
        if pair[Cell.VALID] and not byte_from(pair[Cell.VALID], row):
            return write_null(data, at)
        return write_number(data, at, number_from(pair[Cell.VALUES], row))
    index = number_from(pair[Cell.VIA], row) if pair[Cell.VIA] else row
    start = number_from(pair[Cell.VALUES], index)
    if start < 0:
        return write_null(data, at)
    size: int = number_from(pair[Cell.ENDS], index) - start
    copy_from(data, at, pair[Cell.SOURCE] + start, size)
    return at + size


@uncounted
def write_rows(
    data: ByteArray,
    pairs: Int64Array,
    leads: ByteArray,
    frame: tuple[int, int, int, int],
    rows: tuple[int, Int64Array, Int64Array],
) -> int:
    """Write an object for each row from the first on, and where it starts and ends; give where the last one ends.

    `frame` says where in `leads` the opening and the closing start, and how long each is. `data` has room behind the
    last object for what `copy_lead` writes too much.
    """
    opening, opening_size, closing, closing_size = frame
    low, starts, ends = rows
    at = np.int64(0)
    for place in range(starts.size):
        starts[place] = at
        first = at = copy_lead(data, at, leads, opening, opening_size)
        for pair in pairs:
            if pair[Cell.PRESENT] and not byte_from(pair[Cell.PRESENT], low + place):
                continue
            if at > first:
                data[at] = _COMMA
                at += 1
            at = copy_lead(data, at, leads, pair[Cell.LEAD_START], pair[Cell.LEAD_SIZE])
            at = _write_value(data, at, pair, low + place)
        at = copy_lead(data, at, leads, closing, closing_size)
        ends[place] = at
    return int(at)


@uncounted
def measure_lists(edges: Int64Array, starts: Int64Array, ends: Int64Array, sizes: Int64Array) -> None:
    """Give the bytes of each list, whose elements are those between two edges."""
    for row in range(sizes.size):
        count = edges[row + 1] - edges[row]
        size = 2 + max(count - 1, 0)
        for element in range(edges[row], edges[row + 1]):
            size += ends[element] - starts[element] if starts[element] >= 0 else NULL_BYTES
        sizes[row] = size


@uncounted
def write_lists(
    data: ByteArray, firsts: Int64Array, edges: Int64Array, texts: tuple[ByteArray, Int64Array, Int64Array]
) -> None:
    """Write the elements of each list with commas between them; the brackets are the caller's."""
    source, starts, ends = texts
    for row in range(firsts.size):
        at = firsts[row] + 1
        for element in range(edges[row], edges[row + 1]):
            if element > edges[row]:
                data[at] = _COMMA
                at += 1
            if starts[element] < 0:
                at = write_null(data, at)
            else:
                size = ends[element] - starts[element]
                copy_bytes(data, at, source, (starts[element], size))
                at += size
