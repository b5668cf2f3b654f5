"""The marts of upkeep: how groups commit, what expires or is left behind, and what the offsets topic costs.

Put columns here of what somebody should put in order before it becomes an incident. What went wrong already stands in
`claims`; `mart` lists these tables too.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from assets.catalog.core import PARTITION, TOPIC
from assets.catalog.groups import GROUP_ID
from assets.catalog.raw import CLUSTER, LOG_OFFSET, LOG_PARTITION
from assets.catalog.table import TIMESTAMP, Column, Table

_PLACE: Final = ("cluster", "group_id", "topic", "partition")
_CURRENT: Final = Column("current_offset", pa.int64(), "Next offset the group will read.", required=True)
_COMMIT_AT: Final = Column("commit_at", TIMESTAMP, "Commit time that its record carries.")
_GROUP_TYPE: Final = Column(
    "group_type",
    pa.string(),
    "classic, consumer (KIP-848), share or streams; simple where no coordinator ever wrote of the group.",
    required=True,
)
_GROUP_STATE: Final = Column(
    "group_state",
    pa.string(),
    "Empty, Stable, Assigning, Reconciling or Dead, at the end of what was read; NULL where it can't be known.",
)
_PENDING: Final = pa.struct(
    [
        ("group_id", pa.string()),
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("pending_offset", pa.int64()),
        ("current_offset", pa.int64()),
    ]
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
            "auto-commit (by a timer), per batch, per record, asynchronous, idle, transactional or unknown.",
            required=True,
        ),
        Column("commits", pa.int64(), "Commits of the partition that were ever seen.", required=True),
        Column("intervals", pa.int64(), "Times from one commit to the next that were looked at.", required=True),
        Column("interval_p50_ms", pa.int64(), "Half of these times are no longer, in milliseconds."),
        Column("interval_p95_ms", pa.int64(), "All but one in twenty are no longer, in milliseconds."),
        Column("interval_max_ms", pa.int64(), "The longest of them, in milliseconds; nobody may have been there then."),
        Column("offsets_p50", pa.int64(), "Offsets by which a commit went forward: half went no further."),
        Column("offsets_p95", pa.int64(), "The same: all but one in twenty went no further."),
        Column("no_op_share", pa.float64(), "Share of commits, 0 to 1, that changed nothing; NULL without any."),
        Column("transactional_share", pa.float64(), "Share of commits, 0 to 1, through transactions; NULL if unknown."),
        Column(
            "at_once_share",
            pa.float64(),
            "Share of commits, 0 to 1, in one batch with the one before: nobody waited for an answer; NULL if unknown.",
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
)

EXPIRY_FORECAST: Final = Table(
    "mart",
    "expiry_forecast",
    "When each committed offset expires by the brokers' configuration, or a week where none was found, and what a "
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
            "explicit (the commit says when), empty since (a classic group without members), commit time, or why it "
            "does not expire: subscribed, other protocol (not of consumers, and it has members), pending transaction; "
            "or unknown.",
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
        Column("earliest_offsets", pa.int64(), "Offsets read again by a restart at the earliest; NULL if unknown."),
        Column("earliest_records", pa.int64(), "The same in records; NULL without data segments."),
        Column("latest_offsets", pa.int64(), "Offsets skipped by a restart at the latest; NULL if unknown."),
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

ABANDONED: Final = Table(
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
            "topic recreated (the commit names the id of an earlier one), topic deleted, group removed, no members, or "
            "not subscribed: the first that holds.",
            required=True,
        ),
        Column("since", TIMESTAMP, "Since when; NULL where no record tells."),
        _GROUP_TYPE,
        _GROUP_STATE,
        _CURRENT,
        _COMMIT_AT,
        Column("lag", pa.int64(), "Offsets it lags behind; NULL when unknown, and when its topic is gone."),
        Column("lag_lower", pa.int64(), "At least so many, where only bounds are known too; NULL as for lag."),
        Column("lost_offsets", pa.int64(), "Offsets below the log start it had not read; NULL as for lag."),
        Column("expires_at", TIMESTAMP, "When it expires, see mart.expiry_forecast; NULL if not, or unknown."),
        LOG_PARTITION,
        LOG_OFFSET,
    ),
)

OPEN_TRANSACTIONS: Final = Table(
    "mart",
    "open_transactions",
    "Transactions that no marker had ended when reading stopped, in the offsets topic and in data topics, and what "
    "they block.",
    ("cluster", "topic", "partition", "producer_id", "first_offset"),
    (
        CLUSTER,
        Column("topic", pa.string(), "__consumer_offsets, or the data topic it writes to.", required=True),
        Column("partition", pa.int32(), "Partition of that topic.", required=True),
        Column("producer_id", pa.int64(), "Producer of the transaction.", required=True),
        Column("producer_epoch", pa.int16(), "Epoch of its records; NULL when not recorded."),
        Column("first_offset", pa.int64(), "First offset of it that was seen.", required=True),
        Column("last_offset", pa.int64(), "Last offset of it that was seen."),
        Column("records", pa.int64(), "Records of it that were seen; NULL where headers don't say."),
        Column("started_at", TIMESTAMP, "Time of its first record; NULL when not recorded."),
        Column("age_ms", pa.int64(), "Milliseconds from then to the newest record of the partition; NULL if unknown."),
        Column("groups", pa.list_(pa.string()), "Groups whose offsets it is to commit; NULL in data topics."),
        Column(
            "pending_commits",
            pa.list_(_PENDING),
            "Offsets that become committed if it does, beside what is; NULL without.",
        ),
        Column(
            "last_stable_offset",
            pa.int64(),
            "First offset of any open transaction there: readers of committed data, and the cleaner, stop at it.",
            required=True,
        ),
        Column("log_end_offset", pa.int64(), "End of what was read of the partition; NULL when unknown."),
        Column("blocked_offsets", pa.int64(), "Offsets from there on; NULL for one that is not the first there."),
        Column(
            "is_gap_free",
            pa.bool_(),
            "Nothing unseen lies behind its beginning. If not, its marker may.",
            required=True,
        ),
    ),
)

OFFSETS_TOPIC_BILL: Final = Table(
    "mart",
    "offsets_topic_usage",
    "Who wrote how much to the offsets topic: every record that was ever seen, by group, client and kind.",
    ("cluster", "log_partition", "group_id", "client_id", "kind"),
    (
        CLUSTER,
        LOG_PARTITION,
        Column("group_id", pa.string(), "Group in the key; NULL for markers and keys that can't be read."),
        Column(
            "client_id",
            pa.string(),
            "The member's client.id; of commits that of who stood behind them, see core.commits. NULL where unknown, "
            "and of what the coordinator writes.",
        ),
        Column(
            "kind",
            pa.string(),
            "offset commit, offset removal, group, member, target assignment, current assignment, topics, transaction "
            "marker or unreadable.",
            required=True,
        ),
        Column("records", pa.int64(), "Records.", required=True),
        Column("bytes", pa.int64(), "Bytes of their keys and values.", required=True),
        Column(
            "disk_bytes",
            pa.int64(),
            "Estimate of their bytes in segments: with their share of headers, as compressed; NULL without segments.",
        ),
        Column("no_op_commits", pa.int64(), "Commits that changed nothing; NULL for other kinds."),
        Column(
            "superseded_records",
            pa.int64(),
            "Records that a later one of the same key replaced: the cleaner took them or will; NULL for markers and "
            "unreadable keys.",
        ),
        Column("superseded_bytes", pa.int64(), "Bytes of their keys and values; NULL as for superseded_records."),
        Column("first_at", TIMESTAMP, "Time of the first of them; NULL when not recorded."),
        Column("last_at", TIMESTAMP, "Time of the last of them; NULL when not recorded."),
    ),
)

OFFSETS_TOPIC_CLEANING: Final = Table(
    "mart",
    "offsets_topic_compaction",
    "What the cleaner could take out of each partition of the offsets topic, as its files were read last, and whether "
    "it does.",
    ("cluster", "log_partition"),
    (
        CLUSTER,
        LOG_PARTITION,
        Column(
            "verdict",
            pa.string(),
            "nothing to clean, keeps up, due (more than half could go), or stuck (and the oldest waited for a day).",
            required=True,
        ),
        Column("live_keys", pa.int64(), "Keys that have a value.", required=True),
        Column("dead_keys", pa.int64(), "Keys whose last record removes them.", required=True),
        Column("overdue_tombstones", pa.int64(), "Such removals that the cleaner may drop by now.", required=True),
        Column("disk_records", pa.int64(), "Records in the files, of the copy that reaches furthest.", required=True),
        Column("disk_bytes", pa.int64(), "Bytes of these files.", required=True),
        Column("log_end_offset", pa.int64(), "End of what was read.", required=True),
        Column("first_dirty_offset", pa.int64(), "Offset up to which the cleaner says it came; NULL if not recorded."),
        Column(
            "cleanable_to",
            pa.int64(),
            "Offset up to which it may come: the active segment, or the one with the first open transaction.",
            required=True,
        ),
        Column("is_held_by_transaction", pa.bool_(), "It is an open transaction that it may not pass.", required=True),
        Column("cleanable_records", pa.int64(), "Records in the files up to there.", required=True),
        Column("cleanable_bytes", pa.int64(), "Bytes up to there.", required=True),
        Column("removable_records", pa.int64(), "Of these, what it would take out in one pass.", required=True),
        Column("removable_bytes", pa.int64(), "Estimate of their bytes, by their share.", required=True),
        Column("removable_share", pa.float64(), "Their share, 0 to 1; NULL where nothing can be cleaned."),
        Column("waiting_from", pa.int64(), "Offset of the oldest one surely still there; NULL when there is none."),
        Column("waiting_since", TIMESTAMP, "When that one was appended; NULL when there is none."),
    ),
)

TABLES: Final = (
    COMMIT_CADENCE,
    OPEN_TRANSACTIONS,
    EXPIRY_FORECAST,
    ABANDONED,
    OFFSETS_TOPIC_BILL,
    OFFSETS_TOPIC_CLEANING,
)
