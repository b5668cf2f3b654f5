"""The values of share groups (KIP-932), record types 9 to 15 of __consumer_offsets.

All have version 0 alone and are flexible. The early access of 4.0 wrote fewer fields under the same version: those are
drafts, as is what 3.9 had for type 9 before 4.0 gave that id another layout; 4.1 removed type 9. The assignment
timestamp came with 4.3 (KIP-1263).
"""

from __future__ import annotations

from typing import Final

from parsers.wire import EVERY, Field, Layout, Wire, only, since

_TOPIC_INFO: Final = (Field("topic_id", Wire.UUID), Field("topic_name", Wire.STRING))
_TOPIC_PARTITIONS_INFO: Final = (*_TOPIC_INFO, Field("partitions", Wire.INT32, array=True))
_TOPIC_PARTITIONS: Final = (Field("topic_id", Wire.UUID), Field("partitions", Wire.INT32, array=True))

SHARE_GROUP_PARTITION_METADATA: Final = Layout(
    "ShareGroupPartitionMetadataValue",
    versions=range(1),
    flexible=EVERY,
    drafts=("3.9",),
    fields=(
        Field(
            "topics",
            Wire.STRUCT,
            versions=since(0),
            array=True,
            fields=(
                *_TOPIC_INFO,
                Field("num_partitions", Wire.INT32),
                Field(
                    "partition_metadata",
                    Wire.STRUCT,
                    array=True,
                    fields=(Field("partition", Wire.INT32), Field("racks", Wire.STRING, array=True)),
                ),
            ),
        ),
        Field("initialized_topics", Wire.STRUCT, versions=only(-1), array=True, fields=_TOPIC_PARTITIONS_INFO),
        Field("deleting_topics", Wire.STRUCT, versions=only(-1), array=True, fields=_TOPIC_INFO),
    ),
)

SHARE_GROUP_MEMBER_METADATA: Final = Layout(
    "ShareGroupMemberMetadataValue",
    versions=range(1),
    flexible=EVERY,
    fields=(
        Field("rack_id", Wire.STRING, nullable=True),
        Field("client_id", Wire.STRING),
        Field("client_host", Wire.STRING),
        Field("subscribed_topic_names", Wire.STRING, array=True),
    ),
)

SHARE_GROUP_METADATA: Final = Layout(
    "ShareGroupMetadataValue",
    versions=range(1),
    flexible=EVERY,
    drafts=("4.0",),
    fields=(
        Field("epoch", Wire.INT32),
        Field("metadata_hash", Wire.INT64, versions=since(0)),
    ),
)

SHARE_GROUP_TARGET_ASSIGNMENT_METADATA: Final = Layout(
    "ShareGroupTargetAssignmentMetadataValue",
    versions=range(1),
    flexible=EVERY,
    fields=(
        Field("assignment_epoch", Wire.INT32),
        Field("assignment_timestamp", Wire.INT64, tag=0, default=0),
    ),
)

SHARE_GROUP_TARGET_ASSIGNMENT_MEMBER: Final = Layout(
    "ShareGroupTargetAssignmentMemberValue",
    versions=range(1),
    flexible=EVERY,
    fields=(Field("topic_partitions", Wire.STRUCT, array=True, fields=_TOPIC_PARTITIONS),),
)

SHARE_GROUP_CURRENT_MEMBER_ASSIGNMENT: Final = Layout(
    "ShareGroupCurrentMemberAssignmentValue",
    versions=range(1),
    flexible=EVERY,
    fields=(
        Field("member_epoch", Wire.INT32),
        Field("previous_member_epoch", Wire.INT32),
        Field("state", Wire.INT8),
        Field("assigned_partitions", Wire.STRUCT, array=True, fields=_TOPIC_PARTITIONS),
    ),
)

SHARE_GROUP_STATE_PARTITION_METADATA: Final = Layout(
    "ShareGroupStatePartitionMetadataValue",
    versions=range(1),
    flexible=EVERY,
    drafts=("4.0",),
    fields=(
        Field("initializing_topics", Wire.STRUCT, versions=since(0), array=True, fields=_TOPIC_PARTITIONS_INFO),
        Field("initialized_topics", Wire.STRUCT, array=True, fields=_TOPIC_PARTITIONS_INFO),
        Field("deleting_topics", Wire.STRUCT, array=True, fields=_TOPIC_INFO),
    ),
)
