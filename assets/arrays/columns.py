"""Between columns of Arrow and arrays of NumPy: the few crossings that every subject makes.

Put here only what changes the form of a column. What a value means belongs to the subject.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Sequence

    from parsers.words import Int64Array

Mask: TypeAlias = NDArray[np.bool_]


def flags(column: pa.ChunkedArray | pa.Array) -> Mask:
    """A column of yes and no; NULL is no."""
    mask: Mask = pc.fill_null(column, fill_value=False).to_numpy(zero_copy_only=False)
    return mask


def numbers(column: pa.ChunkedArray) -> Int64Array:
    """A column of whole numbers; the value in place of NULL has no meaning."""
    array: Int64Array = pc.fill_null(column, -1).to_numpy().astype(np.int64, copy=False)
    return array


def minus(high: Int64Array, low: Int64Array) -> Int64Array:
    """The differences of numbers, saturated at 64 bits: as the macro `minus`."""
    apart = high - low
    most = np.where(high > low, np.iinfo(np.int64).max, np.iinfo(np.int64).min)
    return np.where((apart > 0) == (high > low), apart, most)


def or_null(values: NDArray[Any], is_known: Mask, kind: pa.DataType | None = None) -> pa.Array:
    """A column of these values, NULL where they are not known."""
    column = pa.array(values, mask=~is_known)
    return column if kind is None else column.cast(kind)


def words_of(numbers: NDArray[Any], names: Sequence[str]) -> pa.Array:
    """A column of words from their numbers among the names."""
    return pa.DictionaryArray.from_arrays(pa.array(numbers.astype(np.int32)), pa.array(names))


def fields(column: pa.ChunkedArray) -> dict[str, pa.Array]:
    """The fields of a column of structs, NULL where the struct is."""
    array = column.combine_chunks()
    return dict(zip((field.name for field in column.type), array.flatten(), strict=True))


def where(table: pa.Table, wanted: pa.ChunkedArray) -> pa.Table:
    """The rows that are wanted; where that is all of them, as mostly, nothing is copied."""
    return table if wanted.null_count == 0 and pc.all(wanted, min_count=0).as_py() else table.filter(wanted)


def like(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """The table with the types of a schema, in text columns and dictionaries."""
    columns = [_like(table[field.name], field.type) for field in schema]
    return pa.table(columns, schema=pa.schema([field.with_nullable(nullable=True) for field in schema]))


def _like(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    if column.type == kind:
        return column
    if pa.types.is_dictionary(kind) and not pa.types.is_dictionary(column.type):
        return column.dictionary_encode()
    return column.cast(kind)
