"""The cells of keys and values, as bytes that stand together in one buffer: plain, in base64, or as kcat prints them.

Put here how a column of cells becomes bytes. What the bytes say is read by `parsers.offset_records`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parsers.words import ByteArray, Int64Array

_BAD: Final = 255
_PADDING: Final = ord("=")
_REPLACED: Final = "\ufffd".encode().decode("latin-1").encode()
"""What a tool wrote in place of bytes that it took for broken text."""


_BEYOND_LATIN_1: Final = 0xC4
"""In UTF-8 a character that is no byte begins with this or more."""
_GOES_ON: Final = 0x80


def _sextets() -> ByteArray:
    table = np.full(256, _BAD, np.uint8)
    alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    table[np.frombuffer(alphabet, np.uint8)] = np.arange(64)
    table[list(b"-_")] = (62, 63)
    table[_PADDING] = 0
    return table


_SEXTETS: Final = _sextets()


class Cells(NamedTuple):
    """Cells in a buffer: from where to where (a start of -1 is null), and which of them could not be read."""

    buffer: ByteArray
    start: Int64Array
    end: Int64Array
    is_bad: NDArray[np.bool_]


def plain_cells(column: pa.Array) -> Cells:
    """Bytes as they are."""
    start, end, buffer = _edges(column)
    return Cells(buffer, *_null_at(column, start, end), np.zeros(len(column), np.bool_))


def base64_cells(column: pa.Array) -> Cells:
    """Base64, with the usual alphabet or that for URLs: every cell is whole groups of four, so all are read at once."""
    start, end, text = _edges(column)
    is_bad = (end - start) % 4 != 0
    start, end, text = _side_by_side(start, end, text, is_bad)
    sextets = _SEXTETS[text].reshape(-1, 4)
    is_padding = text.reshape(-1, 4) == _PADDING
    padding = _counts_before(is_padding.sum(axis=1))
    first, last = start // 4, end // 4
    is_bad |= _has_any((sextets == _BAD).any(axis=1) | _is_misplaced(is_padding), first, last)
    is_bad |= padding[np.maximum(last - 1, first)] != padding[first]
    starts, ends = first * 3, last * 3 - (padding[last] - padding[first])
    return Cells(_octets(sextets), *_null_at(column, starts, np.maximum(ends, starts)), is_bad)


def kcat_cells(column: pa.Array) -> Cells:
    """Bytes that kcat printed as they are: read as Latin-1, each is one character of the text, which is UTF-8 here."""
    start, end, text = _edges(column)
    whole = text.tobytes()
    is_bad = _has_any(text >= _BEYOND_LATIN_1, start, end)
    if _REPLACED in whole:
        is_bad |= np.array([_REPLACED in whole[a:b] for a, b in zip(start, end, strict=True)], np.bool_)
    after = _counts_before((text & 0xC0) == _GOES_ON)
    buffer = np.frombuffer(whole.decode().encode("latin-1", "replace"), np.uint8)
    return Cells(buffer, *_null_at(column, start - after[start], end - after[end]), is_bad)


def _side_by_side(
    start: Int64Array, end: Int64Array, text: ByteArray, is_left_out: NDArray[np.bool_]
) -> tuple[Int64Array, Int64Array, ByteArray]:
    """The cells one behind the other from 0 on; those that are left out are empty."""
    if not len(start):
        return start, end, text[:0]
    if not is_left_out.any():
        return start - start[0], end - start[0], text[start[0] : end[-1]]
    length = np.where(is_left_out, 0, end - start)
    edges = np.concatenate([[0], np.cumsum(length)])
    content = np.concatenate([text[a : a + n] for a, n in zip(start, length, strict=True)])
    return edges[:-1], edges[1:], content


def _counts_before(counts: NDArray[Any]) -> Int64Array:
    """How many there are before each place."""
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])


def _has_any(is_hit: NDArray[np.bool_], start: Int64Array, end: Int64Array) -> NDArray[np.bool_]:
    """Which of the stretches hold one of those that were found."""
    before = _counts_before(is_hit)
    holds: NDArray[np.bool_] = before[end] != before[start]
    return holds


def _octets(sextets: ByteArray) -> ByteArray:
    """Four times six bits are three times eight."""
    a, b, c, d = sextets.T
    return np.stack([a << 2 | b >> 4, b << 4 | c >> 2, c << 6 | d], axis=1).astype(np.uint8).reshape(-1)


def _is_misplaced(is_padding: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Padding stands at the end of a group only."""
    wrong: NDArray[np.bool_] = is_padding[:, 0] | is_padding[:, 1] | (is_padding[:, 2] & ~is_padding[:, 3])
    return wrong


def _edges(column: pa.Array) -> tuple[Int64Array, Int64Array, ByteArray]:
    """Where the cells of a column stand in its buffer."""
    kind = pa.large_binary() if pa.types.is_large_binary(column.type) else pa.binary()
    kind = pa.large_binary() if pa.types.is_large_string(column.type) else kind
    column = column.cast(kind)
    _validity, offsets, data = column.buffers()
    number = np.int64 if pa.types.is_large_binary(kind) else np.int32
    edges = np.frombuffer(offsets, number)[column.offset : column.offset + len(column) + 1].astype(np.int64)
    buffer = np.empty(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)
    return edges[:-1], edges[1:], buffer


def _null_at(column: pa.Array, start: Int64Array, end: Int64Array) -> tuple[Int64Array, Int64Array]:
    """Null cells begin and end at -1."""
    if not column.null_count:
        return start, end
    is_null = column.is_null().to_numpy(zero_copy_only=False)
    return np.where(is_null, -1, start), np.where(is_null, -1, end)
