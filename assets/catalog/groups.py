"""The tables of the core layer that are about groups and their members.

Put columns here that hold of a group, a member or an owner. What was committed, and what holds of topics, stands in
`core`, which lists these tables too.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from assets.catalog.raw import CLUSTER, LOG_OFFSET, LOG_PARTITION
from assets.catalog.table import TIMESTAMP, Column, Table

GROUP_ID: Final = Column("group_id", pa.string(), "Consumer group.", required=True)
GROUP_TYPE: Final = Column(
    "group_type", pa.string(), "classic, consumer (KIP-848), share or streams: the kind of group then.", required=True
)
FROM_AT: Final = Column("from_at", TIMESTAMP, "When the coordinator appended the record.")
TO_AT: Final = Column(
    "to_at", TIMESTAMP, "When the record was appended that ended it; NULL while it stands, and for a removal."
)
TO_LOG_OFFSET: Final = Column(
    "to_log_offset", pa.int64(), "Log offset of that record; NULL while it stands, and for a removal."
)
IS_GAP_FREE: Final = Column(
    "is_gap_free",
    pa.bool_(),
    "Every offset of the log from the oldest record it rests on up to its end was seen. If not, it may have ended "
    "earlier than to_at says, and something else may have stood in between.",
    required=True,
)

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
        Column("generation", pa.int32(), "Generation, or group epoch; NULL when the group was removed or converted."),
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
            "Empty or Stable, and for groups that are not classic Assigning or Reconciling, as of the end of the "
            "batch; Removed or Converted where the group's record was deleted; NULL where it can't be known.",
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
            "stable, unrevoked (it has yet to give up partitions), unreleased (it waits for partitions of others) or "
            "away (static, and left for a while); NULL in classic groups.",
        ),
        Column("uses_classic_protocol", pa.bool_(), "It speaks the classic protocol; NULL where that was not seen."),
        Column("session_timeout_ms", pa.int32(), "Silence after which the member is expelled; NULL where not said."),
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
            "or when a record that is needed was not seen.",
        ),
        Column("revoking", ASSIGNED, "Partitions it owns but has to give up; NULL in classic and share groups."),
        Column("target", ASSIGNED, "Partitions it is to own in the end; NULL in classic groups."),
        FROM_AT,
        TO_AT,
        TO_LOG_OFFSET,
        IS_GAP_FREE,
    ),
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
        Column("kind", pa.string(), "assigned, revoking or target: the list of core.members.", required=True),
        Column("topic", pa.string(), "Topic; NULL where only its id is written: core.topics has its name."),
        Column("topic_id", pa.string(), "Topic id, in consumer and share groups; NULL in the others."),
        Column("partitions", pa.list_(pa.int32()), "Partitions of it, in no meaningful order."),
        FROM_AT,
        TO_AT,
        TO_LOG_OFFSET,
        IS_GAP_FREE,
    ),
)

OWNERSHIP: Final = Table(
    "core",
    "ownership",
    "Who owned a partition in a group, from when to when, and how that ended: no two at a time. Share groups, whose "
    "members read the same partitions, have no owners.",
    ("cluster", "log_partition", "log_offset", "group_id", "topic", "topic_id", "partition", "member_id"),
    (
        CLUSTER,
        GROUP_ID,
        GROUP_TYPE,
        Column("topic", pa.string(), "Topic; NULL in consumer groups, which write ids: core.topics has their names."),
        Column("topic_id", pa.string(), "Topic id, in consumer groups; NULL in the others, which write names."),
        Column("partition", pa.int32(), "Partition of it.", required=True),
        Column("member_id", pa.string(), "The owner.", required=True),
        Column("group_instance_id", pa.string(), "group.instance.id of a static member; NULL for a dynamic one."),
        Column("client_id", pa.string(), "client.id of the owner; NULL where the record was not seen."),
        Column("client_host", pa.string(), "Where the owner connects from; NULL where the record was not seen."),
        Column("generation", pa.int32(), "Generation of the group, or epoch of the member, when it was first seen."),
        Column("last_generation", pa.int32(), "The same when it was last seen; it may have owned it through many."),
        LOG_PARTITION,
        Column("log_offset", pa.int64(), "First record seen by which it owned the partition.", required=True),
        Column("seen_at", TIMESTAMP, "When that record was appended."),
        Column(
            "from_log_offset",
            pa.int64(),
            "Record by which it came to own it: log_offset again, or NULL where it may have owned it before, because "
            "unseen offsets lie there.",
        ),
        Column("from_at", TIMESTAMP, "When that record was appended; NULL where the beginning is not known."),
        Column("revoking_at", TIMESTAMP, "When it was told to give the partition up, if it ended so; else NULL."),
        Column(
            "to_log_offset",
            pa.int64(),
            "Record by which it owned the partition no longer; NULL while it does, and where the end is not known.",
        ),
        Column("to_at", TIMESTAMP, "When that record was appended; NULL while it owns it or the end is not known."),
        Column("until_log_offset", pa.int64(), "First record seen by which it owned it no longer; NULL while it does."),
        Column("until_at", TIMESTAMP, "When that record was appended; NULL while it owns the partition."),
        Column(
            "end_reason",
            pa.string(),
            "revoked (it stayed a member), left or expired (records can't tell one from the other), replaced (its "
            "static instance came back as another member), removed (the group was), converted (to another kind of "
            "group), or unknown, without until_at too: it may own it still. NULL while it owns the partition.",
        ),
    ),
)
