"""Slots as Arrow arrays: numbers as they are, spans as strings, counts as lists, marks as nulls.

Put here how the filled slots of a layout become columns. How they are filled is in
`parsers.messages.steps.interpreter`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from parsers.messages.arrays.schemas import UNKNOWN_TAGS, UNKNOWN_TYPE, arrow_type, null_array
from parsers.messages.steps.tree import ABSENT, NULL, UNKNOWN_LEVEL, Node
from parsers.messages.strings import DistinctSpans, gather, intern, offsets, uuid_texts, validity
from parsers.wire import ZERO_UUID, Wire

if TYPE_CHECKING:
    from parsers.messages.steps.memory import Mask, Slots
    from parsers.words import Int64Array


def struct_array(slots: Slots, is_read: Mask) -> pa.StructArray:
    """Build the column of structs, null where the record was not read."""
    arrays = [column(slots, node) for node in slots.tree.nodes]
    fields = [pa.field(node.field.name, array.type) for node, array in zip(slots.tree.nodes, arrays, strict=True)]
    if slots.tree.layout.flexible:
        arrays.append(_unknown_tags(slots))
        fields.append(pa.field(UNKNOWN_TAGS, arrays[-1].type))
    return pa.Array.from_buffers(pa.struct(fields), is_read.size, [validity(is_read)], children=arrays)


def column(slots: Slots, node: Node) -> pa.Array:
    """Build the column of one field."""
    if node.slot in slots.unused:
        return _constant(slots, node)
    if node.field.array:
        return _lists(slots[node.slot], column(slots, node.children[0]))
    if node.field.wire is Wire.STRUCT:
        return _structs(slots, node)
    kind = arrow_type(node.field)
    if pa.types.is_binary(kind) or (pa.types.is_string(kind) and node.level > 0):
        return _plain(slots, node, kind)
    if pa.types.is_string(kind):
        return _dictionary(slots, node)
    return _numbers(slots[node.slot], kind, None if node.side == ABSENT else slots[node.side] != 0)


def _constant(slots: Slots, node: Node) -> pa.Array:
    """Build the column of a field that no record has: its default all along."""
    default, kind = slots.tree.slots[node.slot].default, arrow_type(node.field)
    if node.field.default is None:
        return null_array(kind, slots.record_count)
    values = np.full(slots.record_count, default) if default else np.zeros(slots.record_count, np.int64)
    if not pa.types.is_string(kind):
        return _numbers(values, kind, None)
    text = ZERO_UUID if node.field.wire is Wire.UUID else ""
    return pa.DictionaryArray.from_arrays(pa.array(values.view(np.int32)[: values.size]), pa.array([text]), safe=False)


def _numbers(values: Int64Array, kind: pa.DataType, is_valid: Mask | None) -> pa.Array:
    bitmap = None if is_valid is None else validity(is_valid)
    return pa.Array.from_buffers(kind, values.size, [bitmap, pa.py_buffer(_as_stored(values, kind))])


def _as_stored(values: Int64Array, kind: pa.DataType) -> np.ndarray:
    """Give the numbers as Arrow stores them; the slot of a float64 holds its bits."""
    if pa.types.is_boolean(kind):
        return np.packbits(values != 0, bitorder="little")
    return values if pa.types.is_floating(kind) else values.astype(f"i{kind.bit_width // 8}", copy=False)


def _lists(counts: Int64Array, elements: pa.Array) -> pa.Array:
    buffers = [validity(counts >= 0), pa.py_buffer(offsets(counts))]
    return pa.Array.from_buffers(pa.list_(elements.type), counts.size, buffers, children=[elements])


def _structs(slots: Slots, node: Node) -> pa.Array:
    arrays = [column(slots, child) for child in node.children]
    fields = [pa.field(child.field.name, array.type) for child, array in zip(node.children, arrays, strict=True)]
    bitmap = None if node.slot == ABSENT else validity(slots[node.slot] != 0)
    return pa.Array.from_buffers(pa.struct(fields), int(slots.sizes[node.level]), [bitmap], children=arrays)


def _plain(slots: Slots, node: Node, kind: pa.DataType) -> pa.Array:
    spans = slots[node.slot]
    return uuid_texts(slots.buffer, spans) if node.field.wire is Wire.UUID else gather(slots.buffer, spans, kind)


def _dictionary(slots: Slots, node: Node) -> pa.Array:
    """Number the distinct texts of the records; a text per record is copied only where it is new."""
    codes, distinct = slots.texts[node.slot] if node.slot in slots.texts else _distinct(slots, node)
    is_uuid = node.field.wire is Wire.UUID
    texts = uuid_texts(slots.buffer, distinct) if is_uuid else gather(slots.buffer, distinct, pa.string())
    indices = pa.Array.from_buffers(pa.int32(), codes.size, [validity(codes >= 0), pa.py_buffer(codes)])
    return pa.DictionaryArray.from_arrays(indices, texts, safe=False)


def _distinct(slots: Slots, node: Node) -> DistinctSpans:
    spans = slots[node.slot]
    spans[slots.unwanted] = NULL
    return intern(slots.buffer, spans)


def _unknown_tags(slots: Slots) -> pa.Array:
    unknown = slots.tree.unknown
    if slots.sizes[UNKNOWN_LEVEL] == 0:
        return null_array(UNKNOWN_TYPE, slots.record_count)
    counts, steps = slots[unknown.count], slots[unknown.step]
    paths = pa.array([slots.image.path(step) for step in steps.tolist()], pa.string())
    tags = _numbers(slots[unknown.tag], pa.int32(), None)
    payloads = gather(slots.buffer, slots[unknown.span], pa.binary())
    elements = pa.StructArray.from_arrays([paths, tags, payloads], fields=list(UNKNOWN_TYPE.value_type))
    buffers = [validity(counts > 0), pa.py_buffer(offsets(counts))]
    return pa.Array.from_buffers(UNKNOWN_TYPE, counts.size, buffers, children=[elements])
