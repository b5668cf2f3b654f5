"""The small files of a log directory as entries in Kafka's own words: indexes, producer snapshots, checkpoints.

Put here how each kind of file is read as a whole and what its columns are called outside. What stands in the bytes is
said by `parsers.log.index_files` and `parsers.files.checkpoints`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence  # noqa: TC003 - a named tuple's fields are looked up
from typing import Any, Final, NamedTuple

import pyarrow as pa

from parsers.dump.file_kinds import FileKind
from parsers.files.checkpoints import (
    epoch_checkpoints,
    meta_properties,
    offset_checkpoints,
    partition_metadata,
)
from parsers.layouts import index_files as layout
from parsers.log.index_files import offset_index, producer_snapshot, time_index, transaction_index

LARGEST_BYTES: Final = 64 << 20

_SHORTER: Final = {
    "timestamp_ms": "timestamp",
    "current_transaction_first_offset": "current_txn_first_offset",
}
"""Columns that kafka-dump-log calls otherwise."""


class EntryTable(NamedTuple):
    """A kind of file with entries of fixed width: how it is read, its columns, the bytes of its header and an entry."""

    read: Callable[[bytes, int, str], pa.RecordBatch]
    schema: pa.Schema
    header_bytes: int
    entry_bytes: int


class EntryText(NamedTuple):
    """A kind of text file: how it is read, and its columns."""

    read: Callable[[bytes, str], Iterator[dict[str, Any]]]
    schema: pa.Schema


def _offset_entries(content: bytes, base_offset: int, _path: str) -> pa.RecordBatch:
    return offset_index(content, base_offset)


def _time_entries(content: bytes, base_offset: int, _path: str) -> pa.RecordBatch:
    return _rename_columns(time_index(content, base_offset))


def _transaction_entries(content: bytes, _base_offset: int, path: str) -> pa.RecordBatch:
    return transaction_index(content, path)


def _producer_entries(content: bytes, _base_offset: int, path: str) -> pa.RecordBatch:
    return _rename_columns(producer_snapshot(content, path))


def _rename_columns(table: pa.RecordBatch) -> pa.RecordBatch:
    return table.rename_columns([_SHORTER.get(name, name) for name in table.schema.names])


def _whole_numbers(names: Sequence[str]) -> pa.Schema:
    return pa.schema([(_SHORTER.get(name, name), pa.int64()) for name in names])


TABLES: Final = {
    FileKind.OFFSET_INDEX: EntryTable(
        _offset_entries, _whole_numbers(("offset", "position")), 0, layout.OFFSET_INDEX.itemsize
    ),
    FileKind.TIME_INDEX: EntryTable(
        _time_entries, _whole_numbers(("timestamp_ms", "offset")), 0, layout.TIME_INDEX.itemsize
    ),
    FileKind.TRANSACTION_INDEX: EntryTable(
        _transaction_entries,
        _whole_numbers(layout.TRANSACTION_INDEX.names or ()),
        0,
        layout.TRANSACTION_INDEX.itemsize,
    ),
    FileKind.PRODUCER_SNAPSHOT: EntryTable(
        _producer_entries,
        _whole_numbers(layout.SNAPSHOT_ENTRY.names or ()),
        layout.SNAPSHOT_HEADER.itemsize,
        layout.SNAPSHOT_ENTRY.itemsize,
    ),
}


def _epochs(content: bytes, path: str) -> Iterator[dict[str, Any]]:
    return (entry._asdict() for entry in epoch_checkpoints(content, path))


def _offsets(content: bytes, path: str) -> Iterator[dict[str, Any]]:
    return (entry._asdict() for entry in offset_checkpoints(content, path))


def _partition(content: bytes, path: str) -> Iterator[dict[str, Any]]:
    yield partition_metadata(content, path)._asdict()


def _properties(content: bytes, path: str) -> Iterator[dict[str, Any]]:
    yield meta_properties(content, path)._asdict()


TEXTS: Final = {
    FileKind.EPOCH_CHECKPOINT: EntryText(_epochs, _whole_numbers(("epoch", "start_offset"))),
    FileKind.OFFSET_CHECKPOINT: EntryText(
        _offsets, pa.schema([("topic", pa.string()), ("partition", pa.int64()), ("offset", pa.int64())])
    ),
    FileKind.PARTITION_METADATA: EntryText(_partition, pa.schema([("version", pa.int64()), ("topic_id", pa.string())])),
    FileKind.META_PROPERTIES: EntryText(
        _properties,
        pa.schema([("cluster_id", pa.string()), ("broker_id", pa.int64()), ("directory_id", pa.string())]),
    ),
}
