"""A few rows placed among many: the same column with nulls between its values.

Put here how each kind of Arrow array is spread. It costs little more than the few rows: what lies between them is
memory that the system gives zeroed, and that nobody has touched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from parsers.messages.arrays.schemas import null_array

if TYPE_CHECKING:
    from parsers.words import Int64Array

Number = TypeVar("Number", bound=np.generic)


def spread(array: pa.Array, rows: Int64Array, count: int) -> pa.Array:
    """Give an array of `count` values: those of `array` at `rows`, which ascend, and nulls everywhere else."""
    kind = array.type
    if pa.types.is_dictionary(kind):
        return pa.DictionaryArray.from_arrays(spread(array.indices, rows, count), array.dictionary, safe=False)
    if array.null_count == len(array):
        return null_array(kind, count)
    bitmap = _bits(np.asarray(array.is_valid()), rows, count)
    if pa.types.is_struct(kind):
        children = [spread(array.field(index), rows, count) for index in range(kind.num_fields)]
        return pa.Array.from_buffers(kind, count, [bitmap], children=children)
    if pa.types.is_list(kind):
        buffers = [bitmap, _places(array.offsets.to_numpy(), rows, count)]
        return pa.Array.from_buffers(kind, count, buffers, children=[array.values])
    if pa.types.is_string(kind) or pa.types.is_binary(kind):
        _, places, data = array.buffers()
        edges = np.frombuffer(places, np.int32)[array.offset : array.offset + len(array) + 1]
        return pa.Array.from_buffers(kind, count, [bitmap, _places(edges, rows, count), data])
    return _numbers(array, bitmap, rows, count)


def _numbers(array: pa.Array, bitmap: pa.Buffer, rows: Int64Array, count: int) -> pa.Array:
    if pa.types.is_boolean(array.type):
        data = _bits(array.fill_null(False).to_numpy(zero_copy_only=False), rows, count)  # noqa: FBT003 - its value
        return pa.Array.from_buffers(array.type, count, [bitmap, data])
    values = np.frombuffer(array.buffers()[1], array.type.to_pandas_dtype())[array.offset : array.offset + len(array)]
    spaced = spread_numbers(values, rows, count)
    return pa.Array.from_buffers(array.type, count, [bitmap, pa.py_buffer(np.ascontiguousarray(spaced))])


def spread_numbers(values: npt.NDArray[Number], rows: Int64Array, count: int) -> npt.NDArray[Number]:
    """Give `count` numbers: those at `rows`, and zeros everywhere else; zeros alone take no memory."""
    if not values.any():
        return np.broadcast_to(values.dtype.type(0), count)
    spaced = np.zeros(count, values.dtype)
    spaced[rows] = values
    return spaced


def _bits(is_set: np.ndarray, rows: Int64Array, count: int) -> pa.Buffer:
    """Give a bitmap with the bits at the rows set where they are."""
    bits, chosen = np.zeros((count + 7) // 8, np.uint8), rows[is_set]
    np.bitwise_or.at(bits, chosen >> 3, (1 << (chosen & 7)).astype(np.uint8))
    return pa.py_buffer(bits)


def _places(edges: np.ndarray, rows: Int64Array, count: int) -> pa.Buffer:
    """Give the offsets of values that stand at the rows, where each of them still has its bytes or elements."""
    gaps = np.diff(rows, prepend=-1, append=count)
    return pa.py_buffer(np.repeat(edges.astype(np.int32), gaps))
