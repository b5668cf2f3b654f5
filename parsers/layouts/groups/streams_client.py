"""What classic Kafka Streams clients say to each other, in the user data of their ConsumerProtocol blobs.

An int32 version, 1 to 11. The subscription is a Kafka message that is never flexible; the assignment is written by
Java's DataOutput, and from version 5 on names topics by a number that stands in `topic_names`.
"""

from __future__ import annotations

from typing import Final

from parsers.wire import Field, Layout, Wire, between, since

_TASK: Final = (Field("topic_group_id", Wire.INT32), Field("partition", Wire.INT32))

_OFFSET_SUM: Final = (Field("partition", Wire.INT32), Field("offset_sum", Wire.INT64))

STREAMS_SUBSCRIPTION: Final = Layout(
    "SubscriptionInfoData",
    versions=range(1, 12),
    fields=(
        Field("latest_supported_version", Wire.INT32, versions=since(3), default=-1),
        Field("process_id", Wire.UUID),
        Field("prev_tasks", Wire.STRUCT, versions=between(1, 6), array=True, fields=_TASK),
        Field("standby_tasks", Wire.STRUCT, versions=between(1, 6), array=True, fields=_TASK),
        Field("user_end_point", Wire.BYTES, versions=since(2)),
        Field(
            "task_offset_sums",
            Wire.STRUCT,
            versions=since(7),
            array=True,
            fields=(
                Field("topic_group_id", Wire.INT32),
                Field("partition", Wire.INT32, versions=since(10)),
                Field("offset_sum", Wire.INT64, versions=since(10)),
                Field("named_topology", Wire.STRING, versions=since(10), nullable=True),
                Field("partition_to_offset_sum", Wire.STRUCT, versions=between(7, 9), array=True, fields=_OFFSET_SUM),
            ),
        ),
        Field("unique_field", Wire.INT8, versions=since(8)),
        Field("error_code", Wire.INT32, versions=since(9)),
        Field(
            "client_tags",
            Wire.STRUCT,
            versions=since(11),
            array=True,
            fields=(Field("key", Wire.BYTES), Field("value", Wire.BYTES)),
        ),
    ),
)

_TASK_ID: Final = (
    Field("subtopology", Wire.INT32),
    Field("partition", Wire.INT32),
    Field("named_topology", Wire.JAVA_CHARS, versions=since(10)),
)

_TOPIC_PARTITION: Final = (Field("topic", Wire.JAVA_UTF), Field("partition", Wire.INT32))

_HOST: Final = (
    Field("host", Wire.JAVA_UTF),
    Field("port", Wire.INT32),
    Field("partitions", Wire.STRUCT, versions=between(2, 4), array=True, fields=_TOPIC_PARTITION),
    Field(
        "numbered_partitions",
        Wire.STRUCT,
        versions=since(5),
        array=True,
        fields=(Field("topic_index", Wire.INT32), Field("partition", Wire.INT32)),
    ),
)

STREAMS_ASSIGNMENT: Final = Layout(
    "AssignmentInfo",
    versions=range(1, 12),
    fields=(
        Field("commonly_supported_version", Wire.INT32, versions=since(3), default=-1),
        Field("active_tasks", Wire.STRUCT, array=True, fields=_TASK_ID),
        Field(
            "standby_tasks",
            Wire.STRUCT,
            array=True,
            fields=(*_TASK_ID, Field("partitions", Wire.STRUCT, array=True, fields=_TOPIC_PARTITION)),
        ),
        Field(
            "topic_names",
            Wire.STRUCT,
            versions=since(5),
            array=True,
            fields=(Field("topic_index", Wire.INT32), Field("topic", Wire.JAVA_UTF)),
        ),
        Field("hosts", Wire.STRUCT, versions=since(2), array=True, fields=_HOST),
        Field("standby_hosts", Wire.STRUCT, versions=since(6), array=True, fields=_HOST),
        Field("err_code", Wire.INT32, versions=since(4)),
        Field("next_rebalance_ms", Wire.INT64, versions=since(7)),
    ),
)
