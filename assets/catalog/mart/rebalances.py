"""What each rebalance did: whom it moved, how long it stopped a group, and what caused it.

Put columns here that say what changed in a group. Which records are one rebalance stands in
`assets.catalog.internal.rebalance_spans`.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from assets.catalog.columns import CLUSTER, GROUP_ID, GROUP_TYPE, LOG_PARTITION
from assets.catalog.internal.rebalance_spans import (
    ENDED_AT,
    FIRST_LOG_OFFSET,
    GENERATION_AFTER,
    GENERATION_BEFORE,
    GENERATIONS,
    JOINED_AT,
    LAST_LOG_OFFSET,
    MEMBERS_AFTER,
    MEMBERS_BEFORE,
    PROTOCOL,
    STATE_AFTER,
)
from assets.catalog.table import TIMESTAMP, Column, Table

_REBALANCE: Final = Column(
    "rebalance_log_offset", pa.int64(), "The rebalance it belongs to: log_offset in mart.rebalances.", required=True
)

_IDS: Final = pa.list_(pa.string())

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
            "What changed.",
            values={
                "joined": "a new member",
                "left": "it left, as a text log says",
                "expired": "it expired, as a text log says",
                "left_or_expired": "records can't tell one from the other",
                "replaced": "its static instance came back as this member",
                "resubscribed": "it subscribed otherwise",
            },
            required=True,
        ),
        Column("replaced_member_id", pa.string(), "Whom it replaced; NULL for any other change."),
        Column("group_instance_id", pa.string(), "group.instance.id of a static member; NULL for a dynamic one."),
        Column("client_id", pa.string(), "Its client.id; NULL where the record was not seen."),
        Column("client_host", pa.string(), "Where it connects from; NULL where the record was not seen."),
        Column("session_timeout_ms", pa.int32(), "Silence after which it is expelled, of one that is gone; else NULL."),
        Column("occurred_at", TIMESTAMP, "When that record was appended."),
        Column("logged_at", TIMESTAMP, "When the coordinator's text log said so; NULL when it did not."),
        Column(
            "source",
            pa.string(),
            "What says how it came about.",
            values={
                "record": "records",
                "text_log": "only a line of the coordinator's text log",
            },
            required=True,
        ),
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
        Column("partition", pa.int32(), "Partition of it.", required=True, minimum=0, is_promised=False),
        Column(
            "kind",
            pa.string(),
            "What became of it.",
            values={
                "moved": "to another member",
                "kept": "given back to the same member or static instance",
                "lost": "nobody owns it after",
                "gained": "nobody was known to own it before",
            },
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
            minimum=0,
        ),
        Column(
            "pause_ms",
            pa.int64(),
            "From when the old owner was told to give it up, or the rebalance began, to when the new one was given it. "
            "NULL when lost or taken up, and in a classic group without the coordinator's text log.",
            minimum=0,
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
        FIRST_LOG_OFFSET,
        LAST_LOG_OFFSET,
        Column(
            "started_at", TIMESTAMP, "When it began, by the coordinator's text log; else at the latest, by records."
        ),
        Column(
            "started_source",
            pa.string(),
            "Where started_at is from.",
            values={
                "record": "records",
                "text_log": "the coordinator's text log",
            },
            required=True,
        ),
        JOINED_AT,
        ENDED_AT,
        Column("duration_ms", pa.int64(), "ended_at minus started_at; NULL while it goes on."),
        GENERATION_BEFORE,
        GENERATION_AFTER,
        GENERATIONS,
        STATE_AFTER,
        PROTOCOL,
        MEMBERS_BEFORE,
        MEMBERS_AFTER,
        Column("members_joined", _IDS, "Member ids that are new; NULL where it isn't known who was there before."),
        Column("members_left", _IDS, "Member ids that are gone, left or expired; NULL where that isn't known."),
        Column("members_replaced", _IDS, "Member ids of static instances that came back; NULL where that isn't known."),
        Column(
            "partitions_moved",
            pa.int32(),
            "Partitions that went to another member; NULL where that isn't known.",
            minimum=0,
        ),
        Column(
            "partitions_kept", pa.int32(), "Partitions that stayed with theirs; NULL where that isn't known.", minimum=0
        ),
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
            minimum=0,
        ),
        Column(
            "pause_lower_ms",
            pa.int64(),
            "The same, as far as it is sure by records alone; NULL where that isn't.",
            minimum=0,
        ),
        Column(
            "pause_total_ms",
            pa.int64(),
            "The pauses of all its partitions together; NULL where one isn't known.",
            minimum=0,
        ),
        Column(
            "trigger",
            pa.string(),
            "What caused it.",
            values={
                "join": "a member joined",
                "leave": "a member left",
                "expired": "a member expired",
                "left_or_expired": "records can't tell one from the other",
                "members_changed": "several changes at once",
                "subscription_change": "a member subscribed otherwise",
                "partitions_added": "a topic was given partitions",
                "static_replacement": "a static instance came back as another member",
                "leader_rejoin": "the leader joined again",
                "protocol_change": "the group took another assignor",
                "coordinator_failover": "another broker became the coordinator",
                "unknown": "records and lines don't tell",
            },
            required=True,
        ),
        Column("trigger_source", pa.string(), "record or text_log: where that is from; NULL when unknown."),
        Column(
            "certainty",
            pa.string(),
            "How sure the cause is; NULL when unknown.",
            values={
                "proven": "records say so, or bear out what a line says",
                "likely": "only a line says so, or records leave nothing else",
            },
        ),
        Column("reason", pa.string(), "The coordinator's and the client's own words; NULL without the text log."),
    ),
)

TABLES: Final = (MEMBER_CHANGES, PARTITION_MOVES, REBALANCES)
