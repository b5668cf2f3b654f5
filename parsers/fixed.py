"""Structures of fixed width at given positions of a buffer, read into columns by a numpy dtype.

Only the interpreter belongs here; the dtypes are in `parsers.layouts`. Fields must end at byte 8 or later, because
each is taken from the eight bytes that end where it ends.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from parsers.compiled import compiled
from parsers.words import ByteArray, Int64Array, big64

_WORD_BYTES: Final = 8


def read_fixed(buffer: ByteArray, starts: Int64Array, layout: np.dtype[np.void]) -> dict[str, Int64Array]:
    """Read `layout` at every position of `starts`: one int64 column per field."""
    columns = _read(buffer, starts, _field_table(layout))
    return dict(zip(_names(layout), columns, strict=True))


def offset_of(layout: np.dtype[np.void], field: str) -> int:
    """Give the byte of a structure at which a field begins."""
    return int(dict(layout.fields or {})[field][1])


def _names(layout: np.dtype[np.void]) -> tuple[str, ...]:
    return layout.names or ()


def _field_table(layout: np.dtype[np.void]) -> Int64Array:
    fields = [(layout[name], offset_of(layout, name)) for name in _names(layout)]
    rows = [(at + kind.itemsize - _WORD_BYTES, 64 - 8 * kind.itemsize, kind.kind == "u") for kind, at in fields]
    return np.array(rows, np.int64)


@compiled
def _read(buffer: ByteArray, starts: Int64Array, table: Int64Array) -> Int64Array:
    columns = np.empty((len(table), len(starts)), np.int64)
    for row in range(len(starts)):
        for field in range(len(table)):
            word = big64(buffer, starts[row] + table[field, 0]) << table[field, 1]
            if table[field, 2]:
                columns[field, row] = np.int64(np.uint64(word) >> np.uint64(table[field, 1]))
            else:
                columns[field, row] = word >> table[field, 1]
    return columns
