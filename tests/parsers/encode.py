"""Kafka's wire format written the slow and obvious way, from the same tables that the parser reads by.

Only tests write messages. Nothing here is shared with the parser but `parsers.wire`.
"""

from __future__ import annotations

import base64
import struct
from typing import TYPE_CHECKING, Any, Final

from parsers.wire import Field, Layout, Wire

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

INTEGER_BYTES: Final = {Wire.INT8: 1, Wire.INT16: 2, Wire.INT32: 4, Wire.INT64: 8, Wire.UINT16: 2}
LENGTH_BYTES: Final = {Wire.STRING: 2, Wire.BYTES: 4, Wire.JAVA_UTF: 2, Wire.JAVA_CHARS: 4}


def encode(layout: Layout, version: int, values: Mapping[str, Any]) -> bytes:
    """Write a struct in one version; fields that the version lacks are not looked at."""
    return _struct(layout.fields_of(version), values, flexible=version in layout.flexible)


def uvarint(number: int) -> bytes:
    """Write an unsigned varint."""
    return bytes([number]) if number < 0x80 else bytes([number & 0x7F | 0x80]) + uvarint(number >> 7)


def uuid_bytes(text: str) -> bytes:
    """Give the 16 bytes of a uuid that is written as Kafka prints it."""
    return base64.urlsafe_b64decode(text + "==")


def _struct(fields: tuple[Field, ...], values: Mapping[str, Any], *, flexible: bool) -> bytes:
    plain = b"".join(_field(row, values[row.name], flexible=flexible) for row in fields if row.tag is None)
    return plain + _tags([row for row in fields if row.tag is not None], values) if flexible else plain


def _tags(fields: list[Field], values: Mapping[str, Any]) -> bytes:
    rows = sorted((row.tag or 0, row) for row in fields if not is_default(row, values[row.name]))
    written = [(tag, _tagged(row, values[row.name])) for tag, row in rows]
    return uvarint(len(written)) + b"".join(uvarint(tag) + uvarint(len(data)) + data for tag, data in written)


def is_default(row: Field, value: object) -> bool:
    """Tell whether a tagged field has its default and is left out."""
    if row.default != ():
        return value == row.default
    return value == [] or (isinstance(value, dict) and all(not part for part in value.values()))


def _tagged(row: Field, value: Any) -> bytes:  # noqa: ANN401 - a value has whatever type its field has
    if row.wire is Wire.STRUCT and not row.array:
        return b"\0" if value is None else b"\1" + _struct(row.fields, value, flexible=True)
    return _field(row, value, flexible=True)


def _field(row: Field, value: Any, *, flexible: bool) -> bytes:  # noqa: ANN401
    if row.array:
        elements = None if value is None else [_value(row, element, flexible=flexible) for element in value]
        return _length(elements, 4, flexible=flexible) + b"".join(elements or [])
    if row.wire is Wire.STRUCT and row.nullable:
        return b"\xff" if value is None else b"\1" + _value(row, value, flexible=flexible)
    return _value(row, value, flexible=flexible)


def _value(row: Field, value: Any, *, flexible: bool) -> bytes:  # noqa: ANN401
    if row.wire in INTEGER_BYTES:
        return int(value).to_bytes(INTEGER_BYTES[row.wire], "big", signed=row.wire is not Wire.UINT16)
    if row.wire is Wire.STRUCT:
        return _struct(row.fields, value, flexible=flexible)
    if row.wire is Wire.JAVA_CHARS:
        return (len(value) // 2).to_bytes(4, "big") + bytes(value)
    if row.wire in LENGTH_BYTES:
        data = value.encode() if isinstance(value, str) else value
        return _length(data, LENGTH_BYTES[row.wire], flexible=flexible) + (data or b"")
    return _OTHERS[row.wire](value)


def _length(data: bytes | list[bytes] | None, width: int, *, flexible: bool) -> bytes:
    length = -1 if data is None else len(data)
    return uvarint(length + 1) if flexible else length.to_bytes(width, "big", signed=length < 0)


_OTHERS: Final[dict[Wire, Callable[[Any], bytes]]] = {
    Wire.BOOL: lambda value: bytes([value]),
    Wire.FLOAT64: lambda value: struct.pack(">d", value),
    Wire.UUID: uuid_bytes,
    Wire.UVARINT: uvarint,
}
