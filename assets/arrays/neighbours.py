"""Rows with the same key, in the order of their log: the next one, and the last one before.

Put here what is true of any rows with keys. The meaning of the rows belongs in `assets.transforms`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from parsers.words import Int64Array

Mask = NDArray[np.bool_]

NO_ROW = -1
"""The row that is not there."""


def following(keys: Int64Array, among: Mask) -> Int64Array:
    """For each row the first one after it with the same key, of those among which to look; NO_ROW without one."""
    return _neighbour(keys, among, steps=0)


def latest(keys: Int64Array, among: Mask) -> Int64Array:
    """For each row the last one with the same key that is not after it, of those among which to look."""
    return _neighbour(keys, among, steps=-1)


def before(keys: Int64Array, among: Mask) -> Int64Array:
    """For each row the last one before it with the same key, of those among which to look; NO_ROW without one."""
    last = latest(keys, among)
    nexts = following(keys, among)
    previous = np.full(keys.size, NO_ROW, np.int64)
    rows = np.flatnonzero(among & (nexts != NO_ROW))
    previous[nexts[rows]] = rows
    return np.where(among, previous, last)


def _neighbour(keys: Int64Array, among: Mask, *, steps: int) -> Int64Array:
    """The neighbour of each row by bisection, over keys and rows as one ordered number."""
    size = keys.size + 1
    rows = np.flatnonzero(among)
    places = np.sort(keys[rows] * size + rows)
    at = np.searchsorted(places, keys * size + np.arange(keys.size), side="right") + steps
    is_there = (at >= 0) & (at < places.size)
    neighbours = places[np.where(is_there, at, 0)] if places.size else np.zeros(keys.size, np.int64)
    return np.where(is_there & (neighbours // size == keys), neighbours % size, NO_ROW)


def at_rows(values: Int64Array, rows: Int64Array, otherwise: int = NO_ROW) -> Int64Array:
    """The values of rows; of NO_ROW something else."""
    padded = np.append(values, np.int64(otherwise))
    return padded[rows]


def take_rows(column: pa.ChunkedArray | pa.Array, rows: Int64Array) -> pa.Array:
    """The values of rows; NULL of NO_ROW."""
    values = column.take(pa.array(rows, mask=rows < 0))
    return values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values


def holds(mask: Mask, rows: Int64Array, *, otherwise: bool = False) -> Mask:
    """The mask at rows; `otherwise` for NO_ROW."""
    padded: Mask = np.append(mask, np.bool_(otherwise))
    return padded[rows]


def list_by_owner(owners: Int64Array, count: int, fields: Mapping[str, pa.Array]) -> pa.ListArray:
    """One list of structs for each of `count` owners, from the rows of the owner; owners ascend."""
    edges = np.searchsorted(owners, np.arange(count + 1))
    structs = pa.StructArray.from_arrays(list(fields.values()), list(fields))
    return pa.ListArray.from_arrays(pa.array(edges, pa.int32()), structs)


def concatenate(tables: Sequence[pa.Table], schema: pa.Schema) -> pa.Table:
    """The rows of some tables, with the columns of one schema."""
    return pa.concat_tables([schema.empty_table(), *(table.select(schema.names).cast(schema) for table in tables)])
