"""The Arrow type of each layout, derived from its table.

Put here how wire types map to Arrow types. Types and meanings of tables that Lagbook writes are in `assets.catalog`.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from parsers.wire import Field, Layout, Wire

if TYPE_CHECKING:
    from collections.abc import Sequence

UNKNOWN_TAGS: Final = "unknown_tags"
"""Column of a flexible layout for tagged fields it does not know, at any depth; null where there are none."""

UNKNOWN_TYPE: Final = pa.list_(
    pa.struct([pa.field("struct", pa.string()), pa.field("tag", pa.int32()), pa.field("payload", pa.binary())])
)

_ARROW: Final = {
    Wire.INT8: pa.int8(),
    Wire.INT16: pa.int16(),
    Wire.INT32: pa.int32(),
    Wire.INT64: pa.int64(),
    Wire.UINT16: pa.int32(),
    Wire.UVARINT: pa.int64(),
    Wire.UUID: pa.string(),
    Wire.STRING: pa.string(),
    Wire.BYTES: pa.binary(),
    Wire.JAVA_UTF: pa.string(),
    Wire.JAVA_CHARS: pa.binary(),
    Wire.BOOL: pa.bool_(),
    Wire.FLOAT64: pa.float64(),
}


def arrow_type(field: Field) -> pa.DataType:
    """Give the Arrow type of a field; text is plain here, though arrays in memory may hold it as a dictionary."""
    element = struct_type(field.fields) if field.wire is Wire.STRUCT else _ARROW[field.wire]
    return pa.list_(element) if field.array else element


def struct_type(fields: Sequence[Field]) -> pa.StructType:
    """Give the struct of some fields."""
    return pa.struct([pa.field(field.name, arrow_type(field)) for field in fields])


@cache
def layout_type(layout: Layout) -> pa.StructType:
    """Give the struct that a layout decodes to, over all its versions, unknown tagged fields included."""
    fields = list(struct_type(layout.fields))
    return pa.struct([*fields, pa.field(UNKNOWN_TAGS, UNKNOWN_TYPE)] if layout.flexible else fields)


def null_column(layout: Layout, count: int) -> pa.StructArray:
    """Give a column of a layout with nulls alone; it is built once for many lengths."""
    return _null_column(layout, count.bit_length()).slice(0, count)


@lru_cache(maxsize=512)
def _null_column(layout: Layout, count_bits: int) -> pa.StructArray:
    return null_array(layout_type(layout), 2**count_bits)


def null_array(kind: pa.DataType, count: int) -> pa.Array:
    """Give a column of nulls; all of them share one stretch of zeros, so that a wide type costs no more memory."""
    return _nulls(kind, count, _zeros((8 * (count + 1)).bit_length()))


@lru_cache(maxsize=64)
def _zeros(size_bits: int) -> pa.Buffer:
    return pa.py_buffer(np.zeros(2**size_bits, np.uint8))


def _nulls(kind: pa.DataType, count: int, zeros: pa.Buffer) -> pa.Array:
    if pa.types.is_struct(kind):
        children = [_nulls(kind.field(index).type, count, zeros) for index in range(kind.num_fields)]
        return pa.Array.from_buffers(kind, count, [zeros], null_count=count, children=children)
    if pa.types.is_dictionary(kind):
        indices = _nulls(kind.index_type, count, zeros)
        return pa.DictionaryArray.from_arrays(indices, pa.array([], kind.value_type), safe=False)
    if pa.types.is_list(kind):
        empty = pa.array([], kind.value_type)
        return pa.Array.from_buffers(kind, count, [zeros, zeros], null_count=count, children=[empty])
    buffers = [zeros, zeros, zeros] if pa.types.is_string(kind) or pa.types.is_binary(kind) else [zeros, zeros]
    return pa.Array.from_buffers(kind, count, buffers, null_count=count)
