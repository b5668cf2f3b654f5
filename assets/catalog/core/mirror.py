"""What MirrorMaker 2 writes beside the records that it copies, field by field.

Put columns here of what stands in its records. What they say of a group stands in the mart layer.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from assets.catalog.columns import CLUSTER
from assets.catalog.table import TIMESTAMP, Column, Origin, Table

_LOG: Final = (
    Column("log_partition", pa.int32(), "Partition of that topic.", required=True),
    Column("log_offset", pa.int64(), "Offset of the record in it.", required=True),
)

_OFFSETS: Final = (
    Column("upstream_offset", pa.int64(), "Offset at the source; NULL for a tombstone."),
    Column("downstream_offset", pa.int64(), "Offset at the target; NULL for a tombstone."),
)

MIRROR_CHECKPOINTS: Final = Table(
    "core",
    "mirror_checkpoints",
    "Checkpoints of MirrorMaker 2: what a group had committed at the source, and the offset at the target that it was "
    "translated to. They lie in the target cluster. MirrorMaker writes one when the translated offset goes up, or the "
    "group's offset goes back.",
    ("cluster", "checkpoints_topic", "log_partition", "log_offset"),
    (
        CLUSTER,
        Column("checkpoints_topic", pa.string(), "Topic that the checkpoint lies in.", required=True),
        *_LOG,
        Column(
            "source_alias",
            pa.string(),
            "MirrorMaker's name for the source cluster, out of the name of that topic; NULL where the name has none.",
        ),
        Column("group_id", pa.string(), "Consumer group.", required=True),
        Column("topic", pa.string(), "Topic as it is called at the target.", required=True),
        Column("partition", pa.int32(), "Partition of it.", required=True),
        *_OFFSETS,
        Column("metadata", pa.string(), "Text that the client stored with the offset; NULL for a tombstone."),
        Column("checkpoint_at", TIMESTAMP, "When MirrorMaker asked for the group's offsets; NULL when not recorded."),
    ),
    ascending=frozenset({"log_offset", "checkpoint_at"}),
    origin=Origin.TRANSFORM,
)

MIRROR_OFFSET_SYNCS: Final = Table(
    "core",
    "mirror_offset_syncs",
    "Offset syncs of MirrorMaker 2: the record at an offset of the source was written at an offset of the target. They "
    "lie at the source, or at the target with offset-syncs.topic.location=target.",
    ("cluster", "syncs_topic", "log_partition", "log_offset"),
    (
        CLUSTER,
        Column("syncs_topic", pa.string(), "Topic that the sync lies in.", required=True),
        *_LOG,
        Column(
            "other_alias",
            pa.string(),
            "MirrorMaker's name for the other cluster, out of the name of that topic; NULL where the name has none.",
        ),
        Column("topic", pa.string(), "Topic as it is called at the source.", required=True),
        Column("partition", pa.int32(), "Partition of it.", required=True),
        *_OFFSETS,
        Column("synced_at", TIMESTAMP, "When MirrorMaker wrote it; NULL when not recorded."),
    ),
    ascending=frozenset({"log_offset", "synced_at"}),
    origin=Origin.TRANSFORM,
)

TABLES: Final = (MIRROR_CHECKPOINTS, MIRROR_OFFSET_SYNCS)
