"""JSON texts of many rows at a time: strings, base64, lists and objects, each a stretch of one buffer.

Put here what needs no Arrow and no Kafka. Loops over bytes are in `parsers.dump.json_bytes`, how columns become texts
is in `parsers.dump.json_text`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from parsers.dump import json_bytes as loops
from parsers.dump import json_letters as letters
from parsers.dump.json_memory import LEAD_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from parsers.words import ByteArray, Int64Array

Mask = npt.NDArray[np.bool_]
Number = TypeVar("Number", bound=np.generic)

Frame = tuple[bytes, bytes]
"""What stands before the pairs of an object and what behind them, the braces and more."""

PLAIN_FRAME: Final[Frame] = (b"{", b"}")
LINE_FRAME: Final[Frame] = (b"{", b"}\n")
_FOLDED_FROM: Final = 256
"""Rows from which on looking for what is the same in all of them costs less than writing it."""
_NULL: Final = b"null"
_NO_BYTES: Final = np.frombuffer(b"", np.uint8)
_OVERHANG_BYTES: Final = LEAD_BYTES


@dataclass(frozen=True)
class Texts:
    """A JSON text for each row: a stretch of `data`, or null where it starts below zero."""

    data: ByteArray
    starts: Int64Array
    ends: Int64Array

    def __len__(self) -> int:
        """Give the number of rows."""
        return self.starts.size

    def take(self, rows: npt.NDArray[np.signedinteger]) -> Texts:
        """Give the texts of some rows, in this order; a row below zero is null."""
        if not len(self):
            return Texts(self.data, np.full(rows.size, -1), np.full(rows.size, -1))
        starts = self.starts[rows]
        return Texts(self.data, np.where(rows < 0, -1, starts) if (rows < 0).any() else starts, self.ends[rows])

    def inside(self) -> Texts:
        """Give the texts without their first and last character: the pairs of objects, to be put into others."""
        return Texts(self.data, self.starts + 1, self.ends - 1)

    def laid_out(self) -> Texts:
        """Give the texts in columns that a loop may go over by their address."""
        starts, ends = (np.ascontiguousarray(edge, np.int64) for edge in (self.starts, self.ends))
        return Texts(np.ascontiguousarray(self.data), starts, ends)

    def null_where(self, is_null: Mask) -> Texts:
        """Give the texts with null in some rows."""
        return Texts(self.data, np.where(is_null, -1, self.starts), self.ends)

    def to_bytes(self, row: int) -> bytes:
        """Give the text of one row."""
        return self.data[self.starts[row] : self.ends[row]].tobytes() if self.starts[row] >= 0 else _NULL


class Room:
    """Memory for texts, taken again and again: what was taken is overwritten by the next taking."""

    def __init__(self) -> None:
        """Begin without memory."""
        self._bytes = np.empty(0, np.uint8)

    def taken(self, size: int) -> ByteArray:
        """Take so many bytes."""
        if size > self._bytes.size:
            self._bytes = np.empty(size, np.uint8)
        return self._bytes[:size]


@dataclass(frozen=True)
class Pair:
    """A name with a value for each row of a column of objects; `lead` is all that stands before the value."""

    lead: bytes
    values: Texts | Int64Array
    is_valid: Mask | None = None
    """Where a number is not null; a text says itself where it is null."""
    is_present: Mask | None = None
    """Which rows have the pair."""
    via: Int64Array | None = None
    """Which of the texts each row has, where there is not one for each."""

    def settled(self) -> Pair:
        """Give the pair without the mask of rows that have it, when all of them do."""
        return self if self.is_present is None or not self.is_present.all() else replace(self, is_present=None)

    def constant(self) -> bytes | None:
        """Give the value that all rows have; None where they differ, or where a row may lack the pair."""
        if self.is_present is not None or not len(self.values):
            return None
        if isinstance(self.values, Texts):
            return self._constant_text(self.values)
        if self.is_valid is not None and not self.is_valid.all():
            return None if self.is_valid.any() else _NULL
        return b"%d" % self.values[0] if _is_constant(self.values) else None

    def _constant_text(self, texts: Texts) -> bytes | None:
        if self.via is not None:
            return texts.to_bytes(int(self.via[0])) if _is_constant(self.via) else None
        return texts.to_bytes(0) if _is_constant(texts.starts) and _is_constant(texts.ends) else None

    def laid_out(self) -> Pair:
        """Give the pair with columns that a loop may go over by their address."""
        values = (
            self.values.laid_out() if isinstance(self.values, Texts) else np.ascontiguousarray(self.values, np.int64)
        )
        is_valid, is_present = (_contiguous(mask, np.bool_) for mask in (self.is_valid, self.is_present))
        return Pair(self.lead, values, is_valid, is_present, _contiguous(self.via, np.int64))

    def cells(self, lead_start: int) -> tuple[int, ...]:
        """Give the row of a table of pairs; the arrays must live for as long as it is used."""
        lead = (lead_start, len(self.lead))
        present = _address(self.is_present)
        if isinstance(self.values, Texts):
            texts = self.values
            places = (_address(texts.starts), _address(texts.ends), _address(texts.data))
            return (1, *lead, *places, 0, present, _address(self.via))
        return (0, *lead, _address(self.values), 0, 0, _address(self.is_valid), present, 0)


def _contiguous(column: npt.NDArray[Any] | None, kind: type[Number]) -> npt.NDArray[Number] | None:
    return None if column is None else np.ascontiguousarray(column, kind)


def _address(column: npt.NDArray[Any] | None) -> int:
    """Give the address of a column for a compiled loop; 0 where there is none."""
    return 0 if column is None else int(column.ctypes.data)


def _is_constant(values: Int64Array) -> bool:
    return bool(values[0] == values[-1] and (values == values[0]).all())


def named(name: str, values: Texts | Int64Array, is_valid: Mask | None = None, is_present: Mask | None = None) -> Pair:
    """Give the pair of a plain name."""
    return Pair(f'"{name}":'.encode(), values, is_valid, is_present)


class Objects:
    """Objects that are about to be written, one for each row, as many rows at a time as the caller wants."""

    def __init__(self, pairs: Iterable[Pair], count: int) -> None:
        """Lay out the pairs, and measure the most that each object can take, the frame left out."""
        folded = _folded(pairs, count) if count >= _FOLDED_FROM else pairs
        self._pairs = tuple(pair.laid_out() for pair in folded)
        self._leads = b"".join(pair.lead for pair in self._pairs)
        sizes = [len(pair.lead) for pair in self._pairs]
        cells = [pair.cells(sum(sizes[:number])) for number, pair in enumerate(self._pairs)]
        self._cells = np.array(cells, np.int64).reshape(len(cells), len(loops.Cell))
        self.sizes = np.full(count, len(self._leads) + (1 + loops.NUMBER_BYTES) * len(cells))
        loops.measure_texts(self._cells, self.sizes)

    def write(self, low: int, high: int, frame: Frame = PLAIN_FRAME, room: Room | None = None) -> Texts:
        """Write the objects of some rows, one after the other."""
        opening, closing = frame
        most = int(self.sizes[low:high].sum()) + (high - low) * (len(opening) + len(closing)) + _OVERHANG_BYTES
        leads = np.frombuffer(b"".join([self._leads, opening, closing, bytes(_OVERHANG_BYTES)]), np.uint8)
        places = (len(self._leads), len(opening), len(self._leads) + len(opening), len(closing))
        data, edges = (room or Room()).taken(most), np.empty((2, high - low), np.int64)
        end = loops.write_rows(data, self._cells, leads, places, (low, edges[0], edges[1]))
        return _texts(data[:end], edges[0], edges[1])


def objects(pairs: Iterable[Pair], count: int, frame: Frame = PLAIN_FRAME) -> Texts:
    """Write an object for each row, all of them one after the other, in a frame of their own or in plain braces."""
    return Objects(pairs, count).write(0, count, frame)


def _folded(pairs: Iterable[Pair], count: int) -> Iterator[Pair]:
    """Write pairs that are the same in every row as part of the next one, which saves a pass over the rows for each."""
    pending: list[bytes] = []
    for pair in (pair.settled() for pair in pairs if pair.is_present is None or pair.is_present.any()):
        constant = pair.constant()
        if constant is not None:
            pending.append(pair.lead + constant)
        elif pending and pair.is_present is None:
            yield replace(pair, lead=b",".join([*pending, pair.lead]))
            pending = []
        else:
            yield pair
    if pending:
        nothing = np.zeros(count, np.int64)
        yield Pair(b",".join(pending), Texts(_NO_BYTES, nothing, nothing))


def lists(edges: Int64Array, elements: Texts) -> Texts:
    """Write a list for each row, of the elements between one edge and the next."""
    sizes = np.empty(edges.size - 1, np.int64)
    loops.measure_lists(edges, elements.starts, elements.ends, sizes)
    data, starts, ends = _room(sizes)
    data[starts] = ord("[")
    data[ends - 1] = ord("]")
    loops.write_lists(data, starts, edges, (elements.data, elements.starts, elements.ends))
    return _texts(data, starts, ends)


def strings(source: ByteArray, starts: Int64Array, ends: Int64Array) -> Texts:
    """Write stretches of UTF-8 as JSON strings in ASCII; a start below zero is null."""
    sizes = np.empty(starts.size, np.int64)
    letters.measure_quoted(source, starts, ends, sizes)
    data, firsts, lasts = _room(sizes)
    letters.write_quoted(data, firsts, source, (starts, ends), sizes)
    return _texts(data, np.where(starts < 0, -1, firsts), lasts)


def base64_strings(source: ByteArray, starts: Int64Array, ends: Int64Array) -> Texts:
    """Write stretches of bytes as JSON strings of base64; a start below zero is null."""
    sizes = np.where(starts < 0, 0, (ends - starts + 2) // 3 * 4 + 2)
    data, firsts, lasts = _room(sizes)
    letters.write_base64(data, firsts, source, starts, ends)
    return _texts(data, np.where(starts < 0, -1, firsts), lasts)


def numbers(values: Int64Array) -> Texts:
    """Write numbers as texts, to be put into lists."""
    return objects([Pair(b"", values)], values.size).inside()


def words(texts: Sequence[bytes]) -> Texts:
    """Take finished JSON texts, one for each row."""
    sizes = np.array([len(text) for text in texts], np.int64)
    ends = np.cumsum(sizes)
    return _texts(np.frombuffer(b"".join(texts), np.uint8), ends - sizes, ends)


def collected(count: int, parts: Sequence[tuple[Int64Array, Texts]]) -> Texts:
    """Put together texts that were written for some of the rows each; rows in no part are null."""
    if len(parts) == 1 and len(parts[0][1]) == count:
        return parts[0][1]
    starts, ends, size = np.full(count, -1), np.full(count, -1), 0
    for rows, texts in parts:
        starts[rows] = np.where(texts.starts < 0, -1, texts.starts + size)
        ends[rows] = texts.ends + size
        size += texts.data.size
    data = np.concatenate([texts.data for _rows, texts in parts]) if parts else np.zeros(0, np.uint8)
    return _texts(data, starts, ends)


def _room(sizes: Int64Array) -> tuple[ByteArray, Int64Array, Int64Array]:
    ends = np.cumsum(sizes)
    return np.empty(int(sizes.sum()), np.uint8), ends - sizes, ends


def _texts(data: ByteArray, starts: Int64Array, ends: Int64Array) -> Texts:
    """Seal the buffer: compiled loops then see one kind of array, read-only, and are compiled once."""
    data.flags.writeable = False
    return Texts(data, starts, ends)
