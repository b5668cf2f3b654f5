"""Batches of magic 2 written as fast as a memory copy: records out of phrases, then headers and checksums before them.

Only bytes are made here. Which records a log has is `benchmarks.traffic`, which files it has is `benchmarks.logs`.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
from numba import types
from numba.core import cgutils

from parsers.compiled import compiled, instruction
from parsers.fixed import offset_of
from parsers.layouts.batch_header import BATCH_HEADER, CHECKED_FROM, LENGTH_END
from parsers.log.crc import crc32c

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchmarks.encoder import Message
    from parsers.words import ByteArray, Int64Array

CODECS: Final = {"none": 0, "lz4": 3, "zstd": 4}
NULL: Final = -1

_move_bytes: Any = cgutils.raw_memcpy
"""Of no type, as numba gives it none."""

_MAGIC: Final = 2
_NO_PRODUCER: Final = -1
_HEADER_BYTES: Final = BATCH_HEADER.itemsize
_CRC_AT: Final = offset_of(BATCH_HEADER, "crc")
_CRC_BYTES: Final = BATCH_HEADER["crc"].itemsize
_CHECKED_FROM: Final = CHECKED_FROM[_MAGIC]
_MOST_FRAMING_BYTES: Final = 24  # of a record: its length, attributes, deltas, two lengths, header count


class Row(IntEnum):
    """Columns of the table of records to be written: two phrases (the value may be NULL), and what differs."""

    KEY = 0
    VALUE = 1
    NUMBER = 2
    TIMESTAMP_MS = 3


class Phrases(NamedTuple):
    """Messages that are written again and again, one behind the other, and where in each a number can be put.

    A message without such a number has NULL as its place.
    """

    content: ByteArray
    starts: Int64Array
    number_at: Int64Array
    number_bytes: Int64Array
    timestamp_at: Int64Array


class Bodies(NamedTuple):
    """The bodies of batches: content[starts[n]:ends[n]] is the n-th; several may share one."""

    content: ByteArray
    starts: Int64Array
    ends: Int64Array
    codec: int


class Stamps(NamedTuple):
    """What differs between the headers of batches."""

    base_offset: Int64Array
    record_count: Int64Array
    timestamp_ms: Int64Array


class Batches(NamedTuple):
    """Whole batches, one behind the other, their sizes, and the first and last offset of each."""

    content: ByteArray
    size_bytes: Int64Array
    base_offset: Int64Array
    last_offset: Int64Array


def lay_out(messages: Sequence[Message], numbers: Mapping[str, int], timestamps: Sequence[str]) -> Phrases:
    """Lay messages out as phrases; `numbers` are the fields that differ with their widths, `timestamps` int64 ones."""
    ends = np.cumsum([0, *(len(message.content) for message in messages)])
    names = [next((name for name in numbers if name in message.places), None) for message in messages]
    times = [next((at for name, at in message.places.items() if name in timestamps), NULL) for message in messages]
    return Phrases(
        np.frombuffer(b"".join(message.content for message in messages), np.uint8),
        ends,
        np.array([message.places[name] if name else NULL for message, name in zip(messages, names, strict=True)]),
        np.array([numbers[name] if name else 0 for name in names]),
        np.array(times),
    )


@compiled
def put_big(buffer: ByteArray, at: int, number: int, width: int) -> None:
    """Write a big-endian integer."""
    for byte in range(width):
        buffer[at + byte] = (number >> (8 * (width - 1 - byte))) & 0xFF


@compiled
def put_varint(buffer: ByteArray, at: int, number: int) -> int:
    """Write a zigzag varint; give where it ends."""
    rest = (number << 1) ^ (number >> 63)
    while rest & ~0x7F:
        buffer[at] = (rest & 0x7F) | 0x80
        rest = (rest >> 7) & 0x1FFFFFFFFFFFFFF
        at += 1
    buffer[at] = rest
    return at + 1


@compiled
def varint_bytes(number: int) -> int:
    """Give the bytes that a zigzag varint takes."""
    rest, size = (number << 1) ^ (number >> 63), 1
    while rest & ~0x7F:
        rest = (rest >> 7) & 0x1FFFFFFFFFFFFFF
        size += 1
    return size


@instruction
def copy(_typing: object, target: Any, _at: object, source: Any, _start: object, _size: object) -> Any:  # noqa: ANN401
    """Copy `size` bytes of `source` from `start` to `at` in the target, which has room for them."""

    def move(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ANN401
        into = context.make_array(signature.args[0])(context, builder, arguments[0])
        out_of = context.make_array(signature.args[2])(context, builder, arguments[2])
        to, origin = builder.gep(into.data, [arguments[1]]), builder.gep(out_of.data, [arguments[3]])
        _move_bytes(builder, to, origin, arguments[4], 1)
        return context.get_dummy_value()

    return types.void(target, types.int64, source, types.int64, types.int64), move


@compiled
def _phrase_bytes(phrases: Phrases, phrase: int) -> int:
    return NULL if phrase == NULL else phrases.starts[phrase + 1] - phrases.starts[phrase]


@compiled
def _put_phrase(buffer: ByteArray, at: int, phrases: Phrases, phrase: int, row: Int64Array) -> int:
    """Write the length of a message and the message with the row's numbers in their places; give where it ends."""
    size = _phrase_bytes(phrases, phrase)
    at = put_varint(buffer, at, size)
    if phrase == NULL:
        return at
    copy(buffer, at, phrases.content, phrases.starts[phrase], size)
    if phrases.number_at[phrase] != NULL:
        put_big(buffer, at + phrases.number_at[phrase], row[Row.NUMBER], phrases.number_bytes[phrase])
    if phrases.timestamp_at[phrase] != NULL:
        put_big(buffer, at + phrases.timestamp_at[phrase], row[Row.TIMESTAMP_MS], 8)
    return at + size


@compiled
def _put_record(buffer: ByteArray, at: int, phrases: Phrases, row: Int64Array, delta: int) -> int:
    """Write a record with the timestamp of its batch and no headers; give where it ends."""
    key_bytes, value_bytes = _phrase_bytes(phrases, row[Row.KEY]), _phrase_bytes(phrases, row[Row.VALUE])
    size = 3 + varint_bytes(delta) + varint_bytes(key_bytes) + varint_bytes(value_bytes)
    at = put_varint(buffer, at, size + key_bytes + max(value_bytes, 0))
    buffer[at] = buffer[at + 1] = 0
    at = put_varint(buffer, at + 2, delta)
    at = _put_phrase(buffer, at, phrases, row[Row.KEY], row)
    at = _put_phrase(buffer, at, phrases, row[Row.VALUE], row)
    buffer[at] = 0
    return at + 1


@compiled
def _put_bodies(phrases: Phrases, rows: Int64Array, counts: Int64Array, ends: Int64Array) -> ByteArray:
    """Write the records of batches, counts[n] rows in the n-th, and into `ends` where each batch ends."""
    room = 0
    for row in rows:
        room += (
            _MOST_FRAMING_BYTES + _phrase_bytes(phrases, row[Row.KEY]) + max(_phrase_bytes(phrases, row[Row.VALUE]), 0)
        )
    buffer, at, first = np.empty(room, np.uint8), 0, 0
    for batch in range(len(counts)):
        for delta in range(counts[batch]):
            at = _put_record(buffer, at, phrases, rows[first + delta], delta)
        ends[batch], first = at, first + counts[batch]
    return buffer[:at]


def write_bodies(phrases: Phrases, rows: Int64Array, counts: Int64Array, codec: str) -> Bodies:
    """Write the records of batches, counts[n] rows in the n-th, compressed by the codec."""
    ends = np.empty(len(counts), np.int64)
    content = _put_bodies(phrases, rows, counts, ends)
    plain = Bodies(content, np.concatenate([[0], ends[:-1]]), ends, 0)
    return plain if codec == "none" else _compressed(plain, codec)


def _compressed(plain: Bodies, codec: str) -> Bodies:
    """Compress each body for itself, as a coordinator does."""
    view, compress = plain.content.data, _COMPRESSORS[codec]
    edges = zip(plain.starts.tolist(), plain.ends.tolist(), strict=True)
    pieces = [compress(view[start:end]) for start, end in edges]
    ends = np.cumsum([len(piece) for piece in pieces])
    starts = np.concatenate([[0], ends[:-1]])
    return Bodies(np.frombuffer(b"".join(pieces), np.uint8), starts, ends, CODECS[codec])


def _lz4(body: memoryview) -> bytes:
    return bytes(pa.compress(body, "lz4", asbytes=True))


def _zstd(body: memoryview) -> bytes:
    """Write a stream: unlike a block that is compressed at once, its head doesn't tell how large it inflates."""
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(body)
    return bytes(sink.getvalue())


_COMPRESSORS: Final = {"lz4": _lz4, "zstd": _zstd}


def frame(bodies: Bodies, stamps: Stamps) -> Batches:
    """Put headers with checksums before the bodies."""
    headers = np.zeros(len(bodies.starts), BATCH_HEADER)
    size_bytes = _HEADER_BYTES + bodies.ends - bodies.starts
    headers["base_offset"], headers["length"] = stamps.base_offset, size_bytes - LENGTH_END
    headers["magic"], headers["attributes"] = _MAGIC, bodies.codec
    headers["last_offset_delta"], headers["record_count"] = stamps.record_count - 1, stamps.record_count
    headers["base_timestamp_ms"] = headers["max_timestamp_ms"] = stamps.timestamp_ms
    headers["producer_id"] = headers["producer_epoch"] = headers["base_sequence"] = _NO_PRODUCER
    content = np.empty(int(size_bytes.sum()), np.uint8)
    _join(content, headers.view(np.uint8), bodies)
    return Batches(content, size_bytes, stamps.base_offset, stamps.base_offset + stamps.record_count - 1)


@compiled
def _join(content: ByteArray, headers: ByteArray, bodies: Bodies) -> None:
    start = 0
    for batch in range(len(bodies.starts)):
        size = bodies.ends[batch] - bodies.starts[batch]
        copy(content, start, headers, batch * _HEADER_BYTES, _HEADER_BYTES)
        copy(content, start + _HEADER_BYTES, bodies.content, bodies.starts[batch], size)
        end = start + _HEADER_BYTES + size
        put_big(content, start + _CRC_AT, crc32c(content, start + _CHECKED_FROM, end), _CRC_BYTES)
        start = end
