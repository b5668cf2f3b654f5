"""Rows looked up by key and log offset for many others: the records that commits refer to.

Put here how rows are found by their keys and their place in the log. What they say belongs to the subject.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assets.arrays.neighbours import NO_ROW, at_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from parsers.words import Int64Array

DENSE: Final = 4_000_000
"""Numbers up to here are looked up in a table, which takes a tenth of the time of a search."""


class Keys:
    """The keys of some rows, numbered; each distinct text is looked up once."""

    def __init__(self, rows: pa.Table, names: Sequence[str]) -> None:
        """Number the keys, column by column: two columns become one number before the next is added."""
        self.own = np.zeros(rows.num_rows, np.int64)
        """The number of each row's key."""
        self.count = min(rows.num_rows, 1)
        self._steps: list[tuple[str, pa.Array, Int64Array]] = []
        for name in names:
            values = pc.unique(rows[name])
            both = self.own * len(values) + _places(rows[name], values)
            known, self.own = np.unique(both, return_inverse=True)
            self.count = known.size
            self._steps.append((name, values, known))

    def find(self, queries: pa.Table) -> Int64Array:
        """The number of each key; NO_ROW for a key that no row has."""
        keys = np.zeros(queries.num_rows, np.int64)
        for name, values, known in self._steps:
            place = _places(queries[name], values)
            is_there = (keys != NO_ROW) & (place != NO_ROW)
            keys = _position_among(np.where(is_there, keys * len(values) + place, NO_ROW), known)
        return keys


def last_at(keys: Int64Array, places: Int64Array, count: int, wanted_keys: Int64Array, at: Int64Array) -> Int64Array:
    """For each that asks the last row with its key that is not behind its place; NO_ROW without one.

    Keys are numbered up to `count`. Mostly the last row of a key is the one, so only the others are searched for.
    """
    order = np.lexsort((places, keys))
    edges = np.append(np.searchsorted(keys[order], np.arange(count)), keys.size)
    low, high = at_rows(edges[:-1], wanted_keys, 0), at_rows(edges[1:], wanted_keys, 0)
    rows = np.where(high > low, np.append(order, NO_ROW)[high - 1], NO_ROW)
    late = np.flatnonzero(at_rows(places, rows) > at)
    distinct = np.unique(places)
    size = distinct.size + 1
    stands = keys[order] * size + np.searchsorted(distinct, places[order]) + 1
    targets = wanted_keys[late] * size + np.searchsorted(distinct, at[late], side="right")
    before = np.searchsorted(stands, targets, side="right") - 1
    rows[late] = np.where(before >= low[late], np.append(order, NO_ROW)[before], NO_ROW)
    return rows


def _places(column: pa.ChunkedArray, values: pa.Array) -> Int64Array:
    """The position of each value among distinct ones; NO_ROW for others."""
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    if not pa.types.is_dictionary(column.type):
        return _numbers(pc.index_in(column, values))
    coded = column.unify_dictionaries().combine_chunks()
    return at_rows(_numbers(pc.index_in(coded.dictionary, values)), _numbers(coded.indices))


def _numbers(places: pa.ChunkedArray | pa.Array) -> Int64Array:
    numbers: Int64Array = pc.fill_null(places, NO_ROW).cast(pa.int64()).to_numpy()
    return numbers


def _position_among(numbers: Int64Array, known: Int64Array) -> Int64Array:
    """The position of each number among known ones, which ascend and are not negative; NO_ROW for others."""
    last = int(known[-1]) if known.size else NO_ROW
    if last < DENSE:
        table = np.full(last + 2, NO_ROW, np.int64)
        table[known] = np.arange(known.size)
        return table[np.where(numbers <= last, numbers, NO_ROW)]
    place = np.minimum(np.searchsorted(known, numbers), known.size - 1)
    return np.where(known[place] == numbers, place, NO_ROW)
