"""What brokers said: of their logs when they were asked, of groups in their text logs, of their settings.

Put columns here of which somebody's word is all there is. What stands in the bytes of a log belongs in `records`.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from assets.catalog.columns import CLUSTER, PATH, READ_AT
from assets.catalog.table import TIMESTAMP, Column, Origin, Table

LOG_OFFSET_SAMPLES: Final = Table(
    "raw",
    "log_offset_samples",
    "What a running cluster said of each partition: one row each time that it was no longer what it said before, also "
    "when it says nothing of it any more. All rows of a round of questions have the same sampled_at; a partition "
    "without a row in it gave the same answer as before.",
    ("cluster", "topic", "partition", "sampled_at"),
    (
        CLUSTER,
        Column("topic", pa.string(), "Topic.", required=True),
        Column("partition", pa.int32(), "Partition of it.", required=True),
        Column("sampled_at", TIMESTAMP, "When all brokers had answered.", required=True),
        Column(
            "asked_at", TIMESTAMP, "When the first broker was asked: what it said was so between then and sampled_at."
        ),
        Column("topic_id", pa.string(), "Topic id, as Kafka prints it; NULL before Kafka 2.8."),
        Column("partition_count", pa.int32(), "Partitions that the topic had.", required=True),
        Column("leader_id", pa.int32(), "Broker that led the partition; NULL while none did."),
        Column("leader_epoch", pa.int32(), "Epoch of that leader; NULL when not said."),
        Column(
            "log_start_offset",
            pa.int64(),
            "First offset that could be read; NULL when not said.",
            minimum=0,
            is_promised=False,
        ),
        Column("high_watermark", pa.int64(), "Offset before which every record was replicated; NULL when not said."),
        Column("last_stable_offset", pa.int64(), "Offset before which no transaction was open; NULL when not said."),
    ),
    origin=Origin.INGEST,
)

COORDINATOR_EVENTS: Final = Table(
    "raw",
    "coordinator_events",
    "Lines that group coordinators wrote into the brokers' text logs: who joined, left and failed, and what for. Names "
    "in them are whatever somebody chose, so what only this table says is a hint and no proof.",
    ("cluster", "broker_id", "logged_at", "message", "repeat"),
    (
        CLUSTER,
        Column("broker_id", pa.int32(), "Broker that wrote the line.", required=True),
        Column("logged_at", TIMESTAMP, "When, by the broker's clock; for UTC where it names no zone.", required=True),
        Column("repeat", pa.int32(), "How often the same line stood in the log at this time before.", required=True),
        Column("event", pa.string(), "What happened; unclear for a line that is of two forms.", required=True),
        Column("log_partition", pa.int32(), "Partition of __consumer_offsets it is about; NULL when not said."),
        Column("group_id", pa.string(), "Group; NULL where it can be read in two ways, or none is said."),
        Column("from_state", pa.string(), "State, or kind, of the group before; NULL when not said."),
        Column(
            "to_state",
            pa.string(),
            "State that a classic group goes to by it; NULL when to none.",
            values={
                "PreparingRebalance": "it waits for members",
                "CompletingRebalance": "it waits for the leader's assignment",
                "Stable": "every member has its assignment",
                "Empty": "it has no members",
                "Dead": "removed",
            },
            is_promised=False,
        ),
        Column("generation", pa.int64(), "Generation or epoch that is named: the old one where a rebalance begins."),
        Column("member_id", pa.string(), "Member; NULL when not said."),
        Column("client_id", pa.string(), "Its client id; NULL when not said, as by most releases."),
        Column("group_instance_id", pa.string(), "Its group.instance.id; NULL when not said or it has none."),
        Column("member_count", pa.int64(), "Members that are told of; NULL when not said."),
        Column("reason", pa.string(), "Why, or to whom, in the coordinator's and the client's words."),
        Column("message", pa.string(), "The line without its beginning and the name of the logger.", required=True),
        PATH,
        Column(
            "line", pa.int64(), "Number of the line in that file, from 1.", required=True, minimum=1, is_promised=False
        ),
    ),
    origin=Origin.INGEST,
)

CONFIGURATIONS: Final = Table(
    "raw",
    "configurations",
    "Settings of brokers and topics that decide how long offsets and records stay and how groups behave, one row each "
    "time that one is no longer what it was. Other settings are never kept: they may be secrets.",
    ("cluster", "source", "resource_type", "resource_name", "config_name", "read_at", "log_offset"),
    (
        CLUSTER,
        Column(
            "source",
            pa.string(),
            "Where the setting was read.",
            values={
                "file": "a server.properties",
                "metadata": "a record of KRaft's __cluster_metadata",
                "zookeeper": "a change of a node in ZooKeeper's files",
                "live": "what the brokers of a running cluster say that counts",
            },
            required=True,
        ),
        Column(
            "resource_type",
            pa.string(),
            "What the setting is of.",
            values={
                "topic": "one topic",
                "broker": "one broker",
                "default": "every broker that says nothing else",
                "group": "one group, as KRaft's log has it",
            },
            required=True,
        ),
        Column(
            "resource_name",
            pa.string(),
            "Name of the topic or group, id of the broker; empty of a default.",
            required=True,
        ),
        Column("config_name", pa.string(), "Name of the setting, as Kafka has it.", required=True),
        Column("config_value", pa.string(), "Its value as text; NULL when it is set there no longer."),
        Column(
            "log_offset",
            pa.int64(),
            "Offset of the record in __cluster_metadata, or ZooKeeper's zxid; NULL of other sources.",
        ),
        Column("changed_at", TIMESTAMP, "When the record, or the node, was written; NULL of other sources."),
        PATH,
        READ_AT,
    ),
    origin=Origin.INGEST,
)

TABLES: Final = (LOG_OFFSET_SAMPLES, COORDINATOR_EVENTS, CONFIGURATIONS)
