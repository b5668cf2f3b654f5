"""Any file that a broker writes as columns: what `parsers.dump.json_files` writes as lines, one row for each.

Put here which columns each kind of file has. What they mean is said where they are decoded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from parsers.data_records import HEADERS, header_columns
from parsers.dump.file_entries import LARGEST_BYTES, TABLES, TEXTS
from parsers.dump.file_kinds import FileKind, TopicKind, kind_of, parse_file_name, topic_of
from parsers.layouts.cluster.metadata_types import METADATA_TYPES, metadata_column
from parsers.log.headers import BATCH_SCHEMA
from parsers.log.segments import walk
from parsers.messages.arrays.schemas import arrow_type, layout_type, null_array
from parsers.messages.internal_topics import SHARE_GROUP_STATE, TRANSACTION_STATE
from parsers.messages.metadata_records import decode_metadata
from parsers.messages.record_types import OFFSETS
from parsers.messages.strings import gather
from parsers.messages.topic_records import decode_records
from parsers.sources import open_file, read_file
from parsers.spans import pack

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parsers.log.records import Records
    from parsers.log.segments import Slice
    from parsers.messages.topic_records import Edges, Mask, Reasons
    from parsers.words import ByteArray, Int64Array

Columns = dict[str, pa.Array]
Schema = dict[str, pa.DataType]

_PLACE: Final[Schema] = {"file": pa.string(), "offset": pa.int64(), "timestamp_ms": pa.int64()}
_BYTES: Final[Schema] = {"headers": HEADERS, "key": pa.binary(), "value": pa.binary()}
_HEADS: Final[Schema] = {"record_type": pa.int64(), "value_version": pa.int64()}
_TOPICS: Final = {
    TopicKind.OFFSETS: OFFSETS,
    TopicKind.TRANSACTIONS: TRANSACTION_STATE,
    TopicKind.SHARES: SHARE_GROUP_STATE,
}


def segment_schema(topic: TopicKind) -> pa.Schema:
    """Give the columns of a segment's records: where each stood, its batch, its bytes, and what they say."""
    batch = {f"batch_{field.name}": field.type for field in BATCH_SCHEMA}
    return pa.schema({**_PLACE, **batch, **_BYTES, **_message_schema(topic)})


def _message_schema(topic: TopicKind) -> Schema:
    if topic is TopicKind.DATA:
        return {}
    if topic is TopicKind.METADATA:
        return _HEADS | {metadata_column(layout): layout_type(layout) for layout in METADATA_TYPES.values()}
    keys = {field.name: arrow_type(field) for field in _TOPICS[topic].key.fields}
    return _HEADS | keys | {name: layout_type(kind.layout) for name, kind in _TOPICS[topic].kinds.items()}


def file_schema(path: str, topic: TopicKind | None) -> pa.Schema:
    """Give the columns of a file; segments are read as `topic`, or as what their directory says."""
    kind = kind_of(path)
    return segment_schema(topic_of(path, topic)) if kind is FileKind.SEGMENT else _entry_schema(kind)


def file_columns(path: str, topic: TopicKind | None) -> Iterator[tuple[pa.RecordBatch, int]]:
    """Read a file as columns, each part with the number of stretches, keys and values that could not be read."""
    kind = kind_of(path)
    if kind is FileKind.SEGMENT:
        yield from _segment_columns(path, topic_of(path, topic))
    else:
        yield _entry_columns(path, kind), 0


def _segment_columns(path: str, topic: TopicKind) -> Iterator[tuple[pa.RecordBatch, int]]:
    schema = segment_schema(topic)
    with open_file(path) as source:
        for piece in walk(source, bodies=True):
            if piece.records is not None:
                columns, trouble_count = _record_columns(path, piece, piece.records, topic)
                arrays = [columns[field.name].cast(field.type) for field in schema]
                yield pa.record_batch(arrays, schema=schema), trouble_count + piece.quarantine.num_rows


def _record_columns(path: str, piece: Slice, records: Records, topic: TopicKind) -> tuple[Columns, int]:
    of_batch = pa.array(records.batch)
    batch = {f"batch_{name}": piece.batches.column(name).take(of_batch) for name in BATCH_SCHEMA.names}
    keys, values = (records.key_start, records.key_end), (records.value_start, records.value_end)
    is_control = batch["batch_is_control"].to_numpy(zero_copy_only=False)
    messages, errors = _messages(records.buffer, (keys, values), topic, is_control)
    place = {
        "file": pa.array([path]).take(pa.array(np.zeros(len(records), np.int64))),
        "offset": pa.array(records.offset),
        "timestamp_ms": pa.array(records.timestamp_ms, mask=records.timestamp_ms < 0),
        "headers": header_columns(records),
        "key": gather(records.buffer, pack(*keys), pa.binary()),
        "value": gather(records.buffer, pack(*values), pa.binary()),
    }
    return {**place, **batch, **messages}, int(np.count_nonzero(errors[~is_control]))


def _messages(
    buffer: ByteArray, parts: tuple[Edges, Edges], topic: TopicKind, is_control: Mask
) -> tuple[Columns, Reasons]:
    """Decode what the records say, but for control records; and give the reason where a record can't be read."""
    if topic is TopicKind.DATA:
        return {}, np.zeros(is_control.size, np.int8)
    keys, values = ((np.where(is_control, -1, starts), ends) for starts, ends in parts)
    if topic is TopicKind.METADATA:
        return _metadata(buffer, values)
    columns = decode_records(_TOPICS[topic], buffer, keys, values)
    heads = {"record_type": columns.record_type, "value_version": columns.value_version}
    return {**heads, **columns.keys, **columns.values}, columns.error


def _metadata(buffer: ByteArray, values: Edges) -> tuple[Columns, Reasons]:
    records = decode_metadata(buffer, *values)
    heads = {"record_type": _numbers_or_null(records.types), "value_version": _numbers_or_null(records.versions)}
    structs = {
        metadata_column(layout): records.decoded[number].columns
        if number in records.decoded
        else null_array(layout_type(layout), values[0].size)
        for number, layout in METADATA_TYPES.items()
    }
    return {**heads, **structs}, records.error


def _numbers_or_null(numbers: Int64Array) -> pa.Array:
    return pa.array(numbers, mask=numbers < 0)


def _entry_schema(kind: FileKind) -> pa.Schema:
    columns = TABLES[kind].schema if kind in TABLES else TEXTS[kind].schema
    return pa.schema([pa.field("file", pa.string()), *columns])


def _entry_columns(path: str, kind: FileKind) -> pa.RecordBatch:
    """Read the entries of an index, a snapshot or a checkpoint."""
    content = read_file(path, LARGEST_BYTES)
    if kind in TABLES:
        entries = TABLES[kind].read(content, parse_file_name(path).base_offset, path)
    else:
        entries = pa.RecordBatch.from_pylist(list(TEXTS[kind].read(content, path)), TEXTS[kind].schema)
    return with_file(path, entries)


def with_file(path: str, columns: pa.RecordBatch) -> pa.RecordBatch:
    """Put the name of the file before what it says."""
    return columns.add_column(0, "file", pa.array([path] * columns.num_rows, pa.string()))
