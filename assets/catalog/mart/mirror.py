"""What checkpoints of MirrorMaker 2 are worth to a group that goes on at the target, and what source connectors undid.

Put columns here that follow from the records of MirrorMaker and Connect. The records stand in the core layer.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from assets.catalog.columns import CLUSTER
from assets.catalog.table import TIMESTAMP, Column, Interval, Table

_STATUSES: Final = {
    "at": "it is where the group had read up to: nothing is read again, nothing is missed",
    "behind": "before that: records are read again, none is missed",
    "at_or_behind": "at it or before it: no record is missed",
    "ahead": "behind that: records are missed",
    "unknown": "the offset syncs do not tell",
}

TARGET: Final = Column("target_cluster", pa.string(), "Cluster that MirrorMaker writes to.", required=True)
TOPIC_AT_SOURCE: Final = Column(
    "source_topic",
    pa.string(),
    "Topic as it is called at the source; NULL where that is not known: a topic that came from the target itself.",
)

MIRROR_FLOWS: Final = Table(
    "mart",
    "mirror_flows",
    "Each flow of MirrorMaker 2 that has checkpoints: which of the clusters that were read is its source, and how that "
    "is known.",
    ("target_cluster", "checkpoints_topic"),
    (
        TARGET,
        Column("checkpoints_topic", pa.string(), "Topic of its checkpoints, at the target.", required=True),
        Column("source_alias", pa.string(), "MirrorMaker's name for the source; NULL where the topic does not say it."),
        Column("source_cluster", pa.string(), "Cluster that it reads; NULL where that is not certain."),
        Column(
            "source_basis",
            pa.string(),
            "How the source cluster is known; NULL when it is not.",
            values={
                "declared": "the user said what the alias stands for",
                "syncs": "it alone has the offset syncs by which checkpoints were translated",
                "commits": "it alone has commits at the offsets that checkpoints name",
            },
        ),
        Column("has_prefix", pa.bool_(), "Topics have the alias in front of their names at the target.", required=True),
        Column("syncs_cluster", pa.string(), "Cluster that its offset syncs lie in; NULL when not known."),
        Column("syncs_topic", pa.string(), "Topic of its offset syncs; NULL when not known."),
        Column("checkpoints", pa.int64(), "Checkpoints that were read.", required=True, minimum=1),
        Column("first_checkpoint_at", TIMESTAMP, "Time of the first of them; NULL when not recorded."),
        Column("last_checkpoint_at", TIMESTAMP, "Time of the last of them; NULL when not recorded."),
    ),
    intervals=(Interval("first_checkpoint_at", "last_checkpoint_at", can_be_empty=True),),
)

MIRROR_CHECKPOINTS: Final = Table(
    "mart",
    "mirror_checkpoints",
    "Every checkpoint of MirrorMaker 2 beside what its group had read: whether the offset that it was translated to is "
    "before, at or behind the copy of the next record that the group would have read, and by how many offsets of the "
    "target. What offset syncs say bounds where that copy is.",
    ("target_cluster", "checkpoints_topic", "log_partition", "log_offset"),
    (
        Column("source_cluster", pa.string(), "Cluster that the group read; NULL where that is not certain."),
        TARGET,
        Column("checkpoints_topic", pa.string(), "Topic of the checkpoint.", required=True),
        Column("log_partition", pa.int32(), "Partition of that topic.", required=True),
        Column("log_offset", pa.int64(), "Offset of the checkpoint in it.", required=True),
        Column(
            "source_basis",
            pa.string(),
            "How the source cluster is known, as in mart.mirror_flows; NULL when it is not.",
        ),
        Column("group_id", pa.string(), "Consumer group.", required=True),
        TOPIC_AT_SOURCE,
        Column("topic", pa.string(), "Topic as it is called at the target.", required=True),
        Column("partition", pa.int32(), "Partition of it.", required=True),
        Column("checkpoint_at", TIMESTAMP, "When MirrorMaker asked for the group's offsets; NULL when not recorded."),
        Column("ended_at", TIMESTAMP, "Time of the next checkpoint of the partition; NULL while this one is in force."),
        Column(
            "upstream_offset",
            pa.int64(),
            "What MirrorMaker found committed at the source: what the group had read then. NULL for a tombstone.",
        ),
        Column("downstream_offset", pa.int64(), "What it was translated to at the target; NULL for a tombstone."),
        Column(
            "committed_offset",
            pa.int64(),
            "What __consumer_offsets of the source says was committed at checkpoint_at, by the broker; NULL when "
            "no commit before it was read.",
        ),
        Column(
            "position_lower",
            pa.int64(),
            "The copy of the record at upstream_offset is at this offset of the target or later; NULL when unknown.",
        ),
        Column("position_upper", pa.int64(), "It is not behind this one; NULL when unknown."),
        Column(
            "status",
            pa.string(),
            "Where downstream_offset is, compared with what the group had read; NULL for a tombstone.",
            values=_STATUSES,
        ),
        Column(
            "read_again_lower",
            pa.int64(),
            "At least so many offsets are read again from there; NULL when unknown.",
            minimum=0,
        ),
        Column("read_again_upper", pa.int64(), "At most so many; NULL when unknown.", minimum=0),
        Column("missed_lower", pa.int64(), "At least so many offsets are missed; NULL when unknown.", minimum=0),
        Column("missed_upper", pa.int64(), "At most so many; NULL when unknown.", minimum=0),
        Column(
            "set_back_at",
            TIMESTAMP,
            "When the group's offset was first set below upstream_offset at the source while the checkpoint was in "
            "force; NULL when it was not, as far as was read.",
        ),
        Column("set_back_to", pa.int64(), "The offset that it was set to; NULL without."),
        Column(
            "set_back_status",
            pa.string(),
            "Where downstream_offset was from then on, compared with what the group had to read; NULL without.",
            values=_STATUSES,
        ),
        Column(
            "set_back_missed_lower",
            pa.int64(),
            "At least so many offsets had been missed after a fail-over to the checkpoint then; NULL when unknown.",
            minimum=0,
        ),
        Column("set_back_missed_upper", pa.int64(), "At most so many; NULL when unknown.", minimum=0),
    ),
)

CONNECT_SOURCE_REWINDS: Final = Table(
    "mart",
    "connect_source_rewinds",
    "Where the offset of a source connector went back or was removed, so that it read a part of its source again. Who "
    "did it is in no record.",
    ("cluster", "offsets_topic", "log_partition", "log_offset"),
    (
        CLUSTER,
        Column("offsets_topic", pa.string(), "Topic that workers store source offsets in.", required=True),
        Column("log_partition", pa.int32(), "Partition of that topic.", required=True),
        Column("log_offset", pa.int64(), "Offset of the record that did it.", required=True),
        Column("connector", pa.string(), "Name of the connector.", required=True),
        Column("source_partition", pa.string(), "Part of the source, as JSON.", required=True),
        Column(
            "kind",
            pa.string(),
            "What happened to the offset.",
            values={"rewind": "it went back", "removed": "it was removed: the connector begins anew"},
            required=True,
        ),
        Column("occurred_at", TIMESTAMP, "When the worker stored it; NULL when not recorded."),
        Column("from_source_offset", pa.string(), "How far the connector had come, as JSON; NULL when not known."),
        Column("to_source_offset", pa.string(), "Where it was set to, as JSON; NULL for a removal."),
        Column(
            "next_source_offset",
            pa.string(),
            "What the connector stored next, as JSON; NULL when nothing was read of it.",
        ),
        Column("next_at", TIMESTAMP, "When it stored that; NULL without."),
    ),
)

TABLES: Final = (MIRROR_FLOWS, MIRROR_CHECKPOINTS, CONNECT_SOURCE_REWINDS)
