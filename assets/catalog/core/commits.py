"""The history of committed offsets: every commit and removal that took effect, with who stood behind it.

Put columns here that hold of one commit. What many commits show together stands in the mart layer.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from assets.catalog.columns import CLUSTER, GROUP_ID, LOG_OFFSET, LOG_PARTITION, PARTITION, STORE_KINDS, TOPIC
from assets.catalog.table import TIMESTAMP, Column, Interval, Origin, Table

KAFKA: Final = "kafka"
"""The store_kind of Kafka's own topic."""

COMMITS: Final = Table(
    "core",
    "commits",
    "The effective history of committed offsets: one row per commit or removal that the coordinator applied, or that a "
    "store outside Kafka took.",
    ("cluster", "log_partition", "log_offset"),
    (
        CLUSTER,
        GROUP_ID,
        TOPIC,
        PARTITION,
        LOG_PARTITION,
        LOG_OFFSET,
        Column(
            "batch_base_offset", pa.int64(), "First offset of the batch that carried it; NULL if only a dump tells."
        ),
        Column(
            "effective_log_offset",
            pa.int64(),
            "Log offset where it took effect: the COMMIT marker's for a transactional commit, else its own.",
            required=True,
        ),
        Column(
            "effective_at",
            TIMESTAMP,
            "When it took effect: append time of the record or marker at effective_log_offset.",
        ),
        Column(
            "is_effect_known",
            pa.bool_(),
            "No hole in the log lies between the record and the marker that made it count.",
            required=True,
        ),
        Column(
            "kind",
            pa.string(),
            "How the commit moved the committed offset.",
            values={
                "first": "nothing was committed before",
                "advance": "higher than before",
                "repeat": "the same as before",
                "rewind": "lower than before",
                "removed": "the offset was removed",
                "unknown": "a gap in the log hides what was committed before",
            },
            required=True,
        ),
        Column(
            "committed_offset",
            pa.int64(),
            "Next offset the group will read; NULL when removed.",
            minimum=0,
            is_promised=False,
        ),
        Column(
            "previous_offset",
            pa.int64(),
            "What was committed before; NULL for the first commit, after a removal, or where it is not known.",
        ),
        Column(
            "is_previous_known",
            pa.bool_(),
            "It is known what stood before, or that nothing did: no hole in the log lies between.",
            required=True,
        ),
        Column(
            "delta",
            pa.int64(),
            "committed_offset minus previous_offset; NULL when either is, or when they lie too far apart.",
        ),
        Column(
            "cause",
            pa.string(),
            "Why it was removed; NULL for a commit.",
            values={
                "expired": "its retention was over",
                "group_deleted": "somebody deleted the group",
                "offsets_deleted": "somebody deleted offsets of the group",
                "topic_deleted": "its topic was deleted",
                "old_coordinator_cleanup": "the coordinator before Kafka 4 wrote the same for each of these",
                "unknown": "the log allows more than one",
            },
        ),
        Column(
            "idle_ms",
            pa.int64(),
            "How long a removed offset had stood by the broker's count: since its commit, or since its classic group"
            " was empty; NULL for a commit, and where a hole may hide it.",
        ),
        Column(
            "removed_with_group",
            pa.bool_(),
            "The same batch removed the group itself; NULL for a commit, and where the cleaner may have taken that.",
        ),
        Column(
            "is_from_old_coordinator",
            pa.bool_(),
            "It was removed by the coordinator that Kafka had before the one of version 4; NULL for a commit.",
        ),
        Column("commit_at", TIMESTAMP, "Commit time that the record carries; NULL for a removal."),
        Column("expire_at", TIMESTAMP, "Explicit expiry (value version 1 only); NULL otherwise."),
        Column("leader_epoch", pa.int32(), "Leader epoch of the last consumed record; NULL when the client sent none."),
        Column("topic_id", pa.string(), "Topic id that the commit names (Kafka 4.1+); NULL otherwise."),
        Column("metadata", pa.string(), "Text that the client stored with the offset; NULL for a removal."),
        Column(
            "is_transactional",
            pa.bool_(),
            "Committed through a transaction; NULL when only a dump tells of it: it is taken as committed then.",
        ),
        Column("producer_id", pa.int64(), "Producer of the transaction; NULL for a plain commit."),
        Column(
            "actor",
            pa.string(),
            "Who made the commit, as of when its record was written, for a record does not name the member; NULL "
            "for a removal, which the coordinator writes.",
            values={
                "owner": "the member that owned the partition",
                "former_owner": "a member that owned it last",
                "admin": "the group was empty, and it was its first or second commit in that state",
                "simple_consumer": "a later commit to an empty group; or the request names a leader epoch, which only "
                "a client that reads knows, and no coordinator wrote of the group, or the classic group was empty",
                "transaction": "a producer, through a transaction",
                "unknown": "gaps in the log hide it, more than one may have done it (docs/explanation/claims.md), or a "
                "member did it that never owned the partition",
            },
        ),
        Column(
            "generation",
            pa.int32(),
            "Generation of the group then, in a consumer or streams group the epoch of the owner; NULL when unknown.",
        ),
        Column(
            "member_id", pa.string(), "Member that owned the partition then, or last; NULL without one, or if unknown."
        ),
        Column("group_instance_id", pa.string(), "Its instance id; NULL for a dynamic member."),
        Column("client_id", pa.string(), "Its client id; NULL when unknown."),
        Column("client_host", pa.string(), "Its address; NULL when unknown."),
        Column(
            "store_kind",
            pa.string(),
            "What the row rests on. A store outside Kafka knows no generations, clients or retention, and none but "
            "ZooKeeper knows members.",
            values={KAFKA: "a record of __consumer_offsets", **STORE_KINDS},
            required=True,
        ),
    ),
    ascending=frozenset({"log_offset", "effective_log_offset", "effective_at"}),
    sought=frozenset({"is_previous_known"}),
    row_group_rows=64 * 1024,  # an instant lies in one row group of each partition of the log, and these are read whole
    origin=Origin.RECONSTRUCTION,
    intervals=(Interval("log_offset", "effective_log_offset", can_be_empty=True),),
)

TABLES: Final = (COMMITS,)
