"""Arrow columns as JSON texts, by layout, the way Kafka's own JSON converters write them.

Names in camelCase, a row's version deciding its fields, bytes as base64, a tagged field left out where it has its
default, null where the field may be null. The line of a record around this belongs to
`parsers.dump.json_lines.records`.
"""

from __future__ import annotations

import json
import math
from binascii import b2a_base64
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from parsers.dump.json_lines.defaults import is_default
from parsers.dump.json_lines.objects import (
    PLAIN_FRAME,
    TEXT,
    Frame,
    Mask,
    Pair,
    Texts,
    join_texts,
    lists,
    null_where,
    nulls,
    objects,
    pair_of,
)
from parsers.wire import Wire, camel

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from parsers.wire import Field
    from parsers.words import ByteArray, Int64Array

_NEEDS_ESCAPE: Final = r"[^ !#-\[\]-~]"
"""A letter that JSON in ASCII writes with a backslash; the delete character too, which a terminal obeys."""

_DELETE: Final = "\x7f"


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


def struct_texts(fields: Sequence[Field], array: pa.StructArray, dialect: Dialect = PLAIN, path: str = "") -> Texts:
    """Write the structs as objects with these fields; a struct that is null is null."""
    name, frame = (camel, PLAIN_FRAME) if path else (dialect.name, dialect.frame)
    pairs = [_pair(one, name(one.name), array.field(one.name), dialect, path) for one in fields]
    texts = objects(pairs, len(array), frame)
    return null_where(texts, nulls(array)) if array.null_count else texts


def _pair(one: Field, name: str, array: pa.Array, dialect: Dialect, path: str) -> Pair:
    is_present = None if one.tag is None else ~is_default(one, array)
    return pair_of(name, _field_texts(one, array, dialect, f"{path}{one.name}"), is_present)


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
    """Write lists, of which all of `array.values` were written already; a list that is null is null."""
    texts = lists(array.offsets, elements)
    return null_where(texts, nulls(array)) if array.null_count else texts


def value_texts(array: pa.Array) -> Texts:
    """Write a column without a layout: numbers, flags, text or bytes."""
    kind = array.type
    if pa.types.is_dictionary(kind):
        return value_texts(array.dictionary).take(array.indices)
    if pa.types.is_floating(kind):
        return pa.array(map(_float_text, array.to_pylist()), TEXT)
    if pa.types.is_binary(kind):
        return pa.array([None if value is None else _base64(value) for value in array.to_pylist()], TEXT)
    return array.cast(TEXT) if pa.types.is_integer(kind) or pa.types.is_boolean(kind) else _strings(array.cast(TEXT))


def numbers(values: Int64Array, is_null: Mask | None = None) -> Texts:
    """Write numbers; null in some rows."""
    return pa.array(values, mask=is_null).cast(TEXT)


def flat_objects(table: pa.RecordBatch) -> Texts:
    """Write the rows of a table without nesting as objects, names in camelCase."""
    columns = zip(table.schema.names, table.columns, strict=True)
    return objects([pair_of(camel(name), value_texts(column)) for name, column in columns], table.num_rows)


def base64_strings(source: ByteArray, starts: Int64Array, ends: Int64Array) -> Texts:
    """Write stretches of bytes as JSON strings of base64; a start below zero is null."""
    content, edges = memoryview(source.data), zip(starts.tolist(), ends.tolist(), strict=True)
    return pa.array([None if start < 0 else _base64(content[start:end]) for start, end in edges], TEXT)


def _base64(content: bytes | memoryview) -> str:
    return f'"{b2a_base64(content, newline=False).decode()}"'


def _strings(column: Texts) -> Texts:
    """Write text as JSON strings; what needs an escape is left to Python's own writer."""
    texts = join_texts(['"', column, '"'], len(column))
    texts = null_where(texts, nulls(column)) if column.null_count else texts
    is_odd = pc.fill_null(pc.match_substring_regex(column, _NEEDS_ESCAPE), False)  # noqa: FBT003
    if not pc.any(is_odd).as_py():
        return texts
    odd = [json.dumps(text).replace(_DELETE, "\\u007f") for text in column.filter(is_odd).to_pylist()]
    return pc.replace_with_mask(texts, is_odd, pa.array(odd, TEXT))


def _float_text(value: float) -> str:
    """Write a double as Jackson does: what JSON has no number for becomes a string."""
    if math.isfinite(value):
        return json.dumps(value)
    return '"NaN"' if math.isnan(value) else '"Infinity"' if value > 0 else '"-Infinity"'


def integers(array: pa.Array) -> Int64Array:
    """Give whole numbers as int64; 0 where one is null."""
    values: Int64Array = pc.fill_null(array, 0).to_numpy().astype(np.int64)
    return values


def flags(array: pa.Array) -> Mask:
    """Give flags; False where one is null."""
    mask: Mask = pc.fill_null(array, False).to_numpy(zero_copy_only=False)  # noqa: FBT003
    return mask
