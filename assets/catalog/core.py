"""The core layer: what the records mean for a group, in timestamps and names a person uses.

Put columns here that hold for any question. Answers to one question (lag, replays, rebalances) belong in `mart`.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from assets.catalog.groups import (
    ASSIGNMENTS,
    GENERATIONS,
    GROUP_ID,
    MEMBERS,
    OWNERSHIP,
    SUBSCRIPTIONS,
)
from assets.catalog.raw import CLUSTER, LOG_OFFSET, LOG_PARTITION
from assets.catalog.rebalancing import REBALANCE_SPANS
from assets.catalog.states import GROUP_STATES, RECORDED_STATES
from assets.catalog.table import TIMESTAMP, Column, Table

TOPIC: Final = Column("topic", pa.string(), "Topic that the group consumes.", required=True)
PARTITION: Final = Column("partition", pa.int32(), "Partition of that topic.", required=True)
COMMITS: Final = Table(
    "core",
    "commits",
    "The effective history of committed offsets: one row per commit or removal that the coordinator applied.",
    ("cluster", "log_partition", "log_offset"),
    (
        CLUSTER,
        GROUP_ID,
        TOPIC,
        PARTITION,
        LOG_PARTITION,
        LOG_OFFSET,
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
            "first, advance, repeat, rewind or removed; unknown where a hole in the log hides what stood before.",
            required=True,
        ),
        Column("committed_offset", pa.int64(), "Next offset the group will read; NULL when removed."),
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
            "Why it was removed: expired, group deleted, offsets deleted, topic deleted, old-coordinator cleanup (it"
            " wrote the same for each of these), or unknown where the log allows more than one; NULL for a commit.",
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
            "Who stood behind it when its record was written, for a record does not name the member: owner (of the"
            " partition), former_owner (a member that owned it last), admin (the group was empty, and it was its first"
            " or second commit in that state), simple_consumer (it was a later one; or the request names a leader"
            " epoch, which only who reads knows, and no coordinator had written of the group, or the classic group was"
            " empty), transaction; unknown where holes in the log hide it, where more than one"
            " may have done it (docs/claims.md), or where a member did it that never owned the partition. NULL for a"
            " removal, which the coordinator writes.",
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
    ),
    ascending=frozenset({"log_offset", "effective_log_offset", "effective_at"}),
    sought=frozenset({"is_previous_known"}),
    row_group_rows=64 * 1024,  # an instant lies in one row group of each partition of the log, and these are read whole
)

TRANSACTIONS: Final = Table(
    "core",
    "transactions",
    "Transactions that committed offsets, as far as one partition of the offsets topic shows them.",
    ("cluster", "log_partition", "producer_id", "log_offset"),
    (
        CLUSTER,
        LOG_PARTITION,
        Column("producer_id", pa.int64(), "Producer of the transaction.", required=True),
        Column("producer_epoch", pa.int16(), "Epoch of its records, else of its marker; NULL when not recorded."),
        Column(
            "log_offset",
            pa.int64(),
            "Log offset of its first record that was seen, of its marker when none was.",
            required=True,
        ),
        Column("last_log_offset", pa.int64(), "Log offset of its last record that was seen; NULL when none was."),
        Column("marker_log_offset", pa.int64(), "Log offset of the marker that ended it; NULL while it is open."),
        Column(
            "outcome",
            pa.string(),
            "committed, aborted, open; unknown where its own marker may be lost in a hole of the log.",
            required=True,
        ),
        Column("record_count", pa.int64(), "Commits in it that were seen.", required=True),
        Column("groups", pa.list_(pa.string()), "Groups of these commits.", required=True),
        Column("started_at", TIMESTAMP, "When its first record that was seen was appended; NULL when none was."),
        Column("ended_at", TIMESTAMP, "When its marker was appended; NULL while it is open."),
        Column(
            "age_ms",
            pa.int64(),
            "Milliseconds from its beginning to its end; while it is open, to the newest record of its log partition.",
        ),
        Column(
            "is_gap_free",
            pa.bool_(),
            "All of it was seen: no hole in the log since the producer's marker before it.",
            required=True,
        ),
    ),
)

TOPIC_ID: Final = Column("topic_id", pa.string(), "Topic id, as Kafka prints it.", required=True)

TOPIC_NAMES: Final = Table(
    "internal",
    "topic_id_names",
    "Which name a topic id had where records of the offsets topic first said so.",
    ("cluster", "log_partition", "log_offset", "topic_id", "topic"),
    (
        CLUSTER,
        TOPIC_ID,
        Column("topic", pa.string(), "Topic that has it.", required=True),
        LOG_PARTITION,
        LOG_OFFSET,
        Column("recorded_at", TIMESTAMP, "When that record was appended."),
    ),
)

TOPICS: Final = Table(
    "core",
    "topics",
    "Every life of every topic: a topic that is deleted and made again has another id.",
    ("cluster", "topic_id", "topic"),
    (
        CLUSTER,
        TOPIC_ID,
        Column("topic", pa.string(), "Topic that has it.", required=True),
        Column("first_seen_at", TIMESTAMP, "When something first said so: a record, a file or a broker."),
        Column("last_seen_at", TIMESTAMP, "When something last said so anew."),
    ),
)

LOG_ENDS: Final = Table(
    "core",
    "log_ends",
    "How far the log of each data partition reached, and where it began, over time.",
    ("cluster", "topic", "partition", "reached_at", "source", "log_start_offset", "log_end_offset", "high_watermark"),
    (
        CLUSTER,
        TOPIC,
        PARTITION,
        Column(
            "topic_id",
            pa.string(),
            "Topic id: which life of the topic it is of; NULL when unknown, and for a batch whose files had several.",
        ),
        Column(
            "reached_at",
            TIMESTAMP,
            "When the log had come so far: the largest timestamp up to there, or of the answer; NULL when unknown.",
        ),
        Column(
            "until_at",
            TIMESTAMP,
            "When this no longer held: the log lost this end to another leader, or its topic was made anew; NULL while"
            " it holds.",
        ),
        Column("log_start_offset", pa.int64(), "First offset that could be read at that time; NULL when unknown."),
        Column(
            "log_end_offset", pa.int64(), "Offset that the next record would get; NULL when the source does not say."
        ),
        Column(
            "high_watermark",
            pa.int64(),
            "Offset before which every record was replicated at that time; NULL when the source does not say.",
        ),
        Column(
            "last_stable_offset",
            pa.int64(),
            "Offset before which no transaction was open at that time; NULL when the source does not say, and behind a"
            " hole in the log.",
        ),
        Column(
            "source",
            pa.string(),
            "batch (its header), checkpoint (log start when the files were read), replication (high watermark then),"
            " segment (an empty one), live (what a broker said), or gap: nobody knows the end between the last sign of"
            " a leader and the first of the one that it was lost to.",
            required=True,
        ),
    ),
)

TABLES: Final = (
    COMMITS,
    TRANSACTIONS,
    GENERATIONS,
    MEMBERS,
    RECORDED_STATES,
    GROUP_STATES,
    SUBSCRIPTIONS,
    ASSIGNMENTS,
    OWNERSHIP,
    REBALANCE_SPANS,
    TOPIC_NAMES,
    TOPICS,
    LOG_ENDS,
)
