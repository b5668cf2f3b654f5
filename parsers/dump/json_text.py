"""Arrow columns as JSON texts, by layout, the way Kafka's own JSON converters write them.

Names in camelCase, a row's version deciding its fields, bytes as base64, a tagged field left out where it has its
default, null where the field may be null. The line of a record around this belongs to `parsers.dump.json_records`.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from parsers.dump.json_pieces import (
    PLAIN_FRAME,
    Frame,
    Pair,
    Texts,
    base64_strings,
    lists,
    named,
    numbers,
    objects,
    strings,
    words,
)
from parsers.dump.on_demand import on_demand
from parsers.wire import Wire, camel

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from parsers.wire import Field
    from parsers.words import ByteArray, Int64Array

Mask = npt.NDArray[np.bool_]

_FLAGS: Final = words([b"false", b"true"])


@dataclass(frozen=True)
class Dialect:
    """What differs from one message to the next: the names of its fields, and texts that stand for some of them."""

    name: Callable[[str], str] = camel
    """JSON name of a field of the outermost struct."""
    frame: Frame = PLAIN_FRAME
    """What stands around the fields of the outermost struct."""
    given: Mapping[str, Texts] = field(default_factory=dict)
    """Texts that were written already, by the path of their field with dots between levels."""


PLAIN: Final = Dialect()

_is_default: Callable[[Field, pa.Array], Mask] = on_demand("json_defaults", "is_default")


def struct_texts(fields: Sequence[Field], array: pa.StructArray, dialect: Dialect = PLAIN, path: str = "") -> Texts:
    """Write the structs as objects with these fields; a struct that is null is null."""
    name, frame = (camel, PLAIN_FRAME) if path else (dialect.name, dialect.frame)
    pairs = [_pair(one, name(one.name), array.field(one.name), dialect, path) for one in fields]
    texts = objects(pairs, len(array), frame)
    return texts.null_where(nulls(array)) if array.null_count else texts


def value_texts(array: pa.Array) -> Texts:
    """Write a column without a layout: numbers, flags, text or bytes."""
    kind = array.type
    if pa.types.is_boolean(kind):
        return _FLAGS.take(np.where(nulls(array), -1, bits(array)))
    if pa.types.is_floating(kind):
        return words([_float_text(value) for value in array.to_pylist()])
    if pa.types.is_integer(kind):
        return numbers(integers(array)).null_where(nulls(array))
    if pa.types.is_dictionary(kind):
        return value_texts(array.dictionary).take(codes(array))
    written = base64_strings if pa.types.is_binary(kind) else strings
    return written(*stretches(array))


def flat_objects(table: pa.RecordBatch) -> Texts:
    """Write the rows of a table without nesting as objects, names in camelCase."""
    columns = zip(table.schema.names, table.columns, strict=True)
    return objects([_column_pair(camel(name), column) for name, column in columns], table.num_rows)


def stretches(array: pa.Array) -> tuple[ByteArray, Int64Array, Int64Array]:
    """Give the bytes of a column of text or bytes, and where each value stands; null starts below zero."""
    _, places, data = array.buffers()
    edges = np.frombuffer(places, np.int32)[array.offset : array.offset + len(array) + 1].astype(np.int64)
    content = np.frombuffer(data or b"", np.uint8)
    content.flags.writeable = False
    starts, ends = edges[:-1].copy(), edges[1:].copy()
    return content, np.where(nulls(array), -1, starts) if array.null_count else starts, ends


def integers(array: pa.Array) -> Int64Array:
    """Give whole numbers as int64; what stands where one is null means nothing."""
    stored = np.frombuffer(array.buffers()[1] or b"", f"i{array.type.bit_width // 8}")
    values = stored[array.offset : array.offset + len(array)].astype(np.int64)
    values.flags.writeable = False
    return values


def bits(array: pa.Array) -> Mask:
    """Give flags; what stands where one is null means nothing."""
    return _unpacked(array.buffers()[1], array)


def nulls(array: pa.Array) -> Mask:
    """Tell which rows of a column are null, its own bitmap alone being asked."""
    bitmap = array.buffers()[0]
    return np.zeros(len(array), np.bool_) if bitmap is None or array.null_count == 0 else ~_unpacked(bitmap, array)


def _unpacked(bitmap: pa.Buffer | None, array: pa.Array) -> Mask:
    packed = np.frombuffer(bitmap or b"", np.uint8)
    unpacked = np.unpackbits(packed, bitorder="little", count=array.offset + len(array))
    return unpacked[array.offset :].view(np.bool_)


def _pair(one: Field, name: str, array: pa.Array, dialect: Dialect, path: str) -> Pair:
    present = None if one.tag is None else ~_is_default(one, array)
    if one.wire in _INTEGERS and not one.array:
        return named(name, integers(array), is_valid=~nulls(array) if array.null_count else None, is_present=present)
    return named(name, _field_texts(one, array, dialect, f"{path}{one.name}"), is_present=present)


_INTEGERS: Final = frozenset({Wire.INT8, Wire.INT16, Wire.INT32, Wire.INT64, Wire.UINT16, Wire.UVARINT})


def _field_texts(one: Field, array: pa.Array, dialect: Dialect, path: str) -> Texts:
    if path in dialect.given:
        return dialect.given[path]
    if one.array:
        return list_texts(array, _element_texts(one, array.values, dialect, path))
    return _element_texts(one, array, dialect, path)


def _element_texts(one: Field, array: pa.Array, dialect: Dialect, path: str) -> Texts:
    if one.wire is Wire.STRUCT:
        return struct_texts(one.fields, array, dialect, f"{path}.")
    return value_texts(array)


def list_texts(array: pa.ListArray, elements: Texts) -> Texts:
    """Write lists whose elements were written already."""
    edges = np.frombuffer(array.buffers()[1], np.int32)[array.offset : array.offset + len(array) + 1].astype(np.int64)
    texts = lists(edges, elements)
    return texts.null_where(nulls(array)) if array.null_count else texts


def _column_pair(name: str, array: pa.Array) -> Pair:
    if pa.types.is_integer(array.type):
        return named(name, integers(array), is_valid=~nulls(array) if array.null_count else None)
    return named(name, value_texts(array))


def codes(array: pa.DictionaryArray) -> npt.NDArray[np.int32]:
    """Give the number of the text that each row has in its dictionary; -1 for null."""
    return np.where(nulls(array.indices), -1, integers(array.indices)).astype(np.int32)


def _float_text(value: float) -> bytes:
    """Write a double as Jackson does: what JSON has no number for becomes a string."""
    if math.isfinite(value):
        return json.dumps(value).encode()
    return b'"NaN"' if math.isnan(value) else b'"Infinity"' if value > 0 else b'"-Infinity"'
