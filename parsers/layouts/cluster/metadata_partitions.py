"""The records of __cluster_metadata (KRaft, KIP-631) about topics and partitions, with all of their fields.

Version 1 of the two partition records added log directories (3.7, KIP-858), version 2 eligible leaders (KIP-966). What
`parsers.layouts.cluster.cluster_metadata` has of them is the beginning, which no version has changed.
"""

from __future__ import annotations

from typing import Final

from parsers.wire import EVERY, Field, Layout, Wire, since

TOPIC: Final = Layout(
    "TopicRecord",
    versions=range(1),
    flexible=EVERY,
    fields=(Field("name", Wire.STRING), Field("topic_id", Wire.UUID)),
)

REMOVE_TOPIC: Final = Layout(
    "RemoveTopicRecord",
    versions=range(1),
    flexible=EVERY,
    fields=(Field("topic_id", Wire.UUID),),
)

PARTITION: Final = Layout(
    "PartitionRecord",
    versions=range(3),
    flexible=EVERY,
    fields=(
        Field("partition_id", Wire.INT32),
        Field("topic_id", Wire.UUID),
        Field("replicas", Wire.INT32, array=True),
        Field("isr", Wire.INT32, array=True),
        Field("removing_replicas", Wire.INT32, array=True),
        Field("adding_replicas", Wire.INT32, array=True),
        Field("leader", Wire.INT32),
        Field("leader_recovery_state", Wire.INT8, tag=0, default=0),
        Field("leader_epoch", Wire.INT32),
        Field("partition_epoch", Wire.INT32),
        Field("directories", Wire.UUID, versions=since(1), array=True, default=()),
        Field("eligible_leader_replicas", Wire.INT32, versions=since(2), array=True, nullable=True, tag=1),
        Field("last_known_elr", Wire.INT32, versions=since(2), array=True, nullable=True, tag=2),
    ),
)

PARTITION_CHANGE: Final = Layout(
    "PartitionChangeRecord",
    versions=range(3),
    flexible=EVERY,
    fields=(
        Field("partition_id", Wire.INT32),
        Field("topic_id", Wire.UUID),
        Field("isr", Wire.INT32, array=True, nullable=True, tag=0),
        Field("leader", Wire.INT32, tag=1, default=-2),
        Field("replicas", Wire.INT32, array=True, nullable=True, tag=2),
        Field("removing_replicas", Wire.INT32, array=True, nullable=True, tag=3),
        Field("adding_replicas", Wire.INT32, array=True, nullable=True, tag=4),
        Field("leader_recovery_state", Wire.INT8, tag=5, default=-1),
        Field("directories", Wire.UUID, versions=since(1), array=True, nullable=True, tag=8),
        Field("eligible_leader_replicas", Wire.INT32, versions=since(2), array=True, nullable=True, tag=6),
        Field("last_known_elr", Wire.INT32, versions=since(2), array=True, nullable=True, tag=7),
    ),
)
