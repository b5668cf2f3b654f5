"""Records of an internal topic whose keys have no record type: each part read by its one layout.

Put here what holds for every such topic. The layouts are in `parsers.layouts`; topics whose keys begin with a record
type are read by `parsers.messages.topic_records`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from parsers.messages.decode import Structs, decode, decode_versioned, int16_heads
from parsers.messages.reasons import EXPECTED, Reason

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from parsers.wire import Layout
    from parsers.words import ByteArray, Int64Array

_ACTUAL_BYTES: Final = 16
_FIELDLESS: Final = frozenset({Reason.OK, Reason.UNKNOWN_VERSION})


@dataclass(frozen=True)
class Part:
    """The layout of keys or of values, and whether an int16 version stands before each."""

    layout: Layout
    is_versioned: bool = False


@dataclass(frozen=True)
class Misread:
    """A part that its layout does not read: the row, the byte in it, what was expected there and what stands there."""

    row: int
    position: int
    expected: str
    actual: str


def read_part(part: Part, blobs: pa.BinaryArray) -> tuple[pa.StructArray, list[Misread]]:
    """Read a column of keys or values as structs, null where one is null or can't be read, and tell of the latter."""
    buffer, starts, ends = _spans(blobs)
    if part.is_versioned:
        structs = decode_versioned(part.layout, buffer, starts, ends, int16_heads(buffer, starts, ends))
    else:
        structs = decode(part.layout, buffer, starts, ends, 0)
    return structs.columns, list(_misreads(structs, buffer, starts, ends))


def _misreads(structs: Structs, buffer: ByteArray, starts: Int64Array, ends: Int64Array) -> Iterator[Misread]:
    for row in np.flatnonzero(structs.error).tolist():
        reason, at = Reason(int(structs.error[row])), int(structs.error_at[row])
        expected = EXPECTED[reason] if reason in _FIELDLESS else f"{structs.field(row)}: {EXPECTED[reason]}"
        actual = buffer[at : min(at + _ACTUAL_BYTES, int(ends[row]))].tobytes().hex() or "nothing"
        yield Misread(row, at - int(starts[row]), expected, actual)


def _spans(blobs: pa.BinaryArray) -> tuple[ByteArray, Int64Array, Int64Array]:
    """Give the bytes of a column and where each value begins and ends; of a null the start is -1."""
    _, places, data = blobs.buffers()
    buffer = np.frombuffer(data or b"", np.uint8)
    edges = np.frombuffer(places, np.int32)[blobs.offset : blobs.offset + len(blobs) + 1].astype(np.int64)
    return buffer, np.where(np.asarray(blobs.is_null()), np.int64(-1), edges[:-1]), edges[1:]
