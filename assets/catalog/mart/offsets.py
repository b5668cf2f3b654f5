"""What groups have committed by now: how they commit, when it expires, and what nobody moves on.

Put columns here that hold of a committed offset. How far behind it is stands in `lag`.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from assets.catalog.columns import CLUSTER, COMMIT_RECORD, GROUP_ID, LOG_OFFSET, LOG_PARTITION, PARTITION, TOPIC
from assets.catalog.table import TIMESTAMP, Column, Interval, Table

_PLACE: Final = ("cluster", "group_id", "topic", "partition")

_CURRENT: Final = Column(
    "current_offset", pa.int64(), "Next offset the group will read.", required=True, minimum=0, is_promised=False
)

_COMMIT_AT: Final = Column("commit_at", TIMESTAMP, "Commit time that its record carries.")

_GROUP_TYPE: Final = Column(
    "group_type",
    pa.string(),
    "Kind of group then.",
    values={
        "classic": "the protocol of JoinGroup and SyncGroup",
        "consumer": "KIP-848",
        "share": "KIP-932",
        "streams": "KIP-1071",
        "simple": "no coordinator ever wrote of the group",
    },
    required=True,
)

_GROUP_STATE: Final = Column(
    "group_state",
    pa.string(),
    "Empty, Stable, Assigning, Reconciling or Dead, at the end of what was read; NULL where it can't be known.",
)

OFFSETS_NOW: Final = Table(
    "mart",
    "offsets_now",
    "The offset store as the last record read left it: what a broker would answer to OffsetFetch.",
    ("cluster", "group_id", "topic", "partition"),
    (
        CLUSTER,
        GROUP_ID,
        TOPIC,
        PARTITION,
        *COMMIT_RECORD,
        Column("effective_at", TIMESTAMP, "When the last one seen took effect."),
        Column("commit_at", TIMESTAMP, "Commit time that the record carries."),
        Column("leader_epoch", pa.int32(), "Leader epoch of the last consumed record; NULL when the client sent none."),
        Column("metadata", pa.string(), "Text that the client stored with the offset."),
        LOG_PARTITION,
        LOG_OFFSET,
    ),
)

COMMIT_CADENCE: Final = Table(
    "mart",
    "commit_cadence",
    "How a group commits a partition, by the last 256 commits or so: the pattern, the numbers behind it, and what a "
    "crash puts at risk.",
    _PLACE,
    (
        CLUSTER,
        GROUP_ID,
        TOPIC,
        PARTITION,
        Column(
            "pattern",
            pa.string(),
            "What the commits look like.",
            values={
                "auto_commit": "by a timer",
                "per_batch": "after each batch of records",
                "per_record": "after each record",
                "asynchronous": "several in one batch: nobody waited for an answer",
                "idle": "they change nothing",
                "transactional": "through transactions",
                "unknown": "too few commits to tell",
            },
            required=True,
        ),
        Column("commits", pa.int64(), "Commits of the partition that were ever seen.", required=True, minimum=1),
        Column("intervals", pa.int64(), "Times from one commit to the next that were looked at.", required=True),
        Column("interval_p50_ms", pa.int64(), "Half of these times are no longer, in milliseconds.", minimum=0),
        Column("interval_p95_ms", pa.int64(), "All but one in twenty are no longer, in milliseconds."),
        Column("interval_max_ms", pa.int64(), "The longest of them, in milliseconds; nobody may have been there then."),
        Column("offsets_p50", pa.int64(), "Offsets by which a commit went forward: half went no further.", minimum=1),
        Column("offsets_p95", pa.int64(), "The same: all but one in twenty went no further."),
        Column(
            "no_op_share",
            pa.float64(),
            "Share of commits, 0 to 1, that changed nothing; NULL without any.",
            minimum=0,
            maximum=1,
        ),
        Column(
            "transactional_share",
            pa.float64(),
            "Share of commits, 0 to 1, through transactions; NULL if unknown.",
            minimum=0,
            maximum=1,
        ),
        Column(
            "at_once_share",
            pa.float64(),
            "Share of commits, 0 to 1, in one batch with the one before: nobody waited for an answer; NULL if unknown.",
            minimum=0,
            maximum=1,
        ),
        Column("auto_commit_ms", pa.int64(), "Estimate of auto.commit.interval.ms; NULL where commits keep no time."),
        Column(
            "at_risk_ms",
            pa.int64(),
            "Milliseconds of work that a crash leaves uncommitted, one in twenty times more; NULL where unknown.",
        ),
        Column("at_risk_offsets", pa.int64(), "The same in offsets, of this partition; NULL where unknown."),
        Column("last_commit_at", TIMESTAMP, "When the last commit took effect."),
    ),
    intervals=(
        Interval("interval_p50_ms", "interval_p95_ms", can_be_empty=True),
        Interval("interval_p95_ms", "interval_max_ms", can_be_empty=True),
        Interval("offsets_p50", "offsets_p95", can_be_empty=True),
    ),
)

EXPIRY_FORECAST: Final = Table(
    "mart",
    "expiry_forecast",
    "When each committed offset expires by the brokers' configuration, or after a week without one, and what a "
    "restart costs then; for another retention ask the macro of this name.",
    _PLACE,
    (
        CLUSTER,
        GROUP_ID,
        TOPIC,
        PARTITION,
        _CURRENT,
        _GROUP_TYPE,
        _GROUP_STATE,
        Column("is_subscribed", pa.bool_(), "Some member subscribes to the topic; NULL where that can't be read."),
        _COMMIT_AT,
        Column(
            "expiry_basis",
            pa.string(),
            "What decides when it expires, or why it does not.",
            values={
                "explicit": "the commit says when",
                "since_empty": "since when a classic group has no members",
                "since_commit": "when it was committed",
                "subscribed": "it does not: a member subscribes to the topic",
                "other_protocol": "it does not: the group is not of consumers, and has members",
                "pending_transaction": "it does not: a transaction is open",
                "unknown": "it is not known",
            },
            required=True,
        ),
        Column(
            "retention_started_at", TIMESTAMP, "When retention began to count; NULL where it does not, or is explicit."
        ),
        Column("expires_at", TIMESTAMP, "When it expires, give or take the broker's check; NULL if not, or unknown."),
        Column(
            "is_overdue",
            pa.bool_(),
            "That time was over when reading stopped, so retention is longer than assumed; NULL without a time.",
        ),
        Column(
            "earliest_offsets",
            pa.int64(),
            "Offsets read again by a restart at the earliest; NULL if unknown.",
            minimum=0,
        ),
        Column("earliest_records", pa.int64(), "The same in records; NULL without data segments."),
        Column("latest_offsets", pa.int64(), "Offsets skipped by a restart at the latest; NULL if unknown.", minimum=0),
        Column("latest_records", pa.int64(), "The same in records; NULL without data segments."),
        Column(
            "offsets_retention_minutes",
            pa.int64(),
            "The offsets.retention.minutes that it was worked out with.",
            required=True,
        ),
        Column(
            "offsets_retention_origin",
            pa.string(),
            "Who says so: broker, for its configuration; default, for Kafka's where none was found; argument, for the "
            "macro's.",
            required=True,
        ),
        LOG_PARTITION,
        LOG_OFFSET,
    ),
)

STALE_OFFSETS: Final = Table(
    "mart",
    "stale_offsets",
    "Committed offsets that nobody moves on: of topics that are gone or not subscribed any more, or of groups without "
    "members.",
    _PLACE,
    (
        CLUSTER,
        GROUP_ID,
        TOPIC,
        PARTITION,
        Column(
            "cause",
            pa.string(),
            "Why nobody moves it on: the first that holds.",
            values={
                "topic_recreated": "the commit names the id of an earlier topic of the name",
                "topic_deleted": "its topic is gone",
                "group_removed": "its group is gone",
                "no_members": "the group has none",
                "not_subscribed": "no member subscribes to the topic",
            },
            required=True,
        ),
        Column("since", TIMESTAMP, "Since when; NULL where no record tells."),
        _GROUP_TYPE,
        _GROUP_STATE,
        _CURRENT,
        _COMMIT_AT,
        Column("lag", pa.int64(), "Offsets it lags behind; NULL when unknown, and when its topic is gone.", minimum=0),
        Column("lag_lower", pa.int64(), "At least so many, where only bounds are known too; NULL as for lag."),
        Column("lost_offsets", pa.int64(), "Offsets below the log start it had not read; NULL as for lag.", minimum=0),
        Column("expires_at", TIMESTAMP, "When it expires, see mart.expiry_forecast; NULL if not, or unknown."),
        LOG_PARTITION,
        LOG_OFFSET,
    ),
)

TABLES: Final = (OFFSETS_NOW, COMMIT_CADENCE, EXPIRY_FORECAST, STALE_OFFSETS)
