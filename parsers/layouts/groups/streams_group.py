"""The values of streams groups (KIP-1071, since 4.1), record types 17 to 24 of __consumer_offsets.

All have version 0 alone and are flexible. Since then came tagged fields: the validated topology epoch, the assignment
configs and the assignment epochs (4.2), the assignment timestamp (4.3, KIP-1263), the description epochs (after 4.3).
No release has written type 18 or 24.
"""

from __future__ import annotations

from typing import Final

from parsers.wire import EVERY, Field, Layout, Wire

_KEY_VALUE: Final = (Field("key", Wire.STRING), Field("value", Wire.STRING))

STREAMS_GROUP_METADATA: Final = Layout(
    "StreamsGroupMetadataValue",
    versions=range(1),
    flexible=EVERY,
    fields=(
        Field("epoch", Wire.INT32),
        Field("metadata_hash", Wire.INT64),
        Field("validated_topology_epoch", Wire.INT32, tag=0, default=-1),
        Field("last_assignment_configs", Wire.STRUCT, array=True, tag=1, default=(), fields=_KEY_VALUE),
        Field("stored_description_topology_epoch", Wire.INT32, tag=2, default=-1),
        Field("failed_description_topology_epoch", Wire.INT32, tag=3, default=-1),
    ),
)

STREAMS_GROUP_PARTITION_METADATA: Final = Layout(
    "StreamsGroupPartitionMetadataValue",
    versions=range(1),
    flexible=EVERY,
    fields=(
        Field(
            "topics",
            Wire.STRUCT,
            array=True,
            fields=(
                Field("topic_id", Wire.UUID),
                Field("topic_name", Wire.STRING),
                Field("num_partitions", Wire.INT32),
                Field(
                    "partition_metadata",
                    Wire.STRUCT,
                    array=True,
                    fields=(Field("partition", Wire.INT32), Field("racks", Wire.STRING, array=True)),
                ),
            ),
        ),
    ),
)

STREAMS_GROUP_MEMBER_METADATA: Final = Layout(
    "StreamsGroupMemberMetadataValue",
    versions=range(1),
    flexible=EVERY,
    fields=(
        Field("instance_id", Wire.STRING, nullable=True),
        Field("rack_id", Wire.STRING, nullable=True),
        Field("client_id", Wire.STRING),
        Field("client_host", Wire.STRING),
        Field("rebalance_timeout_ms", Wire.INT32, default=-1),
        Field("topology_epoch", Wire.INT32),
        Field("process_id", Wire.STRING),
        Field(
            "user_endpoint",
            Wire.STRUCT,
            nullable=True,
            fields=(Field("host", Wire.STRING), Field("port", Wire.UINT16)),
        ),
        Field("client_tags", Wire.STRUCT, array=True, fields=_KEY_VALUE),
    ),
)

STREAMS_GROUP_TARGET_ASSIGNMENT_METADATA: Final = Layout(
    "StreamsGroupTargetAssignmentMetadataValue",
    versions=range(1),
    flexible=EVERY,
    fields=(
        Field("assignment_epoch", Wire.INT32),
        Field("assignment_timestamp", Wire.INT64, tag=0, default=0),
    ),
)

_TASK_IDS: Final = (Field("subtopology_id", Wire.STRING), Field("partitions", Wire.INT32, array=True))

STREAMS_GROUP_TARGET_ASSIGNMENT_MEMBER: Final = Layout(
    "StreamsGroupTargetAssignmentMemberValue",
    versions=range(1),
    flexible=EVERY,
    fields=(
        Field("active_tasks", Wire.STRUCT, array=True, fields=_TASK_IDS),
        Field("standby_tasks", Wire.STRUCT, array=True, fields=_TASK_IDS),
        Field("warmup_tasks", Wire.STRUCT, array=True, fields=_TASK_IDS),
    ),
)

_CURRENT_TASK_IDS: Final = (
    *_TASK_IDS,
    Field("assignment_epochs", Wire.INT32, array=True, nullable=True, tag=0, default=()),
)

STREAMS_GROUP_CURRENT_MEMBER_ASSIGNMENT: Final = Layout(
    "StreamsGroupCurrentMemberAssignmentValue",
    versions=range(1),
    flexible=EVERY,
    fields=(
        Field("member_epoch", Wire.INT32),
        Field("previous_member_epoch", Wire.INT32),
        Field("state", Wire.INT8),
        Field("active_tasks", Wire.STRUCT, array=True, fields=_CURRENT_TASK_IDS),
        Field("standby_tasks", Wire.STRUCT, array=True, fields=_CURRENT_TASK_IDS),
        Field("warmup_tasks", Wire.STRUCT, array=True, fields=_CURRENT_TASK_IDS),
        Field("active_tasks_pending_revocation", Wire.STRUCT, array=True, fields=_CURRENT_TASK_IDS),
        Field("standby_tasks_pending_revocation", Wire.STRUCT, array=True, fields=_CURRENT_TASK_IDS),
        Field("warmup_tasks_pending_revocation", Wire.STRUCT, array=True, fields=_CURRENT_TASK_IDS),
    ),
)

_TOPIC_INFO: Final = (
    Field("name", Wire.STRING),
    Field("partitions", Wire.INT32),
    Field("replication_factor", Wire.INT16),
    Field("topic_configs", Wire.STRUCT, array=True, fields=_KEY_VALUE),
)

_COPARTITION_GROUP: Final = (
    Field("source_topics", Wire.INT16, array=True),
    Field("source_topic_regex", Wire.INT16, array=True),
    Field("repartition_source_topics", Wire.INT16, array=True),
)

STREAMS_GROUP_TOPOLOGY: Final = Layout(
    "StreamsGroupTopologyValue",
    versions=range(1),
    flexible=EVERY,
    fields=(
        Field("epoch", Wire.INT32),
        Field(
            "subtopologies",
            Wire.STRUCT,
            array=True,
            fields=(
                Field("subtopology_id", Wire.STRING),
                Field("source_topics", Wire.STRING, array=True),
                Field("source_topic_regex", Wire.STRING, array=True),
                Field("state_changelog_topics", Wire.STRUCT, array=True, fields=_TOPIC_INFO),
                Field("repartition_sink_topics", Wire.STRING, array=True),
                Field("repartition_source_topics", Wire.STRUCT, array=True, fields=_TOPIC_INFO),
                Field("copartition_groups", Wire.STRUCT, array=True, fields=_COPARTITION_GROUP),
            ),
        ),
    ),
)

STREAMS_GROUP_TARGET_ASSIGNMENT_RESOLVED_TOPIC_IDS: Final = Layout(
    "StreamsGroupTargetAssignmentResolvedTopicIdsValue",
    versions=range(1),
    flexible=EVERY,
    fields=(
        Field("assignment_epoch", Wire.INT32),
        Field(
            "resolved_topic_ids_by_subtopology",
            Wire.STRUCT,
            array=True,
            fields=(Field("subtopology_id", Wire.STRING), Field("topic_ids", Wire.UUID, array=True)),
        ),
    ),
)
