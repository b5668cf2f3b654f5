"""Which messages are written straight from their bytes: a program for `parsers.dump.json_steps` from the format tables.

Put here how a version of a layout becomes steps, and which versions can. The others, as those with layouts of
pre-releases or with compact arrays, have none; their messages are written from columns by `parsers.dump.json_topics`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache, partial
from typing import TYPE_CHECKING, Final

import numpy as np

from parsers.dump.json_interpreter import ARRAY_REGISTERS
from parsers.dump.json_memory import LEAD_BYTES
from parsers.dump.json_steps import LONGEST_VALUE_BYTES, NO_STEP, NO_TAG, Cell, Op
from parsers.layouts.consumer_protocol import ASSIGNMENT, SUBSCRIPTION
from parsers.layouts.group_metadata import GROUP_METADATA
from parsers.layouts.offsets_key import OFFSETS_KEY, kafka_key_name
from parsers.layouts.record_types import RECORD_TYPES
from parsers.spans import frozen
from parsers.wire import ZERO_UUID, Wire, camel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from parsers.dump.json_interpreter import Program
    from parsers.wire import Field, Layout

_OPS: Final = {
    Wire.INT8: (Op.INT8, 1),
    Wire.INT16: (Op.INT16, 2),
    Wire.INT32: (Op.INT32, 4),
    Wire.INT64: (Op.INT64, 8),
    Wire.BOOL: (Op.BOOL, 1),
    Wire.UUID: (Op.UUID, 16),
    Wire.STRING: (Op.STRING, 2),
    Wire.BYTES: (Op.BYTES, 4),
}
"""What is written of each type, and its least bytes."""

_COUNT_BYTES: Final = 4
_OPENED: Final = {"subscription": SUBSCRIPTION, "assignment": ASSIGNMENT}
"""Bytes that are opened in groups of consumers."""

_PROTOCOL_TYPE: Final = "protocol_type"


@dataclass
class _Writer:
    """Writes the steps of all messages, one after the other."""

    rows: list[list[int]] = field(default_factory=list)
    leads: list[bytes] = field(default_factory=list)
    register_count: int = ARRAY_REGISTERS
    blobs: dict[str, list[int]] = field(default_factory=dict)
    """First step of each version of what is opened."""
    most_of_blob: int = 0
    most_of_message: int = 0
    most_of_byte: int = 2
    """Bytes that are written for a byte that is read: of base64 less than two, of an element of an array more."""

    def emit(self, op: Op, lead: bytes = b"", width: int = 0, **cells: int) -> list[int]:
        """Write a step; give its cells."""
        row = [0] * len(Cell)
        row[Cell.OP], row[Cell.WIDTH], row[Cell.LEAD_SIZE] = op, width, len(lead)
        row[Cell.LEAD_START] = sum(map(len, self.leads))
        for name, value in cells.items():
            row[Cell[name]] = value
        self.rows.append(row)
        self.leads.append(lead)
        return row

    def message(self, layout: Layout, version: int, opening: bytes, name_of: Callable[[str], str]) -> int:
        """Write the steps of one version; give the first, or none where a field is not simple."""
        fields, is_flexible = layout.fields_of(version), version in layout.flexible
        if (layout.drafts and version == 0) or not _is_simple(fields, is_flexible=is_flexible):
            return NO_STEP
        first = len(self.rows)
        self.fields(fields, opening, name_of, is_flexible=is_flexible, is_opened=layout is GROUP_METADATA)
        self.emit(Op.END, b"}}")
        self.most_of_message = max(self.most_of_message, self._most_bytes(first))
        return first

    def fields(
        self,
        fields: Sequence[Field],
        opening: bytes,
        name_of: Callable[[str], str],
        *,
        is_flexible: bool,
        is_opened: bool,
    ) -> None:
        """Write the steps of the fields of a struct, `opening` before the first of them."""
        for number, one in enumerate(fields):
            lead = (b"," if number else opening) + f'"{name_of(one.name)}":'.encode()
            if one.tag is not None:
                self.emit(Op.TAGS, lead, 1, TAG=one.tag)
            elif one.array:
                self._array(one, lead, is_opened=is_opened)
            elif is_opened and one.name in _OPENED:
                self._blob(one.name, lead)
            else:
                self._value(
                    one, lead, is_flexible=is_flexible, is_protocol_type=is_opened and one.name == _PROTOCOL_TYPE
                )
        if is_flexible and fields[-1].tag is None:
            self.emit(Op.TAGS, b"", 1, TAG=NO_TAG)

    def _value(self, one: Field, lead: bytes, *, is_flexible: bool, is_protocol_type: bool) -> None:
        op, width = _OPS[one.wire]
        if op is Op.STRING and is_flexible:
            op, width = Op.COMPACT_STRING, 1
        self.emit(Op.CONSUMER if is_protocol_type else op, lead, width, IS_NULLABLE=one.nullable)

    def _array(self, one: Field, lead: bytes, *, is_opened: bool) -> None:
        register = self.register_count
        self.register_count += 1
        head = self.emit(Op.ARRAY, lead, _COUNT_BYTES, REGISTER=register)
        first = len(self.rows)
        if one.fields:
            self.fields(one.fields, b"{", camel, is_flexible=False, is_opened=is_opened)
        else:
            self.emit(*_plain(one))
        self.emit(Op.NEXT, b"}" if one.fields else b"", JUMP=first, REGISTER=register)
        head[Cell.JUMP] = len(self.rows)
        least_bytes = sum(row[Cell.WIDTH] for row in self.rows[first:])
        self.most_of_byte = max(self.most_of_byte, -(-self._most_bytes(first) // least_bytes))

    def _blob(self, name: str, lead: bytes) -> None:
        head = self.emit(Op.BLOB, lead, _COUNT_BYTES)
        for first in self.blobs[name]:
            self.emit(Op.END, JUMP=first)
        head[Cell.JUMP] = len(self.rows)

    def open_blobs(self) -> None:
        """Write the steps of the bytes that are opened, which come first."""
        for name, layout in _OPENED.items():
            self.blobs[name] = [self._opened(layout, version) for version in layout.versions]

    def _opened(self, layout: Layout, version: int) -> int:
        first = len(self.rows)
        self.fields(layout.fields_of(version), b"{", camel, is_flexible=False, is_opened=False)
        self.emit(Op.BLOB_END, b"}")
        self.most_of_blob = max(self.most_of_blob, self._most_bytes(first))
        return first

    def _most_bytes(self, first: int) -> int:
        """Give the most that the steps from one on write, all versions of what they open included."""
        rows = self.rows[first:]
        own = sum(row[Cell.LEAD_SIZE] + LONGEST_VALUE_BYTES for row in rows)
        return own + self.most_of_blob * sum(row[Cell.OP] == Op.BLOB for row in rows)


def _plain(one: Field) -> tuple[Op, bytes, int]:
    op, width = _OPS[one.wire]
    return op, b"", width


def _is_simple(fields: Sequence[Field], *, is_flexible: bool) -> bool:
    """Tell whether there are steps for all of the fields: plain ones, and behind them one tagged uuid at most."""
    *others, last = fields
    is_last_simple = _is_plain(last, is_flexible=is_flexible) if last.tag is None else _is_omitted_uuid(last)
    return is_last_simple and all(one.tag is None and _is_plain(one, is_flexible=is_flexible) for one in others)


def _is_plain(one: Field, *, is_flexible: bool) -> bool:
    if one.array:
        is_known = not is_flexible and not one.nullable
        return is_known and (_is_simple(one.fields, is_flexible=False) if one.fields else one.wire in _OPS)
    if one.nullable:
        return one.wire is Wire.STRING or (one.wire is Wire.BYTES and not is_flexible)
    return one.wire in _OPS and not (one.wire is Wire.BYTES and is_flexible)


def _is_omitted_uuid(one: Field) -> bool:
    return one.wire is Wire.UUID and not one.array and not one.nullable and one.default == ZERO_UUID


@cache
def offset_program() -> Program:
    """Lay out the steps of all messages of the offsets topic that have some; registers are for one thread."""
    writer = _Writer()
    writer.open_blobs()
    of_keys = [_key(writer, number) for number in OFFSETS_KEY.versions]
    of_values = np.full((len(of_keys), max(row.value.versions.stop for row in RECORD_TYPES)), NO_STEP, np.int64)
    for row in RECORD_TYPES:
        for version in row.value.versions:
            opening = b'{"version":%d,"data":{' % version
            of_values[row.id, version] = writer.message(row.value, version, opening, camel)
    leads = np.frombuffer(b"".join([*writer.leads, bytes(LEAD_BYTES)]), np.uint8)
    steps = (frozen(np.array(writer.rows, np.int64)), leads, np.zeros(writer.register_count, np.int64))
    most_bytes = (2 * writer.most_of_message + LEAD_BYTES, writer.most_of_byte)
    return steps, frozen(np.array(of_keys, np.int64)), frozen(of_values), most_bytes


def _key(writer: _Writer, number: int) -> int:
    return writer.message(OFFSETS_KEY, number, b'{"type":%d,"data":{' % number, partial(kafka_key_name, number))
