"""The record types of __consumer_offsets: the id in the key, Kafka's name, the layout of the value, what it tells.

Ids 3 to 8 are consumer groups (KIP-848), 9 to 15 share groups (KIP-932), 16 their regular expressions (4.0), 17 to 24
streams groups (KIP-1071; 18 and 24 are in no release).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from parsers.layouts.groups import consumer_group as consumer
from parsers.layouts.groups import share_group as share
from parsers.layouts.groups import streams_group as streams
from parsers.layouts.groups.group_metadata import GROUP_METADATA
from parsers.layouts.groups.offset_commit import OFFSET_COMMIT
from parsers.wire import Layout, snake


@dataclass(frozen=True)
class RecordType:
    """One record type: its id, Kafka's name without Key or Value at its end, its value's layout and meaning."""

    id: int
    name: str
    value: Layout
    meaning: str

    @property
    def column(self) -> str:
        """Name of the column that holds its values; both kinds of offset commit have the same value and share one."""
        return snake(self.name.removeprefix("Legacy"))


_COMMIT: Final = "A committed offset; timestamps in epoch milliseconds, -1 where the version has none."
_GROUP: Final = "State of a classic group and its members; timestamps in epoch milliseconds, timeouts in milliseconds."

RECORD_TYPES: Final = (
    RecordType(0, "LegacyOffsetCommit", OFFSET_COMMIT, _COMMIT),
    RecordType(1, "OffsetCommit", OFFSET_COMMIT, _COMMIT),
    RecordType(2, "GroupMetadata", GROUP_METADATA, _GROUP),
    RecordType(
        3,
        "ConsumerGroupMetadata",
        consumer.CONSUMER_GROUP_METADATA,
        "Epoch of a consumer group, and the hash of the topics it subscribes to (0 where unknown).",
    ),
    RecordType(
        4,
        "ConsumerGroupPartitionMetadata",
        consumer.CONSUMER_GROUP_PARTITION_METADATA,
        "Topics that a consumer group subscribes to, with their ids and partition counts (up to Kafka 4.0).",
    ),
    RecordType(
        5,
        "ConsumerGroupMemberMetadata",
        consumer.CONSUMER_GROUP_MEMBER_METADATA,
        "What a member of a consumer group said of itself; timeouts in milliseconds, -1 where unknown.",
    ),
    RecordType(
        6,
        "ConsumerGroupTargetAssignmentMetadata",
        consumer.CONSUMER_GROUP_TARGET_ASSIGNMENT_METADATA,
        "Epoch of a consumer group's target assignment, and when it was made in epoch milliseconds (0 where unknown).",
    ),
    RecordType(
        7,
        "ConsumerGroupTargetAssignmentMember",
        consumer.CONSUMER_GROUP_TARGET_ASSIGNMENT_MEMBER,
        "Partitions that a member of a consumer group is to own, in no meaningful order.",
    ),
    RecordType(
        8,
        "ConsumerGroupCurrentMemberAssignment",
        consumer.CONSUMER_GROUP_CURRENT_MEMBER_ASSIGNMENT,
        "Partitions that a member of a consumer group owns or must give up, its epochs, and its state "
        "(0 stable, 1 unrevoked partitions, 2 unreleased partitions).",
    ),
    RecordType(
        9,
        "ShareGroupPartitionMetadata",
        share.SHARE_GROUP_PARTITION_METADATA,
        "Topics that a share group subscribes to (early access, removed in Kafka 4.1).",
    ),
    RecordType(
        10,
        "ShareGroupMemberMetadata",
        share.SHARE_GROUP_MEMBER_METADATA,
        "What a member of a share group said of itself.",
    ),
    RecordType(
        11,
        "ShareGroupMetadata",
        share.SHARE_GROUP_METADATA,
        "Epoch of a share group, and the hash of the topics it subscribes to (NULL before Kafka 4.1).",
    ),
    RecordType(
        12,
        "ShareGroupTargetAssignmentMetadata",
        share.SHARE_GROUP_TARGET_ASSIGNMENT_METADATA,
        "Epoch of a share group's target assignment, and when it was made in epoch milliseconds (0 where unknown).",
    ),
    RecordType(
        13,
        "ShareGroupTargetAssignmentMember",
        share.SHARE_GROUP_TARGET_ASSIGNMENT_MEMBER,
        "Partitions that a member of a share group is to read from, in no meaningful order.",
    ),
    RecordType(
        14,
        "ShareGroupCurrentMemberAssignment",
        share.SHARE_GROUP_CURRENT_MEMBER_ASSIGNMENT,
        "Partitions that a member of a share group reads from, its epochs, and its state (0 stable).",
    ),
    RecordType(
        15,
        "ShareGroupStatePartitionMetadata",
        share.SHARE_GROUP_STATE_PARTITION_METADATA,
        "Topics whose share state is being set up, is set up, or is being deleted.",
    ),
    RecordType(
        16,
        "ConsumerGroupRegularExpression",
        consumer.CONSUMER_GROUP_REGULAR_EXPRESSION,
        "Topics that a regular expression matched, at which offset of the cluster metadata, and when in epoch "
        "milliseconds.",
    ),
    RecordType(
        17,
        "StreamsGroupMetadata",
        streams.STREAMS_GROUP_METADATA,
        "Epoch of a streams group, the hash of its topics, and the epochs of its topology (-1 where unknown).",
    ),
    RecordType(
        18,
        "StreamsGroupPartitionMetadata",
        streams.STREAMS_GROUP_PARTITION_METADATA,
        "Topics of a streams group, with their ids and partition counts (in no release).",
    ),
    RecordType(
        19,
        "StreamsGroupMemberMetadata",
        streams.STREAMS_GROUP_MEMBER_METADATA,
        "What a member of a streams group said of itself; timeouts in milliseconds, -1 where unknown.",
    ),
    RecordType(
        20,
        "StreamsGroupTargetAssignmentMetadata",
        streams.STREAMS_GROUP_TARGET_ASSIGNMENT_METADATA,
        "Epoch of a streams group's target assignment, and when it was made in epoch milliseconds (0 where unknown).",
    ),
    RecordType(
        21,
        "StreamsGroupTargetAssignmentMember",
        streams.STREAMS_GROUP_TARGET_ASSIGNMENT_MEMBER,
        "Active, standby and warm-up tasks that a member of a streams group is to run.",
    ),
    RecordType(
        22,
        "StreamsGroupCurrentMemberAssignment",
        streams.STREAMS_GROUP_CURRENT_MEMBER_ASSIGNMENT,
        "Tasks that a member of a streams group runs or must give up, its epochs, and its state (1 stable, "
        "2 unrevoked tasks, 3 unreleased tasks).",
    ),
    RecordType(
        23,
        "StreamsGroupTopology",
        streams.STREAMS_GROUP_TOPOLOGY,
        "Topology of a streams group; partition counts are 0 where unset, copartition groups hold indexes.",
    ),
    RecordType(
        24,
        "StreamsGroupTargetAssignmentResolvedTopicIds",
        streams.STREAMS_GROUP_TARGET_ASSIGNMENT_RESOLVED_TOPIC_IDS,
        "Topic ids that a streams group's target assignment was made for, by subtopology (in no release).",
    ),
)
