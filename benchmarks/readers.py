"""The readers that are compared inside Python: Lagbook's own, a loop over records with struct, and kafka-python's.

A reader takes a file and gives how many records (or batches, where only headers are read) it found. What is measured of
it is `benchmarks.rounds`; programs of their own are in `benchmarks.programs`.
"""

from __future__ import annotations

import importlib
import importlib.util
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pyarrow as pa

from parsers.log.segments import walk
from parsers.offset_records import offset_record_columns
from parsers.sources import open_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_HEADER: Final = struct.Struct(">qiibIhiqqqhii")
_COMMIT: Final = 1
_OLDER: Final = 3
_COLUMNS: Final = ("group_id", "topic", "partition", "offset", "leader_epoch", "metadata", "commit_timestamp")


def walked(path: str) -> int:
    """Lagbook: read the file, check every checksum, find every record; decode nothing."""
    with open_file(path) as source:
        return sum(len(piece.records) for piece in walk(source, bodies=True) if piece.records is not None)


def columns(path: str) -> int:
    """Lagbook: the whole way from the file to Arrow columns, checksums checked; each slice is let go of."""
    with open_file(path) as source:
        return sum(len(offset_record_columns(piece)[0]) for piece in walk(source, bodies=True))


def headers(path: str) -> int:
    """Lagbook: the headers of the batches as Arrow columns."""
    with open_file(path) as source:
        return sum(len(piece.batches) for piece in walk(source, bodies=False))


def struct_loop(path: str) -> int:
    """Decode record by record with struct, without checksums, and make Arrow columns of the commits."""
    content = Path(path).read_bytes()
    rows = [_decoded(content, *edges) for edges in _plain_records(content)]
    commits = zip(*(row for row in rows if row), strict=True)
    pa.record_batch([pa.array(column) for column in commits], names=_COLUMNS)
    return len(rows)


class _Edges(NamedTuple):
    key: int
    value: int
    end: int


def _plain_records(content: bytes) -> Iterator[_Edges]:
    """Step over the records of an uncompressed segment."""
    position = 0
    while position < len(content):
        header = _HEADER.unpack_from(content, position)
        at = position + _HEADER.size
        for _ in range(header[-1]):
            size, at = _varint(content, at)
            yield _edges(content, at + 1)
            at += size
        position += header[1] + 12


def _edges(content: bytes, at: int) -> _Edges:
    _time_delta, at = _varint(content, at)
    _offset_delta, at = _varint(content, at)
    key_bytes, key = _varint(content, at)
    value_bytes, value = _varint(content, key + key_bytes)
    return _Edges(key, value, value + value_bytes)


def _varint(content: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while (byte := content[at]) > 0x7F:  # noqa: PLR2004 - the bit that says there is more
        value |= (byte & 0x7F) << shift
        shift, at = shift + 7, at + 1
    value |= byte << shift
    return value >> 1 ^ -(value & 1), at + 1


def _decoded(content: bytes, key: int, value: int, end: int) -> tuple[Any, ...] | None:
    """Decode a commit; None for what is not one."""
    (kind,) = struct.unpack_from(">h", content, key)
    if kind != _COMMIT or end <= value:
        return None
    group, at = _string(content, key + 2)
    topic, at = _string(content, at)
    (partition,) = struct.unpack_from(">i", content, at)
    version, offset, leader_epoch = struct.unpack_from(">hqi", content, value)
    metadata, at = _string(content, value + 14) if version == _OLDER else _compact_string(content, value + 14)
    return group, topic, partition, offset, leader_epoch, metadata, *struct.unpack_from(">q", content, at)


def _string(content: bytes, at: int) -> tuple[str, int]:
    (size,) = struct.unpack_from(">h", content, at)
    return content[at + 2 : at + 2 + size].decode(), at + 2 + size


def _compact_string(content: bytes, at: int) -> tuple[str, int]:
    size = content[at] - 1
    return content[at + 1 : at + 1 + size].decode(), at + 1 + size


def kafka_python(path: str) -> int:
    """kafka-python: the records of the batches, keys and values left as bytes, checksums not checked."""
    batches = importlib.import_module("kafka.record").MemoryRecords(Path(path).read_bytes())
    return sum(1 for batch in batches for record in batch if record.value is None or record.key)


def has_kafka_python() -> bool:
    """Say whether kafka-python is installed."""
    return importlib.util.find_spec("kafka") is not None


READERS: Final[dict[str, Callable[[str], int]]] = {
    reader.__name__: reader for reader in (walked, columns, headers, struct_loop, kafka_python)
}
