"""Records of internal topics whose bodies are read: those of the kinds that `parsers.files.internal_topics` declares.

Put columns here that hold for every such topic, as it stands in its log. What keys and values of a kind mean stands in
the core layer; __consumer_offsets has tables of its own, in `records`.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from assets.catalog.columns import CLUSTER, LOG_TOPIC, PATH, READ_AT, TOPIC_PARTITION
from assets.catalog.table import Column, Origin, Table
from parsers.data_records import HEADERS
from parsers.files.internal_topics import INTERNAL_TOPICS
from parsers.internal_records import LARGEST_KEY_BYTES, LARGEST_VALUE_BYTES

INTERNAL_RECORDS: Final = Table(
    "raw",
    "internal_records",
    "One row per record of an internal topic beside __consumer_offsets whose records are read whole, with key and "
    "value as bytes. The headers of its batches are in raw.batches as well.",
    ("cluster", "topic", "partition", "record_offset"),
    (
        CLUSTER,
        LOG_TOPIC,
        TOPIC_PARTITION,
        Column("record_offset", pa.int64(), "Offset of the record in its partition.", required=True, minimum=0),
        Column(
            "kind",
            pa.string(),
            "What the topic holds.",
            values={one.kind: one.meaning for one in INTERNAL_TOPICS},
            required=True,
        ),
        Column("batch_base_offset", pa.int64(), "First offset of the batch that carried it.", required=True),
        Column("leader_epoch", pa.int32(), "Leader epoch of the batch; NULL when unknown."),
        Column("timestamp_ms", pa.int64(), "Timestamp of the record; NULL when it has none."),
        Column("producer_id", pa.int64(), "Producer id of the batch; NULL where the batch has none."),
        Column("producer_epoch", pa.int16(), "Producer epoch of the batch; NULL where the batch has none."),
        Column("is_transactional", pa.bool_(), "The batch belongs to a transaction.", required=True),
        Column("is_control", pa.bool_(), "The batch is a control batch: markers, not data.", required=True),
        Column(
            "control_type",
            pa.string(),
            "COMMIT or ABORT (or another control type), ERASED for a record of a group that was erased; NULL for data.",
        ),
        Column("is_tombstone", pa.bool_(), "The value is null: the key was removed.", required=True),
        Column("key_bytes", pa.int32(), "Size of the key; NULL for a null key."),
        Column("value_bytes", pa.int32(), "Size of the value; NULL for a tombstone."),
        Column("group_id", pa.string(), "Group that the key names; NULL where keys of the kind name none."),
        Column(
            "key",
            pa.binary(),
            f"The key's bytes; NULL for a null key, one of over {LARGEST_KEY_BYTES} bytes, and of a control record.",
        ),
        Column(
            "value",
            pa.binary(),
            f"The value's bytes; NULL for a tombstone, one of over {LARGEST_VALUE_BYTES} bytes, and of a control "
            "record.",
        ),
        Column("headers", HEADERS, "The record's headers; NULL where it has none."),
    ),
    rare=frozenset({"headers"}),
    ascending=frozenset({"record_offset", "batch_base_offset", "timestamp_ms"}),
    origin=Origin.INGEST,
)

DIVERGED_INTERNAL_RECORDS: Final = Table(
    "raw",
    "diverged_internal_records",
    "Records of internal topics that say something else than the record in raw.internal_records under the same offset.",
    (*INTERNAL_RECORDS.key, "path", "read_at"),
    (
        *INTERNAL_RECORDS.columns,
        Column("broker_id", pa.int32(), "Broker whose log says so; NULL when not recorded."),
        PATH,
        READ_AT,
    ),
    rare=INTERNAL_RECORDS.rare,
    origin=Origin.INGEST,
    is_key_checked=False,
)

TABLES: Final = (INTERNAL_RECORDS, DIVERGED_INTERNAL_RECORDS)
