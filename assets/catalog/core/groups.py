"""Groups and their members: generations, member versions, subscriptions and assignments.

Put columns here that records say of a group or a member. Who owned a partition stands in `ownership`.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from assets.catalog.columns import (
    CLUSTER,
    FROM_AT,
    GROUP_ID,
    GROUP_TYPE,
    IS_GAP_FREE,
    LOG_OFFSET,
    LOG_PARTITION,
    TO_AT,
    TO_LOG_OFFSET,
)
from assets.catalog.table import TIMESTAMP, Column, Interval, Origin, Table

GENERATIONS: Final = Table(
    "core",
    "generations",
    "Every generation or epoch of a group that its coordinator wrote down, and from when to when it stood.",
    ("cluster", "log_partition", "log_offset"),
    (
        CLUSTER,
        GROUP_ID,
        GROUP_TYPE,
        LOG_PARTITION,
        LOG_OFFSET,
        Column(
            "generation",
            pa.int32(),
            "Generation, or group epoch; NULL when the group was removed or converted.",
            minimum=0,
            is_promised=False,
        ),
        Column(
            "generation_before",
            pa.int32(),
            "Generation that was written before; NULL for the first, after a removal, and where unseen offsets lie "
            "between. The same number again: a static member came back. More than one lower: those between were made, "
            "but no member got anything in them. A higher number before: it was given out again.",
        ),
        Column(
            "state",
            pa.string(),
            "State of the group as of the end of the batch; NULL where it can't be known.",
            values={
                "Empty": "it has no members",
                "Stable": "every member has what it is to own",
                "Assigning": "a new target is being worked out",
                "Reconciling": "members are on the way to their targets",
                "Removed": "the group's record was deleted",
                "Converted": "the group's record was deleted because it became another kind of group",
            },
        ),
        Column("protocol_type", pa.string(), "consumer, connect, share, streams, ...; NULL when empty or removed."),
        Column("protocol", pa.string(), "Assignor that a classic group selected; NULL when it has no members."),
        Column("leader", pa.string(), "Member id of a classic group's leader; NULL when it has no members."),
        Column("member_count", pa.int32(), "Members as of the end of the batch; NULL when removed or unknown."),
        Column(
            "state_at", TIMESTAMP, "currentStateTimestamp: when the join phase ended; NULL where the record has none."
        ),
        Column("log_leader_epoch", pa.int32(), "Leader epoch of the offsets partition: which coordinator wrote it."),
        FROM_AT,
        TO_AT,
        TO_LOG_OFFSET,
        IS_GAP_FREE,
    ),
    origin=Origin.RECONSTRUCTION,
    intervals=(Interval("log_offset", "to_log_offset"),),
)

ASSIGNED: Final = pa.list_(
    pa.struct(
        [
            pa.field("topic", pa.string()),
            pa.field("topic_id", pa.string()),
            pa.field("partitions", pa.list_(pa.int32())),
        ]
    )
)
"""Classic and streams groups name topics, consumer and share groups write their ids: the other is NULL."""

MEMBERS: Final = Table(
    "core",
    "members",
    "Every version of every member: who it was, what it wanted and what it was given.",
    ("cluster", "log_partition", "log_offset", "member_id"),
    (
        CLUSTER,
        GROUP_ID,
        GROUP_TYPE,
        Column(
            "generation",
            pa.int32(),
            "Generation of a classic group, else the member's own epoch; NULL when it has none yet, or is away.",
            minimum=0,
            is_promised=False,
        ),
        LOG_PARTITION,
        LOG_OFFSET,
        Column("member_id", pa.string(), "Member id that the coordinator gave out or the client chose.", required=True),
        Column("group_instance_id", pa.string(), "group.instance.id of a static member; NULL for a dynamic one."),
        Column("client_id", pa.string(), "client.id that the member sent; NULL where the record was not seen."),
        Column(
            "client_host",
            pa.string(),
            "Address that the member connected from, as the broker writes it; NULL where the record was not seen.",
        ),
        Column("rack_id", pa.string(), "client.rack of the member; NULL when it sent none, and before 3.4."),
        Column(
            "server_assignor", pa.string(), "Assignor of the broker that it asked for; NULL when it asked for none."
        ),
        Column("is_leader", pa.bool_(), "The member computed the assignment; NULL where no member does."),
        Column(
            "state",
            pa.string(),
            "State of the member; NULL in classic groups.",
            values={
                "stable": "it owns what it is to own",
                "unrevoked": "it has yet to give up partitions",
                "unreleased": "it waits for partitions of others",
                "away": "a static member that left for a while",
            },
        ),
        Column("uses_classic_protocol", pa.bool_(), "It speaks the classic protocol; NULL where that was not seen."),
        Column(
            "session_timeout_ms",
            pa.int32(),
            "Silence after which the member is expelled; NULL where not said.",
            minimum=0,
            is_promised=False,
        ),
        Column("rebalance_timeout_ms", pa.int32(), "Time a member has to rejoin; NULL where the record has none."),
        Column(
            "subscribed_topics",
            pa.list_(pa.string()),
            "Topics it subscribed by name; NULL when the bytes are not a consumer's, and in streams groups.",
        ),
        Column("subscribed_regex", pa.string(), "Regular expression it subscribed; NULL without one."),
        Column(
            "assigned",
            ASSIGNED,
            "Partitions it owns; of a streams group's tasks the active ones. NULL when the bytes are not a consumer's, "
            "when a record that is needed was not seen, or when one record assigns more than a worker opens: some "
            "300,000 partitions, fewer under long names.",
        ),
        Column("revoking", ASSIGNED, "Partitions it owns but has to give up; NULL in classic and share groups."),
        Column("target", ASSIGNED, "Partitions it is to own in the end; NULL in classic groups."),
        FROM_AT,
        TO_AT,
        TO_LOG_OFFSET,
        IS_GAP_FREE,
    ),
    origin=Origin.RECONSTRUCTION,
    intervals=(Interval("log_offset", "to_log_offset"),),
    is_key_promised=False,
)

SUBSCRIPTIONS: Final = Table(
    "core",
    "subscriptions",
    "What members subscribed to, and what the regular expressions among it matched.",
    ("cluster", "log_partition", "log_offset", "member_id", "regex"),
    (
        CLUSTER,
        GROUP_ID,
        GROUP_TYPE,
        LOG_PARTITION,
        LOG_OFFSET,
        Column("member_id", pa.string(), "Member that subscribed; NULL for what a regular expression matched."),
        Column("topics", pa.list_(pa.string()), "Topics subscribed by name, or matched; NULL when they can't be read."),
        Column("regex", pa.string(), "Regular expression that was subscribed, or that matched; NULL without one."),
        Column("resolved_at", TIMESTAMP, "When the expression was matched against topics; NULL for a member's row."),
        FROM_AT,
        TO_AT,
        TO_LOG_OFFSET,
        IS_GAP_FREE,
    ),
    origin=Origin.RECONSTRUCTION,
    intervals=(Interval("log_offset", "to_log_offset"),),
    is_key_promised=False,
)

ASSIGNMENTS: Final = Table(
    "core",
    "assignments",
    "What members had, had to give up and were to have, topic by topic: the lists of core.members as rows.",
    ("cluster", "log_partition", "log_offset", "member_id", "kind", "topic", "topic_id"),
    (
        CLUSTER,
        GROUP_ID,
        GROUP_TYPE,
        Column("generation", pa.int32(), "Generation, or the member's epoch; NULL when it has none, or is away."),
        LOG_PARTITION,
        LOG_OFFSET,
        Column("member_id", pa.string(), "Member.", required=True),
        Column(
            "kind",
            pa.string(),
            "The list of core.members.",
            values={
                "assigned": "what it owns",
                "revoking": "what it owns and has to give up",
                "target": "what it is to own in the end",
            },
            required=True,
        ),
        Column("topic", pa.string(), "Topic; NULL where only its id is written: core.topics has its name."),
        Column("topic_id", pa.string(), "Topic id, in consumer and share groups; NULL in the others."),
        Column("partitions", pa.list_(pa.int32()), "Partitions of it, in no meaningful order."),
        FROM_AT,
        TO_AT,
        TO_LOG_OFFSET,
        IS_GAP_FREE,
    ),
    origin=Origin.RECONSTRUCTION,
    intervals=(Interval("log_offset", "to_log_offset"),),
    is_key_promised=False,
)

TABLES: Final = (GENERATIONS, MEMBERS, SUBSCRIPTIONS, ASSIGNMENTS)
