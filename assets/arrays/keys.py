"""Keys of several columns as one number each, so that whole columns can be sorted and compared.

Put here only what numbers a key. What is done for each key belongs to the subject.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from parsers.words import Int64Array


MOST_NUMBERS: Final = 1 << 62
"""Numbers of several columns are one product as long as it is not above this."""

MOST_PER_ROW: Final = 2
"""Numbers are given again, one after the other, if the largest is above so many times the rows."""


def table_keys(table: pa.Table, names: Sequence[str]) -> Int64Array:
    """One number per row, the same for rows that are equal in these columns; NULL equals NULL."""
    return row_keys(*(table[name] for name in names))


def row_keys(*columns: pa.ChunkedArray | pa.Array | Int64Array) -> Int64Array:
    """One number per row, the same for rows that are equal in all columns; NULL equals NULL."""
    rows = len(columns[0])
    numbers, count = np.zeros(rows, np.int64), 1
    for column in columns:
        own = _number_values(column)
        own_count = int(own.max(initial=0)) + 1
        if count * own_count > MOST_NUMBERS:
            numbers = _number_values(numbers)
            count = int(numbers.max(initial=0)) + 1
        numbers, count = numbers * own_count + own, count * own_count
    return numbers if count <= MOST_PER_ROW * rows else _number_values(numbers)


def _number_values(values: pa.ChunkedArray | pa.Array | Int64Array) -> Int64Array:
    """Number a column's values; NULL is a value like any other, and columns without a row have no number."""
    column = values if isinstance(values, pa.ChunkedArray) else pa.chunked_array([pa.array(values)])
    if column.null_count == len(column):
        return np.zeros(len(column), np.int64)
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    indices = column.unify_dictionaries().combine_chunks().indices
    numbers: Int64Array = indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64) + 1
    return numbers


def latest_before(number: Int64Array, values: Int64Array) -> Int64Array:
    """The largest value before each row among the rows with the same number, which are adjacent; -1 for none.

    Values are not negative.
    """
    begins = np.ones(number.size, np.bool_)
    begins[1:] = number[1:] != number[:-1]
    before = np.concatenate([values[:1], values[:-1]])
    if not (begins[1:] | (values[1:] > values[:-1])).all():
        before = _running(begins, before)
    latest: Int64Array = np.where(begins, -1, before)
    return latest


def _running(begins: NDArray[np.bool_], before: Int64Array) -> Int64Array:
    """The largest value since the last beginning, by ranks: a multiple of them separates the runs."""
    ordered, rank = np.unique(np.where(begins, -1, before), return_inverse=True)
    run = np.cumsum(begins) * ordered.size
    largest: Int64Array = ordered[np.maximum.accumulate(run + rank) - run]
    return largest


def last_before(number: Int64Array, place: Int64Array, count: int) -> Int64Array:
    """For each row but the first `count`: the last one of these with its number and a lower place; -1 for none."""
    # At the same place the later rows sort first, so that they do not match a row of that place.
    order = np.lexsort([np.arange(number.size) < count, place, number])
    so_far = np.maximum.accumulate(np.where(order < count, np.arange(order.size), -1))
    has_earlier = (so_far >= 0) & (number[order[so_far]] == number[order])
    earlier = np.full(number.size, -1)
    earlier[order] = np.where(has_earlier, order[so_far], -1)
    last: Int64Array = earlier[count:]
    return last
