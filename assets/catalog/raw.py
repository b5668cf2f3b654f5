"""The raw layer: what the files say, as recorded, with times in epoch milliseconds.

Put columns here that a parser read from bytes. What those bytes mean for a group belongs in `core`.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from assets.catalog.table import TIMESTAMP, Column, Table
from parsers.messages.record_types import KEY_COLUMNS, VALUE_COLUMNS

CLUSTER: Final = Column(
    "cluster", pa.string(), "cluster.id of the broker's meta.properties, or the name the user gave.", required=True
)
LOG_PARTITION: Final = Column(
    "log_partition", pa.int32(), "Partition of __consumer_offsets that holds the record.", required=True
)
LOG_OFFSET: Final = Column(
    "log_offset", pa.int64(), "Offset of the record in its partition of __consumer_offsets.", required=True
)
LOG_TOPIC: Final = Column("topic", pa.string(), "Topic whose log the file belongs to.", required=True)
TOPIC_PARTITION: Final = Column("partition", pa.int32(), "Partition whose log the file belongs to.", required=True)
PATH: Final = Column("path", pa.string(), "File that was read, as it was named to Lagbook.", required=True)
READ_AT: Final = Column("read_at", TIMESTAMP, "When Lagbook read it.", required=True)

_PRODUCER: Final = (
    Column("producer_id", pa.int64(), "Producer id of the batch; NULL where the batch has none."),
    Column("producer_epoch", pa.int16(), "Producer epoch of the batch; NULL where the batch has none."),
    Column("is_transactional", pa.bool_(), "The batch belongs to a transaction.", required=True),
    Column("is_control", pa.bool_(), "The batch is a control batch: markers, not data.", required=True),
    Column("control_type", pa.string(), "COMMIT or ABORT (or another control type); NULL for data."),
)

TOLD_BY: Final = "source"
"""The column that says of a record that no log told of it; rows that have it stand in files of their own."""

OF_COMMITS: Final = {"group_id", "topic", "partition", "offset_commit"}
"""What an offset commit says: almost all records of most clusters are one."""

SEGMENTS: Final = Table(
    "raw",
    "segments",
    "One row per stretch of a log that was read, in a segment file, from a running cluster or of a dump: from where to "
    "where, and what it held.",
    ("cluster", "broker_id", "topic", "partition", "base_offset", "path", "start_position", "read_at"),
    (
        CLUSTER,
        Column("broker_id", pa.int32(), "Broker whose log it is; NULL when not recorded."),
        LOG_TOPIC,
        TOPIC_PARTITION,
        Column(
            "source",
            pa.string(),
            "file for a segment, live for what a running cluster was asked for; dump for a file in which a tool put "
            "keys and values, text for what kafka-dump-log printed.",
            required=True,
        ),
        Column(
            "base_offset",
            pa.int64(),
            "Offset in the segment's file name, or the offset asked for; of a dump the first offset.",
            required=True,
        ),
        PATH,
        Column("topic_id", pa.string(), "Topic id of partition.metadata, as Kafka prints it; NULL when absent."),
        Column("size_bytes", pa.int64(), "Size of the file when it was read, or bytes that came.", required=True),
        Column("modified_ms", pa.int64(), "Modification time of the file when it was read; NULL when unknown."),
        Column(
            "start_position",
            pa.int64(),
            "Byte where the stretch begins: 0, or where one before it ended.",
            required=True,
        ),
        Column("end_position", pa.int64(), "Byte after the last whole batch.", required=True),
        Column("is_continued", pa.bool_(), "What stands before start_position was known already.", required=True),
        Column(
            "blake3",
            pa.string(),
            "BLAKE3 digest of the bytes from start_position to end_position; NULL where only headers were read and "
            "nothing was set aside.",
        ),
        Column("torn_bytes", pa.int64(), "Bytes after the last whole batch that do not make a batch.", required=True),
        Column("first_batch_crc", pa.int64(), "Checksum in the file's first batch; NULL in a later stretch of it."),
        Column("last_batch_position", pa.int64(), "Byte where the last whole batch begins; NULL for an empty read."),
        Column("last_batch_crc", pa.int64(), "Checksum in the last whole batch: tells a grown file from a new one."),
        Column("first_offset", pa.int64(), "First offset of the first batch; NULL for an empty read."),
        Column("last_offset", pa.int64(), "Last offset of the last batch; NULL for an empty read."),
        Column("from_offset", pa.int64(), "Offset from which all that was there was read.", required=True),
        Column("end_offset", pa.int64(), "Offset up to which all that was there was read; NULL for an empty file."),
        Column("batch_count", pa.int64(), "Batches read.", required=True),
        Column("record_count", pa.int64(), "Records in those batches, by their headers.", required=True),
        Column("quarantined_count", pa.int64(), "Rows this read put into raw.quarantine.", required=True),
        Column(
            "batches_set_aside",
            pa.int64(),
            "Batches that were not read, for a wrong checksum, offset, length or a body that can't be inflated; bytes "
            "without a batch that can be told apart are one. NULL for dumps and in rows of an older release.",
        ),
        Column(
            "shared_count",
            pa.int64(),
            "Rows of it (records, of data topics batches) whose identity was known already, from another copy of the "
            "log; NULL for dumps and in rows of an older release.",
        ),
        Column("diverged_count", pa.int64(), "Those of them that contradict what is known; NULL as for shared_count."),
        Column(
            "log_start_offset",
            pa.int64(),
            "Log start of log-start-offset-checkpoint, else the first segment's where the first leader epoch begins "
            "there too, or as the broker said it; NULL when not recorded.",
        ),
        Column(
            "high_watermark",
            pa.int64(),
            "High watermark of replication-offset-checkpoint, or as the broker said it; NULL when not recorded.",
        ),
        Column(
            "first_dirty_offset",
            pa.int64(),
            "Offset up to which the cleaner had come, of cleaner-offset-checkpoint; NULL when not recorded.",
        ),
        Column(
            "file_suffix",
            pa.string(),
            "End of the file's name behind .log: deleted (the broker is about to remove it), swap (it is about to take "
            "the place of others) or cleaned (it may be half written); NULL for a segment in use, and without a file.",
        ),
        READ_AT,
    ),
)

OFFSET_RECORDS: Final = Table(
    "raw",
    "offset_records",
    "One row per record of __consumer_offsets ever seen, decoded by the record type in its key.",
    ("cluster", "log_partition", "log_offset"),
    (
        CLUSTER,
        LOG_PARTITION,
        LOG_OFFSET,
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
            TOLD_BY,
            pa.string(),
            "dump or text while only a tool's file tells of the record, and may not say all; NULL once a log did.",
        ),
    ),
    rare=frozenset({*KEY_COLUMNS, *VALUE_COLUMNS, "undecoded_key", "undecoded_value", TOLD_BY} - OF_COMMITS),
    ascending=frozenset(
        {"log_offset", "batch_base_offset", "timestamp_ms", "offset_commit.commit_timestamp", "offset_commit.offset"}
    ),
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
        Column("base_offset", pa.int64(), "First offset of the batch.", required=True),
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
        Column("codec", pa.string(), "none, gzip, snappy, lz4 or zstd.", required=True),
        Column("magic", pa.int8(), "Format of the batch: 0, 1 or 2.", required=True),
        Column("size_bytes", pa.int64(), "Bytes of the batch on disk.", required=True),
        Column("position", pa.int64(), "Byte of the segment file where the batch begins.", required=True),
        Column("crc", pa.int64(), "Checksum in the header; NULL in rows that an older release of Lagbook wrote."),
        Column("segment_base_offset", pa.int64(), "Offset in the name of the segment file.", required=True),
    ),
    ascending=frozenset({"base_offset", "last_offset", "base_timestamp_ms", "max_timestamp_ms", "position"}),
)

QUARANTINE: Final = Table(
    "raw",
    "quarantine",
    "What could not be read: where it is, what was expected there, and what was found.",
    ("cluster", "path", "position", "log_offset", "reason", "read_at"),
    (
        CLUSTER,
        Column("topic", pa.string(), "Topic whose log the file belongs to; NULL for an archive."),
        Column("partition", pa.int32(), "Partition whose log the file belongs to; NULL for an archive."),
        PATH,
        Column("position", pa.int64(), "Byte of the file where the trouble begins.", required=True),
        Column("size_bytes", pa.int64(), "Bytes that were set aside.", required=True),
        Column("log_offset", pa.int64(), "Offset of the record or batch; NULL when it could not be read."),
        Column("reason", pa.string(), "What is wrong, in one word or two.", required=True),
        Column("expected", pa.string(), "What a sound file has there.", required=True),
        Column("found", pa.string(), "What stands there.", required=True),
        Column("bytes", pa.binary(), "The bytes themselves, the first 4,096 at most.", required=True),
        READ_AT,
    ),
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
)

DIVERGED_BATCHES: Final = Table(
    "raw",
    "diverged_batches",
    "Batches of data topics that say something else than the batch kept under the same offset.",
    ("cluster", "topic", "partition", "base_offset", "path", "read_at"),
    (*BATCHES.columns, *_SECOND_SAYING),
)

RETIREMENTS: Final = Table(
    "raw",
    "retired_ranges",
    "What was taken out of the archive for its age: one row for each log that lost rows, each time.",
    ("cluster", "topic", "partition", "retired_at"),
    (
        CLUSTER,
        Column("topic", pa.string(), "Topic whose log it is; rows of __consumer_offsets are records, else batches."),
        Column("partition", pa.int32(), "Partition of it.", required=True),
        Column("from_offset", pa.int64(), "First offset that was retired.", required=True),
        Column("to_offset", pa.int64(), "Offset after the last that was retired.", required=True),
        Column("row_count", pa.int64(), "Rows that were retired; the others in between stayed.", required=True),
        Column("older_than", TIMESTAMP, "What was older than this was retired.", required=True),
        Column("retired_at", TIMESTAMP, "When it was.", required=True),
    ),
)

TABLES: Final = (
    SEGMENTS,
    OFFSET_RECORDS,
    BATCHES,
    DIVERGED_RECORDS,
    DIVERGED_BATCHES,
    QUARANTINE,
    RETIREMENTS,
)
