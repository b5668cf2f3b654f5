"""Messages read one value after the other, as a beginner would: what the columns of the parser must equal.

Put here the reader and the form in which both are compared. It knows the tables, and nothing else of the parser.
"""

from __future__ import annotations

import base64
import struct
from typing import TYPE_CHECKING, Any, Final

from parsers.wire import Field, Layout, Wire

if TYPE_CHECKING:
    from collections.abc import Mapping

FORMATS: Final = {Wire.INT8: ">b", Wire.INT16: ">h", Wire.INT32: ">i", Wire.INT64: ">q", Wire.UINT16: ">H"}
LENGTHS: Final = {Wire.STRING: ">h", Wire.BYTES: ">i", Wire.JAVA_UTF: ">H", Wire.JAVA_CHARS: ">i"}


class Reader:
    """A cursor over one message."""

    def __init__(self, data: bytes, *, flexible: bool) -> None:
        """Begin at the first byte."""
        self.data, self.at, self.flexible = data, 0, flexible
        self.unknown: list[tuple[int, bytes]] = []

    def take(self, count: int) -> bytes:
        """Read bytes, all of which must be there."""
        if count < 0 or self.at + count > len(self.data):
            raise ValueError(f"{count} bytes at {self.at} of {len(self.data)}")
        self.at += count
        return self.data[self.at - count : self.at]

    def number(self, form: str) -> int:
        """Read a number of fixed width."""
        return int(struct.unpack(form, self.take(struct.calcsize(form)))[0])

    def uvarint(self) -> int:
        """Read an unsigned varint."""
        byte = self.take(1)[0]
        return byte if byte < 0x80 else (byte & 0x7F) | self.uvarint() << 7

    def length(self, row: Field, form: str) -> int:
        """Read a length or a count; -1 is null, if the field may be."""
        length = self.uvarint() - 1 if self.flexible else self.number(form)
        if length < -row.nullable:
            raise ValueError(f"length {length} of {row.name}")
        return length

    def value(self, row: Field) -> Any:  # noqa: ANN401 - a value has whatever type its field has
        """Read one value of a field's type."""
        if row.wire in FORMATS:
            return self.number(FORMATS[row.wire])
        if row.wire in LENGTHS:
            length = self.length(row, LENGTHS[row.wire])
            data = None if length < 0 else self.take(2 * length if row.wire is Wire.JAVA_CHARS else length)
            return data if data is None or row.wire in {Wire.BYTES, Wire.JAVA_CHARS} else data.decode()
        if row.wire is Wire.BOOL:
            return self.number(">b") != 0
        if row.wire is Wire.FLOAT64:
            return struct.unpack(">d", self.take(8))[0]
        if row.wire is Wire.UUID:
            return base64.urlsafe_b64encode(self.take(16)).decode().rstrip("=")
        return self.uvarint() if row.wire is Wire.UVARINT else self.struct(row.fields)

    def field(self, row: Field) -> Any:  # noqa: ANN401
        """Read a field: an array, a nullable struct, or one value."""
        if row.array:
            count = self.length(row, ">i")
            return None if count < 0 else [self.value(row) for _ in range(count)]
        if row.wire is Wire.STRUCT and row.nullable:
            is_null = self.uvarint() == 0 if row.tag is not None else self.number(">b") < 0
            return None if is_null else self.value(row)
        return self.value(row)

    def struct(self, fields: tuple[Field, ...]) -> dict[str, Any]:
        """Read the fields that stand in their places, then the tagged ones."""
        values = {row.name: self.field(row) for row in fields if row.tag is None}
        tagged = {row.tag: row for row in fields if row.tag is not None}
        for _ in range(self.uvarint() if self.flexible else 0):
            tag, data = self.uvarint(), self.take(self.uvarint())
            if tag in tagged:
                values[tagged[tag].name] = Reader(data, flexible=True).field(tagged[tag])
            else:
                self.unknown.append((tag, data))
        return values


def naive_read(layout: Layout, version: int, data: bytes) -> dict[str, Any]:
    """Read a struct of one version that fills its bytes, in the form that the parser's columns have."""
    reader = Reader(data, flexible=version in layout.flexible)
    values = reader.struct(layout.fields_of(version))
    if reader.at != len(data):
        raise ValueError(f"{len(data) - reader.at} bytes too many")
    return complete(layout.fields, values)


def complete(fields: tuple[Field, ...], values: Mapping[str, Any]) -> dict[str, Any]:
    """Add the defaults of the fields that a version or a message lacks."""
    return {row.name: _completed(row, values[row.name]) if row.name in values else absent(row) for row in fields}


def _completed(row: Field, value: Any) -> Any:  # noqa: ANN401
    if row.wire is not Wire.STRUCT or value is None:
        return value
    return [complete(row.fields, one) for one in value] if row.array else complete(row.fields, value)


def absent(row: Field) -> Any:  # noqa: ANN401
    """Give what Kafka holds for a field that is not in the bytes."""
    if row.default != ():
        return row.default
    return [] if row.array else complete(row.fields, {})
