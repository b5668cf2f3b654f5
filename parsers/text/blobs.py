"""Subscriptions and assignments that a tool opened or printed as a number, turned back into the bytes they were.

Put here the small encoder that works from a layout, and how lost zeros are restored. Whole records are not encoded.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from parsers.messages.decode import decode
from parsers.messages.embedded import CONNECT_ASSIGNMENT, STREAMS_ASSIGNMENT
from parsers.text.rows import Row, Unreadable
from parsers.wire import Wire

if TYPE_CHECKING:
    from collections.abc import Iterable

    from parsers.messages.embedded import Blob
    from parsers.wire import Field, Layout

_WIDTHS: Final = {Wire.INT8: 1, Wire.INT16: 2, Wire.INT32: 4, Wire.INT64: 8}
_LENGTHS: Final = {Wire.STRING: 2, Wire.BYTES: 4}
_MOST_ZEROS: Final = 8
"""No blob begins with more zero bytes: version, error and half of a length."""
_NUMBERED: Final = {
    name: replace(blob, layout=replace(blob.layout, tolerant=False))
    for name, blob in (("connect", CONNECT_ASSIGNMENT), ("stream", STREAMS_ASSIGNMENT))
}
"""Assignments that were printed as a number, by protocol type or protocol; here no field may be missing."""


def encode(layout: Layout, version: int, row: Row) -> bytes:
    """Encode a struct that is never flexible and has all its versions' changes at its top, behind its int16 version."""
    fields = (field for field in layout.fields if version in field.versions)
    return version.to_bytes(2, "big") + _struct(fields, row)


def _struct(fields: Iterable[Field], row: Row) -> bytes:
    return b"".join(_field(field, row[field.name]) for field in fields)


def _field(field: Field, value: Any) -> bytes:  # noqa: ANN401 - a field holds anything
    if not field.array:
        return _element(field, value)
    if value is None:
        return (-1).to_bytes(4, "big", signed=True)
    return len(value).to_bytes(4, "big") + b"".join(_element(field, element) for element in value)


def _element(field: Field, value: Any) -> bytes:  # noqa: ANN401
    if field.wire is Wire.STRUCT:
        return _struct(field.fields, value)
    if field.wire in _WIDTHS:
        return int(value).to_bytes(_WIDTHS[field.wire], "big", signed=True)
    return _with_length(value.encode() if isinstance(value, str) else value, _LENGTHS[field.wire])


def _with_length(value: bytes | None, width: int) -> bytes:
    if value is None:
        return (-1).to_bytes(width, "big", signed=True)
    if len(value) >= 1 << (8 * width - 1):
        raise Unreadable("text too long", f"fewer than {1 << (8 * width - 1)} bytes", value)
    return len(value).to_bytes(width, "big") + value


def restore_bytes(digits: bytes, protocol_type: str, protocol: str | None) -> bytes | None:
    """Give the bytes that were printed as a hexadecimal number; None when its leading zeros can't be known."""
    raw = bytes.fromhex(digits.decode().zfill(len(digits) + len(digits) % 2))
    if not raw or (protocol_type == "sr" and raw.startswith(b"{")):
        return raw
    blob = _NUMBERED.get(protocol_type) or _NUMBERED.get(protocol or "")
    return _pad(raw, blob) if blob else None


def _pad(raw: bytes, blob: Blob) -> bytes | None:
    """Put as many zero bytes in front as make a blob that is read to its last byte, if one number of them does."""
    tries = [bytes(zeros) + raw for zeros in range(_MOST_ZEROS + 1)]
    versions = [int.from_bytes(each[: blob.version_bytes], "big") for each in tries]
    fitting = [each for each, version in zip(tries, versions, strict=True) if _fits(each, version, blob)]
    return fitting[0] if len(fitting) == 1 else None


def _fits(candidate: bytes, version: int, blob: Blob) -> bool:
    if version not in blob.layout.versions:
        return False
    buffer = np.frombuffer(candidate, np.uint8)
    start, end = np.array([blob.version_bytes], np.int64), np.array([len(candidate)], np.int64)
    decoded = decode(blob.layout, buffer, start, end, version)
    return bool(decoded.error[0] == 0 and decoded.left_over_bytes[0] == 0)
