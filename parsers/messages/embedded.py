"""The blobs inside classic groups: what members said when they joined, and what the leader gave them.

Put here how a column of such blobs is opened. Their fields are in `parsers.layouts`; which blob a member's bytes are
follows from the group's protocol type and protocol, and is for the caller to tell.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from parsers.layouts.groups import connect, consumer_protocol, streams_client
from parsers.messages.arrays.schemas import layout_type
from parsers.messages.decode import decode, fill_heads
from parsers.messages.strings import are_utf8, gather
from parsers.spans import pack

if TYPE_CHECKING:
    from parsers.wire import Layout
    from parsers.words import ByteArray, Int64Array

_INT16_BYTES: Final = 2


@dataclass(frozen=True)
class Blob:
    """A kind of blob: its layout, and the bytes of the version it begins with (0 where it has none)."""

    layout: Layout
    version_bytes: int = 2


SUBSCRIPTION: Final = Blob(consumer_protocol.SUBSCRIPTION)
ASSIGNMENT: Final = Blob(consumer_protocol.ASSIGNMENT)
STICKY_USER_DATA: Final = Blob(consumer_protocol.STICKY_USER_DATA, version_bytes=0)
COOPERATIVE_STICKY_USER_DATA: Final = Blob(consumer_protocol.COOPERATIVE_STICKY_USER_DATA, version_bytes=0)
CONNECT_METADATA: Final = Blob(connect.CONNECT_METADATA)
CONNECT_ASSIGNMENT: Final = Blob(connect.CONNECT_ASSIGNMENT)
STREAMS_SUBSCRIPTION: Final = Blob(streams_client.STREAMS_SUBSCRIPTION, version_bytes=4)
STREAMS_ASSIGNMENT: Final = Blob(streams_client.STREAMS_ASSIGNMENT, version_bytes=4)


def open_subscriptions(blobs: pa.BinaryArray) -> pa.StructArray:
    """Open the subscriptions of members of protocol type "consumer"; what is empty or can't be read is null."""
    return open_blobs(SUBSCRIPTION, blobs)


def open_assignments(blobs: pa.BinaryArray) -> pa.StructArray:
    """Open the assignments of members of protocol type "consumer"; what is empty or can't be read is null."""
    return open_blobs(ASSIGNMENT, blobs)


def open_texts(blobs: pa.BinaryArray) -> pa.StringArray:
    """Take blobs as the JSON text that members of protocol type "sr" write; what is no UTF-8 is null."""
    buffer, starts, ends = _spans(blobs)
    spans = pack(starts, ends)
    return gather(buffer, np.where(are_utf8(buffer, spans), spans, -1), pa.string())


def blob_type(blob: Blob) -> pa.StructType:
    """Give the type that blobs of a kind are opened to: their version, and the fields of their layout."""
    fields = list(layout_type(blob.layout))
    return pa.struct([pa.field("version", pa.int32()), *fields] if blob.version_bytes else fields)


def open_blobs(blob: Blob, blobs: pa.BinaryArray) -> pa.StructArray:
    """Open a column of blobs of one kind; a null stays null, and what is empty or can't be read becomes null."""
    buffer, starts, ends = _spans(blobs)
    versions = np.zeros(starts.size, np.int16 if blob.version_bytes == _INT16_BYTES else np.int32)
    is_short = np.zeros(starts.size, np.bool_)
    if blob.version_bytes:
        fill_heads(buffer, starts, ends, versions, is_short)
    bodies = np.where((starts >= 0) & ~is_short & (versions >= 0), starts + blob.version_bytes, -1)
    known = np.clip(versions, -1, np.iinfo(np.int16).max).astype(np.int16)
    columns = decode(blob.layout, buffer, bodies, ends, known).columns
    if not blob.version_bytes:
        return columns.cast(blob_type(blob))
    children = [
        pa.array(versions.astype(np.int32)),
        *(columns.field(index) for index in range(columns.type.num_fields)),
    ]
    names = ["version", *(field.name for field in columns.type)]
    opened = pa.StructArray.from_arrays(children, names, mask=columns.is_null())
    return opened.cast(blob_type(blob))


def _spans(blobs: pa.BinaryArray) -> tuple[ByteArray, Int64Array, Int64Array]:
    """Give the bytes of a column and where each value stands; a null or empty value has a start below zero."""
    _, places, data = blobs.buffers()
    buffer = np.frombuffer(data or b"", np.uint8)
    edges = np.frombuffer(places, np.int32)[blobs.offset : blobs.offset + len(blobs) + 1].astype(np.int64)
    is_empty = np.asarray(blobs.is_null()) | (edges[1:] == edges[:-1])
    return buffer, np.where(is_empty, np.int64(-1), edges[:-1]), edges[1:]
