"""What the offsets topic costs: open transactions, who writes how much, and whether the cleaner keeps up.

Put columns here that hold of the topic or its partitions. What groups committed stands in `offsets`.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from assets.catalog.columns import CLUSTER, LOG_PARTITION
from assets.catalog.table import TIMESTAMP, Column, Interval, Table

_PENDING: Final = pa.struct(
    [
        ("group_id", pa.string()),
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("pending_offset", pa.int64()),
        ("current_offset", pa.int64()),
    ]
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
        Column(
            "records",
            pa.int64(),
            "Records of it that were seen; NULL where headers don't say.",
            minimum=1,
            is_promised=False,
        ),
        Column("started_at", TIMESTAMP, "Time of its first record; NULL when not recorded."),
        Column(
            "age_ms",
            pa.int64(),
            "Milliseconds from then to the newest record of the partition; NULL if unknown.",
            minimum=0,
        ),
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
        Column(
            "blocked_offsets",
            pa.int64(),
            "Offsets from there on; NULL for one that is not the first there.",
            minimum=1,
            is_promised=False,
        ),
        Column(
            "is_gap_free",
            pa.bool_(),
            "Nothing unseen lies behind its beginning. If not, its marker may.",
            required=True,
        ),
    ),
    intervals=(Interval("first_offset", "last_offset", can_be_empty=True),),
)

OFFSETS_TOPIC_USAGE: Final = Table(
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
            "What the records are.",
            values={
                "offset_commit": "commits of offsets",
                "offset_removal": "removals of offsets",
                "group": "records about groups",
                "member": "records about members",
                "target_assignment": "what members are to own",
                "current_assignment": "what members own",
                "topics": "what regular expressions matched",
                "transaction_marker": "COMMIT and ABORT",
                "unreadable": "keys that can't be read",
            },
            required=True,
        ),
        Column("records", pa.int64(), "Records.", required=True, minimum=1),
        Column("bytes", pa.int64(), "Bytes of their keys and values.", required=True, minimum=0),
        Column(
            "disk_bytes",
            pa.int64(),
            "Estimate of their bytes in segments: with their share of headers, as compressed; NULL without segments.",
            minimum=0,
        ),
        Column("no_op_commits", pa.int64(), "Commits that changed nothing; NULL for other kinds."),
        Column(
            "superseded_records",
            pa.int64(),
            "Records that a later one of the same key replaced: the cleaner took them or will; NULL for markers and "
            "unreadable keys.",
            minimum=0,
        ),
        Column("superseded_bytes", pa.int64(), "Bytes of their keys and values; NULL as for superseded_records."),
        Column("first_at", TIMESTAMP, "Time of the first of them; NULL when not recorded."),
        Column("last_at", TIMESTAMP, "Time of the last of them; NULL when not recorded."),
    ),
    intervals=(Interval("first_at", "last_at", can_be_empty=True),),
)

OFFSETS_TOPIC_COMPACTION: Final = Table(
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
            "Whether the cleaner does its work.",
            values={
                "nothing_to_clean": "nothing could be taken out",
                "keeps_up": "less than half could be",
                "due": "more than half could be",
                "stuck": "and the oldest has waited for a day",
            },
            required=True,
        ),
        Column("live_keys", pa.int64(), "Keys that have a value.", required=True),
        Column("dead_keys", pa.int64(), "Keys whose last record removes them.", required=True),
        Column(
            "overdue_tombstones",
            pa.int64(),
            "Such removals that the cleaner may drop by now.",
            required=True,
            minimum=0,
        ),
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
        Column(
            "removable_records", pa.int64(), "Of these, what it would take out in one pass.", required=True, minimum=0
        ),
        Column("removable_bytes", pa.int64(), "Estimate of their bytes, by their share.", required=True),
        Column(
            "removable_share",
            pa.float64(),
            "Their share, 0 to 1; NULL where nothing can be cleaned.",
            minimum=0,
            maximum=1,
        ),
        Column("waiting_from", pa.int64(), "Offset of the oldest one surely still there; NULL when there is none."),
        Column("waiting_since", TIMESTAMP, "When that one was appended; NULL when there is none."),
    ),
)

TABLES: Final = (OPEN_TRANSACTIONS, OFFSETS_TOPIC_USAGE, OFFSETS_TOPIC_COMPACTION)
