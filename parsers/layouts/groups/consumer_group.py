"""The values of consumer groups (KIP-848), record types 3 to 8 and 16 of __consumer_offsets.

All have version 0 alone and are flexible. Kafka 3.5 to 3.7 wrote other fields under the same version when the new
coordinator was tried out: those are the drafts, version -1 as 3.7 (and 3.6) had it, -2 as 3.5 had it. Since then came
the metadata hash (4.1), the assignment timestamp (4.3, KIP-1263) and the assignment epochs (4.3, KIP-1251), all as
tagged fields. Where Kafka's table says JSON null for a default, Kafka itself takes an empty value.
"""

from __future__ import annotations

from typing import Final

from parsers.wire import EVERY, Field, Layout, Wire, only, since, until

CONSUMER_GROUP_METADATA: Final = Layout(
    "ConsumerGroupMetadataValue",
    versions=range(1),
    flexible=EVERY,
    fields=(
        Field("epoch", Wire.INT32),
        Field("metadata_hash", Wire.INT64, tag=0, default=0),
    ),
)

CONSUMER_GROUP_PARTITION_METADATA: Final = Layout(
    "ConsumerGroupPartitionMetadataValue",
    versions=range(1),
    flexible=EVERY,
    drafts=("3.7", "3.5"),
    fields=(
        Field("epoch", Wire.INT32, versions=until(-1)),
        Field(
            "topics",
            Wire.STRUCT,
            array=True,
            fields=(
                Field("topic_id", Wire.UUID),
                Field("topic_name", Wire.STRING, versions=since(-1)),
                Field("num_partitions", Wire.INT32),
                Field(
                    "partition_metadata",
                    Wire.STRUCT,
                    versions=since(-1),
                    array=True,
                    fields=(Field("partition", Wire.INT32), Field("racks", Wire.STRING, array=True)),
                ),
            ),
        ),
    ),
)

_CLASSIC_PROTOCOL: Final = (Field("name", Wire.STRING), Field("metadata", Wire.BYTES))

_ASSIGNOR: Final = (
    Field("name", Wire.STRING),
    Field("minimum_version", Wire.INT16),
    Field("maximum_version", Wire.INT16),
    Field("reason", Wire.INT8),
    Field("version", Wire.INT16),
    Field("metadata", Wire.BYTES),
)

CONSUMER_GROUP_MEMBER_METADATA: Final = Layout(
    "ConsumerGroupMemberMetadataValue",
    versions=range(1),
    flexible=EVERY,
    drafts=("3.7", "3.5"),
    fields=(
        Field("group_epoch", Wire.INT32, versions=only(-2)),
        Field("instance_id", Wire.STRING, nullable=True),
        Field("rack_id", Wire.STRING, nullable=True),
        Field("client_id", Wire.STRING),
        Field("client_host", Wire.STRING),
        Field("subscribed_topic_names", Wire.STRING, array=True),
        Field("subscribed_topic_regex", Wire.STRING, nullable=True),
        Field("rebalance_timeout_ms", Wire.INT32, versions=since(-1), default=-1),
        Field("server_assignor", Wire.STRING, versions=since(-1), nullable=True),
        Field("assignors", Wire.STRUCT, versions=until(-1), array=True, fields=_ASSIGNOR),
        Field(
            "classic_member_metadata",
            Wire.STRUCT,
            versions=since(0),
            nullable=True,
            tag=0,
            default=(),
            fields=(
                Field("session_timeout_ms", Wire.INT32, default=0),
                Field("supported_protocols", Wire.STRUCT, array=True, default=(), fields=_CLASSIC_PROTOCOL),
            ),
        ),
    ),
)

CONSUMER_GROUP_TARGET_ASSIGNMENT_METADATA: Final = Layout(
    "ConsumerGroupTargetAssignmentMetadataValue",
    versions=range(1),
    flexible=EVERY,
    fields=(
        Field("assignment_epoch", Wire.INT32),
        Field("assignment_timestamp", Wire.INT64, tag=0, default=0),
    ),
)

CONSUMER_GROUP_TARGET_ASSIGNMENT_MEMBER: Final = Layout(
    "ConsumerGroupTargetAssignmentMemberValue",
    versions=range(1),
    flexible=EVERY,
    drafts=("3.7",),
    fields=(
        Field("error", Wire.INT8, versions=only(-1)),
        Field(
            "topic_partitions",
            Wire.STRUCT,
            array=True,
            fields=(Field("topic_id", Wire.UUID), Field("partitions", Wire.INT32, array=True)),
        ),
        Field("metadata_version", Wire.INT16, versions=only(-1)),
        Field("metadata_bytes", Wire.BYTES, versions=only(-1)),
    ),
)

_TOPIC_PARTITIONS: Final = (
    Field("topic_id", Wire.UUID),
    Field("partitions", Wire.INT32, array=True),
    Field("assignment_epochs", Wire.INT32, versions=since(0), array=True, nullable=True, tag=0, default=()),
)

CONSUMER_GROUP_CURRENT_MEMBER_ASSIGNMENT: Final = Layout(
    "ConsumerGroupCurrentMemberAssignmentValue",
    versions=range(1),
    flexible=EVERY,
    drafts=("3.7", "3.5"),
    fields=(
        Field("member_epoch", Wire.INT32),
        Field("previous_member_epoch", Wire.INT32, versions=since(-1)),
        Field("target_member_epoch", Wire.INT32, versions=only(-1)),
        Field("state", Wire.INT8, versions=since(0)),
        Field("assigned_partitions", Wire.STRUCT, versions=since(-1), array=True, fields=_TOPIC_PARTITIONS),
        Field("partitions_pending_revocation", Wire.STRUCT, versions=since(-1), array=True, fields=_TOPIC_PARTITIONS),
        Field("partitions_pending_assignment", Wire.STRUCT, versions=only(-1), array=True, fields=_TOPIC_PARTITIONS),
        Field("error", Wire.INT8, versions=until(-1)),
        Field("topic_partitions", Wire.STRUCT, versions=only(-2), array=True, fields=_TOPIC_PARTITIONS),
        Field("metadata_version", Wire.INT16, versions=until(-1)),
        Field("metadata_bytes", Wire.BYTES, versions=until(-1)),
    ),
)

CONSUMER_GROUP_REGULAR_EXPRESSION: Final = Layout(
    "ConsumerGroupRegularExpressionValue",
    versions=range(1),
    flexible=EVERY,
    fields=(
        Field("topics", Wire.STRING, array=True),
        Field("version", Wire.INT64),
        Field("timestamp", Wire.INT64),
    ),
)
