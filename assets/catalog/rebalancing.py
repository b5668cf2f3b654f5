"""The tables about rebalances: what each did, whom it moved, how long it stopped a group, and who caused it.

Put columns here that say what changed in a group. What it was in between stands in `groups` and `states`.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from assets.catalog.groups import GROUP_ID, GROUP_TYPE
from assets.catalog.raw import CLUSTER, LOG_PARTITION
from assets.catalog.table import TIMESTAMP, Column, Table

_LOG_OFFSET: Final = Column("log_offset", pa.int64(), "First record that shows the rebalance.", required=True)
_LAST_LOG_OFFSET: Final = Column(
    "last_log_offset", pa.int64(), "Last record of it; of one that goes on, the last so far.", required=True
)
_REBALANCE: Final = Column(
    "rebalance_log_offset", pa.int64(), "The rebalance it belongs to: log_offset in mart.rebalances.", required=True
)
_GENERATION_BEFORE: Final = Column("generation_before", pa.int32(), "Generation or epoch before; NULL for the first.")
_GENERATION_AFTER: Final = Column("generation_after", pa.int32(), "Generation or epoch after, or so far.")
_GENERATIONS: Final = Column(
    "generations",
    pa.int32(),
    "Generations or epochs that were written in it: two in a cooperative hand-over.",
    required=True,
)
_JOINED_AT: Final = Column(
    "joined_at",
    TIMESTAMP,
    "When all members had rejoined; NULL where the record doesn't say, and in other kinds of groups.",
)
_ENDED_AT: Final = Column(
    "ended_at",
    TIMESTAMP,
    "When the last record of it was appended: every member had been given what it is to own. NULL while it goes on, or "
    "when that can't be known.",
)
_STATE_AFTER: Final = Column(
    "state_after",
    pa.string(),
    "Stable or Empty; Assigning or Reconciling while it goes on, NULL where it can't be known.",
)
_PROTOCOL: Final = Column("protocol", pa.string(), "Assignor of a classic group; NULL when it has no members.")
_MEMBERS_BEFORE: Final = Column("members_before", pa.int32(), "Members before; NULL where that isn't known.")
_MEMBERS_AFTER: Final = Column("members_after", pa.int32(), "Members after; NULL where that isn't known.")
_IDS: Final = pa.list_(pa.string())

REBALANCE_SPANS: Final = Table(
    "internal",
    "rebalance_spans",
    "Which records of a group are one rebalance: a generation, a cooperative hand-over of two, or all that a group of "
    "another kind wrote until it was at rest again.",
    ("cluster", "log_partition", "group_id", "log_offset"),
    (
        CLUSTER,
        GROUP_ID,
        GROUP_TYPE,
        LOG_PARTITION,
        _LOG_OFFSET,
        _LAST_LOG_OFFSET,
        Column("before_log_offset", pa.int64(), "Last record of the group before it; NULL when there is none."),
        Column(
            "to_log_offset", pa.int64(), "What changed up to here belongs to it; NULL of the last while it goes on."
        ),
        Column("from_at", TIMESTAMP, "When its first record was appended."),
        _JOINED_AT,
        _ENDED_AT,
        _GENERATION_BEFORE,
        _GENERATION_AFTER,
        _GENERATIONS,
        Column("state_before", pa.string(), "State of the group before; NULL when nothing was written before."),
        _STATE_AFTER,
        Column("group_type_before", pa.string(), "Kind of the group before; NULL for the first."),
        Column("protocol_before", pa.string(), "Assignor before; NULL when it had no members, or is not classic."),
        _PROTOCOL,
        _MEMBERS_BEFORE,
        _MEMBERS_AFTER,
        Column("is_new_coordinator", pa.bool_(), "Another coordinator wrote it than the one before.", required=True),
        Column(
            "is_before_known",
            pa.bool_(),
            "It is known what was before, or that nothing was: no hole in the log lies between.",
            required=True,
        ),
    ),
)

MEMBER_CHANGES: Final = Table(
    "mart",
    "member_changes",
    "Who joined, left, expired, came back as another member or subscribed otherwise, and in which rebalance.",
    ("cluster", "log_partition", "group_id", "log_offset", "member_id", "change"),
    (
        CLUSTER,
        GROUP_ID,
        LOG_PARTITION,
        _REBALANCE,
        Column("log_offset", pa.int64(), "Record that shows the change.", required=True),
        Column("member_id", pa.string(), "The member.", required=True),
        Column(
            "change",
            pa.string(),
            "joined, left, expired, left or expired (records can't tell one from the other), replaced (its static "
            "instance came back as this member) or resubscribed.",
            required=True,
        ),
        Column("replaced_member_id", pa.string(), "Whom it replaced; NULL for any other change."),
        Column("group_instance_id", pa.string(), "group.instance.id of a static member; NULL for a dynamic one."),
        Column("client_id", pa.string(), "Its client.id; NULL where the record was not seen."),
        Column("client_host", pa.string(), "Where it connects from; NULL where the record was not seen."),
        Column("session_timeout_ms", pa.int32(), "Silence after which it is expelled, of one that is gone; else NULL."),
        Column("occurred_at", TIMESTAMP, "When that record was appended."),
        Column("logged_at", TIMESTAMP, "When the coordinator's text log said so; NULL when it did not."),
        Column("source", pa.string(), "record, or server.log where only a line says how it came about.", required=True),
        Column("reason", pa.string(), "Why, in the words of the line; NULL when it says none."),
    ),
)

PARTITION_MOVES: Final = Table(
    "mart",
    "partition_moves",
    "What became of each partition that a rebalance took from somebody or gave to somebody.",
    ("cluster", "log_partition", "group_id", "rebalance_log_offset", "topic", "partition"),
    (
        CLUSTER,
        GROUP_ID,
        GROUP_TYPE,
        LOG_PARTITION,
        _REBALANCE,
        Column("topic", pa.string(), "Topic; its id where its name isn't known.", required=True),
        Column("topic_id", pa.string(), "Topic id, in groups that write it; else NULL."),
        Column("partition", pa.int32(), "Partition of it.", required=True),
        Column(
            "kind",
            pa.string(),
            "moved (to another member), kept (given back to the same member or static instance), lost (nobody owns it "
            "after) or taken up (nobody was known to own it before).",
            required=True,
        ),
        Column("from_member_id", pa.string(), "Who owned it before; NULL when it was taken up."),
        Column("from_group_instance_id", pa.string(), "Its group.instance.id; NULL for a dynamic member."),
        Column("from_client_id", pa.string(), "Its client.id; NULL where that isn't known."),
        Column("from_client_host", pa.string(), "Its host; NULL where that isn't known."),
        Column("from_until_at", TIMESTAMP, "Record by which it owned it no longer; NULL when it was taken up."),
        Column("from_end_reason", pa.string(), "How that ended, as in core.ownership."),
        Column("to_member_id", pa.string(), "Who owns it after; NULL when it was lost."),
        Column("to_group_instance_id", pa.string(), "Its group.instance.id; NULL for a dynamic member."),
        Column("to_client_id", pa.string(), "Its client.id; NULL where that isn't known."),
        Column("to_client_host", pa.string(), "Its host; NULL where that isn't known."),
        Column("to_from_at", TIMESTAMP, "Record by which it came to own it; NULL when it was lost."),
        Column(
            "pause_lower_ms",
            pa.int64(),
            "So long surely nobody read it: since all members had rejoined, or since the old owner had given it up. "
            "NULL when lost or taken up, or not known.",
        ),
        Column(
            "pause_ms",
            pa.int64(),
            "From when the old owner was told to give it up, or the rebalance began, to when the new one was given it. "
            "NULL when lost or taken up, and in a classic group without the coordinator's text log.",
        ),
        Column(
            "silence_upper_ms",
            pa.int32(),
            "Up to so much longer, since the old owner expired or may have: its session timeout. Else NULL, and where "
            "that is the broker's setting.",
        ),
        Column("from_log_offset", pa.int64(), "Its row in core.ownership: log_offset; NULL when it was taken up."),
        Column("to_log_offset", pa.int64(), "Its row in core.ownership: log_offset; NULL when it was lost."),
    ),
)

REBALANCES: Final = Table(
    "mart",
    "rebalances",
    "What each rebalance changed, how long it stopped the group, and what caused it.",
    ("cluster", "log_partition", "group_id", "log_offset"),
    (
        CLUSTER,
        GROUP_ID,
        GROUP_TYPE,
        LOG_PARTITION,
        _LOG_OFFSET,
        _LAST_LOG_OFFSET,
        Column(
            "started_at", TIMESTAMP, "When it began, by the coordinator's text log; else at the latest, by records."
        ),
        Column("started_source", pa.string(), "server.log or record: where started_at is from.", required=True),
        _JOINED_AT,
        _ENDED_AT,
        Column("duration_ms", pa.int64(), "ended_at minus started_at; NULL while it goes on."),
        _GENERATION_BEFORE,
        _GENERATION_AFTER,
        _GENERATIONS,
        _STATE_AFTER,
        _PROTOCOL,
        _MEMBERS_BEFORE,
        _MEMBERS_AFTER,
        Column("members_joined", _IDS, "Member ids that are new; NULL where it isn't known who was there before."),
        Column("members_left", _IDS, "Member ids that are gone, left or expired; NULL where that isn't known."),
        Column("members_replaced", _IDS, "Member ids of static instances that came back; NULL where that isn't known."),
        Column("partitions_moved", pa.int32(), "Partitions that went to another member; NULL where that isn't known."),
        Column("partitions_kept", pa.int32(), "Partitions that stayed with theirs; NULL where that isn't known."),
        Column("partitions_gained", pa.int32(), "Partitions that nobody owned before; NULL where that isn't known."),
        Column("partitions_lost", pa.int32(), "Partitions that nobody owns after; NULL where that isn't known."),
        Column(
            "stops_all",
            pa.bool_(),
            "Every member gave up everything while it lasted, as eager assignors ask (range, roundrobin, sticky); NULL "
            "for an assignor of somebody's own, and when nobody is left.",
        ),
        Column(
            "partitions_paused", pa.int32(), "Partitions that nobody read for a while; NULL where that isn't known."
        ),
        Column(
            "pause_ms",
            pa.int64(),
            "The longest time that a partition was not read for it, see mart.partition_moves; of one that stops all, "
            "from its beginning to its end. NULL where only the coordinator's text log could tell.",
        ),
        Column("pause_lower_ms", pa.int64(), "The same, as far as it is sure by records alone; NULL where that isn't."),
        Column("pause_total_ms", pa.int64(), "The pauses of all its partitions together; NULL where one isn't known."),
        Column(
            "trigger",
            pa.string(),
            "join, leave, expired, left or expired, members changed (several at once), subscription change, partitions "
            "added, static replacement, leader re-join, protocol change, coordinator failover, or unknown.",
            required=True,
        ),
        Column("trigger_source", pa.string(), "record or server.log: where that is from; NULL when unknown."),
        Column(
            "certainty",
            pa.string(),
            "proven: records say so, or bear out what a line says; likely: only a line says so, or records leave "
            "nothing else; NULL when unknown.",
        ),
        Column("reason", pa.string(), "The coordinator's and the client's own words; NULL without the text log."),
    ),
)

MARTS: Final = (MEMBER_CHANGES, PARTITION_MOVES, REBALANCES)
