"""Records of the offsets topic and batches of data topics as they stand in the logs, and copies that differ.

Put columns here that a parser read from the bytes of a log. What those bytes mean for a group stands in the core layer.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import pyarrow as pa

from assets.catalog.columns import CLUSTER, LOG_OFFSET, LOG_PARTITION, LOG_TOPIC, PATH, READ_AT, TOPIC_PARTITION
from assets.catalog.table import Column, Interval, Origin, Table
from parsers.messages.record_types import KEY_COLUMNS, VALUE_COLUMNS

_PRODUCER: Final = (
    Column("producer_id", pa.int64(), "Producer id of the batch; NULL where the batch has none."),
    Column("producer_epoch", pa.int16(), "Producer epoch of the batch; NULL where the batch has none."),
    Column("is_transactional", pa.bool_(), "The batch belongs to a transaction.", required=True),
    Column("is_control", pa.bool_(), "The batch is a control batch: markers, not data.", required=True),
    Column("control_type", pa.string(), "COMMIT or ABORT (or another control type); NULL for data."),
)

SOURCE: Final = "source"
"""The column that says of a record that no log told of it; rows that have it stand in files of their own."""

OF_COMMITS: Final = {"group_id", "topic", "partition", "offset_commit"}
"""What an offset commit says: almost all records of most clusters are one."""

OFFSET_RECORDS: Final = Table(
    "raw",
    "offset_records",
    "One row per record of __consumer_offsets ever seen, decoded by the record type in its key.",
    ("cluster", "log_partition", "log_offset"),
    (
        CLUSTER,
        LOG_PARTITION,
        replace(LOG_OFFSET, minimum=0),
        Column(
            "batch_base_offset", pa.int64(), "First offset of the batch that carried it; NULL if only a dump tells."
        ),
        Column("log_leader_epoch", pa.int32(), "Leader epoch of the offsets partition when it was appended."),
        Column("timestamp_ms", pa.int64(), "When the coordinator appended the record."),
        *_PRODUCER[:2],
        Column("base_sequence", pa.int32(), "Producer sequence of the batch's first record; NULL where it has none."),
        Column("is_transactional", pa.bool_(), "The batch belongs to a transaction; NULL if only a dump tells of it."),
        Column("is_control", pa.bool_(), "The batch is a control batch: markers, not data; NULL when it was not told."),
        *_PRODUCER[4:],
        Column("coordinator_epoch", pa.int32(), "Epoch of the transaction coordinator in a marker; NULL otherwise."),
        Column("delete_horizon_ms", pa.int64(), "When the cleaner may drop the batch's tombstones; NULL when not set."),
        Column("record_type", pa.int16(), "Record type id in the key; NULL for control records and unreadable keys."),
        Column("value_version", pa.int16(), "Version of the value; NULL for a tombstone."),
        Column("is_tombstone", pa.bool_(), "The value is null: the key was removed; NULL when it was not told."),
        Column("key_bytes", pa.int32(), "Size of the key; NULL for a null key."),
        Column("value_bytes", pa.int32(), "Size of the value; NULL for a tombstone."),
        *(Column(name, kind, meaning) for name, (kind, meaning) in KEY_COLUMNS.items()),
        *(Column(name, kind, meaning) for name, (kind, meaning) in VALUE_COLUMNS.items()),
        Column("undecoded_key", pa.binary(), "The key's bytes, when no known layout reads them."),
        Column("undecoded_value", pa.binary(), "The value's bytes, when no known layout reads them."),
        Column(
            SOURCE,
            pa.string(),
            "dump or text while only a tool's file tells of the record, and may not say all; NULL once a log did.",
        ),
    ),
    rare=frozenset({*KEY_COLUMNS, *VALUE_COLUMNS, "undecoded_key", "undecoded_value", SOURCE} - OF_COMMITS),
    ascending=frozenset(
        {"log_offset", "batch_base_offset", "timestamp_ms", "offset_commit.commit_timestamp", "offset_commit.offset"}
    ),
    origin=Origin.INGEST,
)

BATCHES: Final = Table(
    "raw",
    "batches",
    "One row per record batch of a data topic, from its header alone.",
    ("cluster", "topic", "partition", "base_offset"),
    (
        CLUSTER,
        LOG_TOPIC,
        TOPIC_PARTITION,
        Column("base_offset", pa.int64(), "First offset of the batch.", required=True, minimum=0),
        Column(
            "last_offset",
            pa.int64(),
            "Last offset of the batch, also when compaction removed that record.",
            required=True,
        ),
        Column("record_count", pa.int64(), "Records in the batch by its header; NULL where the format does not say."),
        Column("base_timestamp_ms", pa.int64(), "Timestamp of the first record; NULL when the header has none."),
        Column("max_timestamp_ms", pa.int64(), "Largest timestamp in the batch; NULL when the header has none."),
        Column("is_log_append_time", pa.bool_(), "The broker set the timestamps, not the producer.", required=True),
        Column("leader_epoch", pa.int32(), "Leader epoch of the batch; NULL when unknown."),
        *_PRODUCER,
        Column("base_sequence", pa.int32(), "Producer sequence of the first record; NULL where the batch has none."),
        Column("delete_horizon_ms", pa.int64(), "When the cleaner may drop the batch's tombstones; NULL when not set."),
        Column(
            "codec",
            pa.string(),
            "Compression of the batch.",
            values={
                "none": "not compressed",
                "gzip": "gzip",
                "snappy": "Snappy",
                "lz4": "LZ4",
                "zstd": "Zstandard",
            },
            is_promised=False,
            required=True,
        ),
        Column("magic", pa.int8(), "Format of the batch.", minimum=0, maximum=2, required=True),
        Column("size_bytes", pa.int64(), "Bytes of the batch on disk.", required=True, minimum=1),
        Column("position", pa.int64(), "Byte of the segment file where the batch begins.", required=True, minimum=0),
        Column("crc", pa.int64(), "Checksum in the header; NULL in rows that an older release of Lagbook wrote."),
        Column("segment_base_offset", pa.int64(), "Offset in the name of the segment file.", required=True),
    ),
    ascending=frozenset({"base_offset", "last_offset", "base_timestamp_ms", "max_timestamp_ms", "position"}),
    origin=Origin.INGEST,
    intervals=(Interval("base_offset", "last_offset", can_be_empty=True, is_promised=False),),
)

_SECOND_SAYING: Final = (
    Column("broker_id", pa.int32(), "Broker whose log says so; NULL when not recorded."),
    PATH,
    READ_AT,
)

DIVERGED_RECORDS: Final = Table(
    "raw",
    "diverged_records",
    "Records of __consumer_offsets that say something else than the record kept under the same offset.",
    ("cluster", "log_partition", "log_offset", "path", "read_at"),
    (*OFFSET_RECORDS.columns, *_SECOND_SAYING),
    rare=OFFSET_RECORDS.rare,
    origin=Origin.INGEST,
    is_key_checked=False,
)

DIVERGED_BATCHES: Final = Table(
    "raw",
    "diverged_batches",
    "Batches of data topics that say something else than the batch kept under the same offset.",
    ("cluster", "topic", "partition", "base_offset", "path", "read_at"),
    (*BATCHES.columns, *_SECOND_SAYING),
    origin=Origin.INGEST,
    is_key_checked=False,
)

TABLES: Final = (OFFSET_RECORDS, BATCHES, DIVERGED_RECORDS, DIVERGED_BATCHES)
