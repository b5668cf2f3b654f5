"""Offsets that consumers keep in a store outside Kafka: what such a store holds or held, a row per commit.

Put columns here that every such store can tell. What a commit means for a group stands in the core layer.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import pyarrow as pa

from assets.catalog.columns import CLUSTER, GROUP_ID, LOG_OFFSET, PARTITION, READ_AT, STORE_KINDS, TOPIC
from assets.catalog.table import Column, Origin, Table

_STORE_NUMBER: Final = Column(
    "log_partition",
    pa.int32(),
    "Number of the store, which follows from store_kind and store; it is negative, and so never a partition of "
    "__consumer_offsets.",
    required=True,
    maximum=-1,
)

EXTERNAL_COMMITS: Final = Table(
    "raw",
    "external_commits",
    "One row per offset that a store outside Kafka holds or held: a commit, or its removal. The reconstruction reads "
    "each store as one more partition of the log, so that core.commits has its commits like all others.",
    ("cluster", "log_partition", "log_offset"),
    (
        CLUSTER,
        _STORE_NUMBER,
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
            "session_id",
            pa.int64(),
            "Session of ZooKeeper in which it was committed; NULL where only a snapshot has it, and in other stores.",
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

ZOOKEEPER_EVENTS: Final = Table(
    "raw",
    "zookeeper_events",
    "What ZooKeeper's files tell of the members of groups: the nodes by which consumers are members and own "
    "partitions, the ends of sessions, with which such nodes vanish, and which transactions were read; and when topics "
    "were created and deleted. The reconstruction reads it beside raw.external_commits.",
    ("cluster", "log_partition", "log_offset", "event", "group_id", "topic", "partition", "source_file"),
    (
        CLUSTER,
        _STORE_NUMBER,
        replace(
            LOG_OFFSET,
            meaning="Position in the store: 65,536 times the zxid, plus the place in the transaction.",
            minimum=0,
        ),
        Column("batch_base_offset", pa.int64(), "65,536 times the zxid.", required=True),
        Column("store", pa.string(), "The store's root in ZooKeeper, as in raw.external_commits.", required=True),
        Column(
            "event",
            pa.string(),
            "What happened.",
            values={
                "group_created": "the node of the group, or that of its ids, was created: it has no members",
                "group_present": "a snapshot has the node of the group's ids",
                "group_removed": "the node of the group was deleted",
                "member_created": "a consumer created its node below ids",
                "member_removed": "that node was deleted",
                "member_present": "a snapshot has that node",
                "owner_created": "a consumer created the node of a partition below owners",
                "owner_removed": "that node was deleted",
                "owner_present": "a snapshot has that node",
                "topic_created": "a topic was created",
                "topic_removed": "a topic was deleted",
                "topic_present": "a snapshot has the node of a topic",
                "session_closed": "the client closed its session: its nodes vanish",
                "session_expired": "ZooKeeper ended the session of a silent client: its nodes vanish",
                "snapshot_taken": "a snapshot was begun, which has all nodes of then but those that vanished meanwhile",
                "transactions_read": "all transactions from from_log_offset on up to here were read",
            },
            required=True,
        ),
        replace(GROUP_ID, meaning="Consumer group; NULL where the event is of no group.", required=False),
        replace(TOPIC, meaning="Topic that it is about; NULL otherwise.", required=False),
        Column("topic_id", pa.string(), "Id of the topic that the event is about; NULL before Kafka 2.8."),
        replace(PARTITION, meaning="Partition of it; NULL otherwise.", required=False),
        Column("member_id", pa.string(), "Consumer id; NULL where the node does not tell it."),
        Column("thread_id", pa.int32(), "Which thread of the consumer owns the partition; NULL otherwise."),
        Column("subscribed_topics", pa.list_(pa.string()), "Topics of a member; NULL where its node does not tell."),
        Column(
            "session_id",
            pa.int64(),
            "Session that the node vanishes with, that deleted it, or that ended; NULL of a node that stays.",
        ),
        Column(
            "timestamp_ms",
            pa.int64(),
            "Time of the transaction; of a topic in a snapshot that of its creation, NULL of what else a snapshot has.",
        ),
        Column(
            "from_log_offset",
            pa.int64(),
            "First position that was read, or position at which the node was created; NULL where unknown.",
        ),
        Column("source_file", pa.string(), "File that was read.", required=True),
        READ_AT,
    ),
    ascending=frozenset({"log_offset", "batch_base_offset", "timestamp_ms"}),
    origin=Origin.INGEST,
)

TABLES: Final = (EXTERNAL_COMMITS, ZOOKEEPER_EVENTS)
