"""Where source connectors of Kafka Connect are in the systems that they read, and records that no layout reads.

Put columns here of what stands in the records of a worker's topics. What follows of them stands in the mart layer.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from assets.catalog.columns import CLUSTER
from assets.catalog.table import TIMESTAMP, Column, Origin, Table

CONNECT_SOURCE_OFFSETS: Final = Table(
    "core",
    "connect_source_offsets",
    "Source offsets that workers of Kafka Connect stored: how far a connector had come in each part of the system that "
    "it reads. One row per record of the workers' offset.storage.topic.",
    ("cluster", "offsets_topic", "log_partition", "log_offset"),
    (
        CLUSTER,
        Column("offsets_topic", pa.string(), "Topic that the offset is stored in.", required=True),
        Column("log_partition", pa.int32(), "Partition of that topic.", required=True),
        Column("log_offset", pa.int64(), "Offset of the record in it.", required=True),
        Column("connector", pa.string(), "Name of the connector.", required=True),
        Column(
            "source_partition", pa.string(), "Part of the source, in the connector's words: JSON by key.", required=True
        ),
        Column(
            "source_offset",
            pa.string(),
            "How far the connector had come in it, in its words: JSON by key; NULL where the offset was removed.",
        ),
        Column(
            "previous_source_offset",
            pa.string(),
            "What the record before said of the same part; NULL without one, and after a removal.",
        ),
        Column(
            "kind",
            pa.string(),
            "How the offset moved, by its numbers: one that is no number has to be equal.",
            values={
                "first": "no offset of this part was stored before, as far as was read, or it was removed",
                "advance": "a number went up, none went down",
                "repeat": "the same as before",
                "rewind": "a number went down, none went up",
                "changed": "something else changed, so nothing tells which offset is further",
                "removed": "the offset was removed",
            },
            required=True,
        ),
        Column("stored_at", TIMESTAMP, "When the worker stored it; NULL when not recorded."),
    ),
    ascending=frozenset({"log_offset", "stored_at"}),
    origin=Origin.TRANSFORM,
)

INTERNAL_QUARANTINE: Final = Table(
    "core",
    "internal_quarantine",
    "Records of raw.internal_records of MirrorMaker 2 and Kafka Connect that can't be read: no other table has them.",
    ("cluster", "topic", "partition", "record_offset", "part"),
    (
        CLUSTER,
        Column("topic", pa.string(), "Topic of the record.", required=True),
        Column("partition", pa.int32(), "Partition of it.", required=True),
        Column("record_offset", pa.int64(), "Offset of the record in it.", required=True),
        Column(
            "part",
            pa.string(),
            "What can't be read.",
            values={"key": "the key", "value": "the value"},
            required=True,
        ),
        Column("position", pa.int64(), "Byte of that part; NULL where the part is missing."),
        Column("expected", pa.string(), "What was expected there.", required=True),
        Column("found", pa.string(), "What stands there.", required=True),
    ),
    origin=Origin.TRANSFORM,
)

TABLES: Final = (CONNECT_SOURCE_OFFSETS, INTERNAL_QUARANTINE)
