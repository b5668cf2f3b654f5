"""Offsets that consumers keep in a store outside Kafka: what such a store holds or held, a row per commit.

Put columns here that every such store can tell. What a commit means for a group stands in the core layer.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import pyarrow as pa

from assets.catalog.columns import CLUSTER, GROUP_ID, LOG_OFFSET, PARTITION, READ_AT, STORE_KINDS, TOPIC
from assets.catalog.table import Column, Origin, Table

EXTERNAL_COMMITS: Final = Table(
    "raw",
    "external_commits",
    "One row per offset that a store outside Kafka holds or held: a commit, or its removal. The reconstruction reads "
    "each store as one more partition of the log, so that core.commits has its commits like all others.",
    ("cluster", "log_partition", "log_offset"),
    (
        CLUSTER,
        Column(
            "log_partition",
            pa.int32(),
            "Number of the store, which follows from store_kind and store; it is negative, and so never a partition of "
            "__consumer_offsets.",
            required=True,
            maximum=-1,
        ),
        replace(
            LOG_OFFSET,
            meaning="Position of the commit in its store, in the order of the commits: 65,536 times the zxid, in other "
            "stores 1,048,576 times the number of the batch, plus the place in the transaction or batch.",
            minimum=0,
        ),
        Column(
            "batch_base_offset",
            pa.int64(),
            "Position of the first of the commits that the store took at once; NULL when not known.",
        ),
        Column("store_kind", pa.string(), "What kind of store it is.", values=STORE_KINDS, required=True),
        Column("store", pa.string(), "What identifies the store among those of its kind.", required=True),
        replace(GROUP_ID, meaning="Consumer group, or what the store calls whoever commits."),
        TOPIC,
        PARTITION,
        Column("committed_offset", pa.int64(), "Next offset to be read; NULL: it was removed."),
        Column("timestamp_ms", pa.int64(), "When it was committed, by the store; NULL when the store has no time."),
        Column("metadata", pa.string(), "Text beside the offset; NULL without one."),
        Column(
            "version",
            pa.int32(),
            "How often the place of this offset was set before, since it was created; NULL where the store does not "
            "count. A number that is missing is a commit that nobody saw.",
        ),
        Column(
            "is_sampled",
            pa.bool_(),
            "Only the value at a reading is known: others may have come and gone since the commit before. A known "
            "version decides instead.",
            required=True,
        ),
        Column("source_file", pa.string(), "File, or place in a store, that was read.", required=True),
        READ_AT,
    ),
    ascending=frozenset({"log_offset", "batch_base_offset", "timestamp_ms", "committed_offset"}),
    origin=Origin.INGEST,
)

TABLES: Final = (EXTERNAL_COMMITS,)
