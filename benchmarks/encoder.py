"""One key or value of an internal topic written by the tables that the parsers read by, for logs that are made up.

Only one message is written here, slowly. What repeats messages a million times a second is `benchmarks.batches`.
"""

from __future__ import annotations

import base64
import struct
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from parsers.wire import Field, Layout, Wire

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_NUMBERS: Final = {Wire.INT8: ">b", Wire.INT16: ">h", Wire.INT32: ">i", Wire.INT64: ">q", Wire.UINT16: ">H"}
_LENGTHS: Final = {Wire.STRING: ">h", Wire.BYTES: ">i"}
_COUNT: Final = ">i"
_SEVEN_BITS: Final = 0x7F


@dataclass(frozen=True)
class Message:
    """The bytes of a message, and where each number of its own stands in them: there another one can be put."""

    content: bytes
    places: Mapping[str, int]


@dataclass(frozen=True)
class Encoder:
    """Writes the messages of one layout in one version."""

    layout: Layout
    version: int

    @cached_property
    def _fields(self) -> tuple[Field, ...]:
        return self.layout.fields_of(self.version)

    @property
    def _is_flexible(self) -> bool:
        return self.version in self.layout.flexible

    def message(self, values: Mapping[str, Any]) -> Message:
        """Write a message behind its version (a key: its record type); a tagged field without a value is left out."""
        content, places = struct.pack(">h", self.version), {}
        for field in (field for field in self._fields if field.tag is None):
            if field.wire in _NUMBERS:
                places[field.name] = len(content)
            content += self._field(field, values[field.name])
        return Message(content + self._tags(self._fields, values), places)

    def _field(self, field: Field, value: Any) -> bytes:  # noqa: ANN401 - a value has whatever type its field has
        if not field.array:
            return self._one(field, value)
        return self._length(value, _COUNT) + b"".join(self._one(field, element) for element in value)

    def _one(self, field: Field, value: Any) -> bytes:  # noqa: ANN401
        if field.wire in _NUMBERS:
            return struct.pack(_NUMBERS[field.wire], value)
        if field.wire is Wire.UUID:
            return base64.urlsafe_b64decode(value + "==")
        if field.wire is Wire.STRUCT:
            plain = b"".join(self._field(part, value[part.name]) for part in field.fields if part.tag is None)
            return plain + self._tags(field.fields, value)
        data = value.encode() if isinstance(value, str) else value
        return self._length(data, _LENGTHS[field.wire]) + (data or b"")

    def _tags(self, fields: Sequence[Field], values: Mapping[str, Any]) -> bytes:
        if not self._is_flexible:
            return b""
        known = {field.tag: field for field in fields if field.tag is not None and field.name in values}
        written = [(tag, self._field(known[tag], values[known[tag].name])) for tag in sorted(known)]
        return uvarint(len(written)) + b"".join(uvarint(tag) + uvarint(len(data)) + data for tag, data in written)

    def _length(self, value: bytes | Sequence[Any] | None, form: str) -> bytes:
        length = -1 if value is None else len(value)
        return uvarint(length + 1) if self._is_flexible else struct.pack(form, length)


def uvarint(number: int) -> bytes:
    """Write an unsigned varint."""
    out = bytearray()
    while number > _SEVEN_BITS:
        out.append(number & _SEVEN_BITS | (_SEVEN_BITS + 1))
        number >>= 7
    return bytes([*out, number])
