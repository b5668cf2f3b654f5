"""Batches and entries written byte by byte, and a plain reading of what a walk gives: for the tests of the log.

Nothing of `parsers` is used to write: an error there must not be repeated here.
"""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from parsers.log.segments import walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from parsers.words import ByteArray

TIME_MS = 1_700_000_000_000


class Bytes:
    """A file in memory that remembers which stretches of it were read."""

    def __init__(self, content: bytes) -> None:
        """Hold the bytes of a file."""
        self.path = "memory"
        self.size_bytes = len(content)
        self.content = content
        self.reads: list[tuple[int, int]] = []

    def read(self, position: int, length: int) -> ByteArray:
        """Give up to `length` bytes from `position`."""
        self.reads.append((position, length))
        return np.frombuffer(self.content[position : position + length], np.uint8)


class Walked(NamedTuple):
    """What a walk gave, as plain Python values."""

    batches: list[dict[str, Any]]
    records: list[tuple[int, int, bytes | None, bytes | None]]
    quarantine: list[dict[str, Any]]
    torn_bytes: int
    end_position: int

    @property
    def accounted_bytes(self) -> int:
        """Bytes of batches, of gaps (without those of single records) and of the torn tail."""
        whole = [row for row in self.quarantine if row["reason"].startswith(("batch", "magic", "base offset"))]
        return sum(int(row["size_bytes"]) for row in (*self.batches, *whole)) + self.torn_bytes


def read_all(content: bytes | Bytes, start: int = 0, stop: int | None = None, *, bodies: bool = True) -> Walked:
    """Walk a segment and collect everything."""
    source = Bytes(content) if isinstance(content, bytes) else content
    batches: list[dict[str, Any]] = []
    records: list[tuple[int, int, bytes | None, bytes | None]] = []
    quarantine: list[dict[str, Any]] = []
    torn_bytes, position = 0, start
    for piece in walk(source, start, stop, bodies=bodies):
        assert piece.start_position == position
        batches += piece.batches.to_pylist()
        quarantine += piece.quarantine.to_pylist()
        torn_bytes, position = piece.torn_bytes, piece.end_position
        if piece.records is not None:
            fields, whole = piece.records, piece.records.buffer.tobytes()
            keys = _cut(whole, fields.key_start, fields.key_end)
            values = _cut(whole, fields.value_start, fields.value_end)
            records += zip(fields.offset.tolist(), fields.timestamp_ms.tolist(), keys, values, strict=True)
    return Walked(batches, records, quarantine, torn_bytes, position)


def _cut(whole: bytes, starts: Iterable[int], ends: Iterable[int]) -> list[bytes | None]:
    return [None if start < 0 else whole[start:end] for start, end in zip(starts, ends, strict=True)]


def crc32c(content: bytes) -> int:
    """Compute CRC-32C a byte at a time."""
    register = 0xFFFFFFFF
    for byte in content:
        register = register >> 8 ^ _STEPS[(register ^ byte) & 0xFF]
    return register ^ 0xFFFFFFFF


def _step(register: int) -> int:
    for _ in range(8):
        register = register >> 1 ^ (0x82F63B78 if register & 1 else 0)
    return register


_STEPS = [_step(byte) for byte in range(256)]


def varint(number: int) -> bytes:
    """Write a zigzag varint."""
    rest, out = (number << 1 ^ number >> 63) & 0xFFFFFFFFFFFFFFFF, bytearray()
    while rest > 0x7F:
        out.append(rest & 0x7F | 0x80)
        rest >>= 7
    return bytes([*out, rest])


def sized(content: bytes | None) -> bytes:
    """Write bytes behind their varint length, or the length of null."""
    return varint(-1) if content is None else varint(len(content)) + content


def record(delta: int, key: bytes | None, value: bytes | None, **options: Any) -> bytes:  # noqa: ANN401
    """Write a record of magic 2; options: time_delta_ms, headers."""
    headers: Sequence[tuple[bytes, bytes | None]] = options.get("headers", ())
    fields = b"\0" + varint(options.get("time_delta_ms", 0)) + varint(delta) + sized(key) + sized(value)
    fields += varint(len(headers)) + b"".join(sized(name) + sized(content) for name, content in headers)
    return varint(len(fields)) + fields


def batch(base_offset: int, records: Sequence[bytes], **options: Any) -> bytes:  # noqa: ANN401
    """Write a batch of magic 2; options: count, last_delta, attributes, codec, compress, producer, times."""
    count = options.get("count", len(records))
    compress: Callable[[bytes], bytes] = options.get("compress", bytes)
    attributes = options.get("attributes", 0) | options.get("codec", 0)
    last_delta = options.get("last_delta", max(count - 1, 0))
    times = options.get("times", (TIME_MS, TIME_MS))
    producer = options.get("producer", (-1, -1, -1))
    body: bytes = options.get("body", compress(b"".join(records)))
    covered: bytes = struct.pack(">hiqqqhii", attributes, last_delta, *times, *producer, count) + body
    length = options.get("length", 9 + len(covered))
    return struct.pack(">qiibI", base_offset, length, 3, 2, crc32c(covered)) + covered


def simple_batch(base_offset: int, count: int = 2, size: int = 30) -> bytes:
    """Write a batch whose records differ from those of every other batch."""
    records = [record(delta, b"key-%d" % (base_offset + delta), b"v" * size) for delta in range(count)]
    return batch(base_offset, records)


def simple_log(batches: int, count: int = 2, size: int = 30) -> list[bytes]:
    """Write batches that follow each other."""
    return [simple_batch(number * count, count, size) for number in range(batches)]


def entry(offset: int, key: bytes | None, value: bytes | None, **options: Any) -> bytes:  # noqa: ANN401
    """Write an entry of magic 0 or 1; options: magic, attributes, timestamp_ms."""
    magic = options.get("magic", 1)
    covered = struct.pack(">bb", magic, options.get("attributes", 0))
    covered += struct.pack(">q", options.get("timestamp_ms", TIME_MS)) if magic else b""
    for field in (key, value):
        covered += struct.pack(">i", -1 if field is None else len(field)) + (field or b"")
    return struct.pack(">qiI", offset, 4 + len(covered), zlib.crc32(covered)) + covered
