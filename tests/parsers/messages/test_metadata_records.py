"""Records of the cluster metadata: from their frame to their layout, and what can't be read."""

from __future__ import annotations

from typing import Any

import pytest

from parsers.layouts.cluster.metadata_types import METADATA_TYPES, metadata_column, metadata_type_name
from parsers.messages.metadata_records import decode_metadata
from parsers.messages.reasons import Reason
from parsers.wire import Layout, Wire
from tests.parsers.encode import encode, uvarint
from tests.parsers.made_messages import laid_out, name_of


def framed(number: int, version: int, body: bytes, frame_version: int = 1) -> bytes:
    """Write a record of the metadata log."""
    return uvarint(frame_version) + uvarint(number) + uvarint(version) + body


def empty(layout: Layout, version: int) -> dict[str, Any]:
    """Give values without anything in them."""
    kinds: dict[Wire, Any] = {
        Wire.STRING: "",
        Wire.BYTES: b"",
        Wire.UUID: "A" * 22,
        Wire.BOOL: False,
        Wire.FLOAT64: 0.0,
    }
    return {row.name: [] if row.array else kinds.get(row.wire, 0) for row in layout.fields_of(version)}


@pytest.mark.parametrize(
    ("number", "layout"), METADATA_TYPES.items(), ids=lambda value: name_of(value) if isinstance(value, Layout) else ""
)
def test_every_type(number: int, layout: Layout) -> None:
    """Every version of every type is read by its own layout."""
    messages = [framed(number, version, encode(layout, version, empty(layout, version))) for version in layout.versions]
    records = decode_metadata(*laid_out(messages))
    assert records.types.tolist() == [number] * len(messages)
    assert records.versions.tolist() == list(layout.versions)
    assert not records.error.any()
    assert records.decoded[number].columns.null_count == 0


def test_what_cannot_be_read() -> None:
    """Null, a frame cut short or of another version, types and versions to come: each has its reason or is null."""
    messages = [None, b"\x01", framed(2, 0, b"", 2), framed(99, 0, b"x"), framed(7, 9, b"x"), framed(7, 2**31, b"x")]
    records = decode_metadata(*laid_out(messages))
    assert [Reason(int(error)) for error in records.error] == [
        Reason.OK,
        Reason.CUT_SHORT,
        Reason.UNKNOWN_VERSION,
        Reason.UNKNOWN_RECORD_TYPE,
        Reason.UNKNOWN_VERSION,
        Reason.UNKNOWN_VERSION,
    ]
    assert records.types.tolist() == [-1, -1, -1, 99, 7, 7]


def test_names() -> None:
    """A type has Kafka's own name, and a column named after it."""
    assert {metadata_type_name(layout) for layout in METADATA_TYPES.values()} >= {"NO_OP_RECORD", "CLEAR_ELR_RECORD"}
    assert metadata_column(METADATA_TYPES[17]) == "broker_registration_change"
