"""What was read and what was not: segments, what was set aside, and what was retired for its age.

Put tables of the reading itself here. What the bytes said stands in `records`.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from assets.catalog.columns import CLUSTER, LOG_TOPIC, PATH, READ_AT, TOPIC_PARTITION
from assets.catalog.table import TIMESTAMP, Column, Interval, Origin, Table

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
            "Where the stretch was read.",
            values={
                "file": "a segment file",
                "live": "a running cluster",
                "dump": "a file in which a tool put keys and values",
                "text": "what kafka-dump-log printed",
            },
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
            minimum=0,
        ),
        Column("end_position", pa.int64(), "Byte after the last whole batch.", required=True),
        Column("is_continued", pa.bool_(), "What stands before start_position was known already.", required=True),
        Column(
            "blake3",
            pa.string(),
            "BLAKE3 digest of the bytes from start_position to end_position; NULL where only headers were read and "
            "nothing was set aside.",
        ),
        Column(
            "torn_bytes",
            pa.int64(),
            "Bytes after the last whole batch that do not make a batch.",
            required=True,
            minimum=0,
        ),
        Column("first_batch_crc", pa.int64(), "Checksum in the file's first batch; NULL in a later stretch of it."),
        Column("last_batch_position", pa.int64(), "Byte where the last whole batch begins; NULL for an empty read."),
        Column("last_batch_crc", pa.int64(), "Checksum in the last whole batch: tells a grown file from a new one."),
        Column("first_offset", pa.int64(), "First offset of the first batch; NULL for an empty read."),
        Column("last_offset", pa.int64(), "Last offset of the last batch; NULL for an empty read."),
        Column("from_offset", pa.int64(), "Offset from which all that was there was read.", required=True),
        Column("end_offset", pa.int64(), "Offset up to which all that was there was read; NULL for an empty file."),
        Column("batch_count", pa.int64(), "Batches read.", required=True, minimum=0),
        Column("record_count", pa.int64(), "Records in those batches, by their headers.", required=True, minimum=0),
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
    origin=Origin.INGEST,
    intervals=(Interval("start_position", "end_position", can_be_empty=True),),
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
        Column("position", pa.int64(), "Byte of the file where the trouble begins.", required=True, minimum=0),
        Column("size_bytes", pa.int64(), "Bytes that were set aside.", required=True, minimum=0),
        Column("log_offset", pa.int64(), "Offset of the record or batch; NULL when it could not be read."),
        Column("reason", pa.string(), "What is wrong, in one word or two.", required=True),
        Column("expected", pa.string(), "What a sound file has there.", required=True),
        Column("found", pa.string(), "What stands there.", required=True),
        Column("bytes", pa.binary(), "The bytes themselves, the first 4,096 at most.", required=True),
        READ_AT,
    ),
    origin=Origin.INGEST,
    is_key_checked=False,
)

RETIRED_RANGES: Final = Table(
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
        Column(
            "row_count", pa.int64(), "Rows that were retired; the others in between stayed.", required=True, minimum=1
        ),
        Column("older_than", TIMESTAMP, "What was older than this was retired.", required=True),
        Column("retired_at", TIMESTAMP, "When it was.", required=True),
    ),
    origin=Origin.INGEST,
    intervals=(Interval("from_offset", "to_offset"),),
)

TABLES: Final = (SEGMENTS, QUARANTINE, RETIRED_RANGES)
