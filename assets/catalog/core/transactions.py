"""Transactions that committed offsets, with how each ended.

Put columns here that hold of one transaction. Those that are open stand in a mart of their own.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from assets.catalog.columns import CLUSTER, LOG_PARTITION
from assets.catalog.table import TIMESTAMP, Column, Interval, Origin, Table

TRANSACTIONS: Final = Table(
    "core",
    "transactions",
    "Transactions that committed offsets, as far as one partition of the offsets topic shows them.",
    ("cluster", "log_partition", "producer_id", "log_offset"),
    (
        CLUSTER,
        LOG_PARTITION,
        Column("producer_id", pa.int64(), "Producer of the transaction.", required=True),
        Column("producer_epoch", pa.int16(), "Epoch of its records, else of its marker; NULL when not recorded."),
        Column(
            "log_offset",
            pa.int64(),
            "Log offset of its first record that was read, of its marker without one.",
            required=True,
        ),
        Column("last_log_offset", pa.int64(), "Log offset of its last record that was seen; NULL when none was."),
        Column("marker_log_offset", pa.int64(), "Log offset of the marker that ended it; NULL while it is open."),
        Column(
            "outcome",
            pa.string(),
            "How it ended.",
            values={
                "committed": "by a COMMIT marker",
                "aborted": "by an ABORT marker",
                "open": "no marker was seen",
                "unknown": "its own marker may be lost in a gap of the log",
            },
            required=True,
        ),
        Column("record_count", pa.int64(), "Commits in it that were seen.", required=True),
        Column("groups", pa.list_(pa.string()), "Groups of these commits.", required=True),
        Column("started_at", TIMESTAMP, "When its first record that was seen was appended; NULL when none was."),
        Column("ended_at", TIMESTAMP, "When its marker was appended; NULL while it is open."),
        Column(
            "age_ms",
            pa.int64(),
            "Milliseconds from its beginning to its end; while it is open, to the newest record of its log partition.",
            minimum=0,
            is_promised=False,
        ),
        Column(
            "is_gap_free",
            pa.bool_(),
            "All of it was read: no gap in the log since the producer's marker before it.",
            required=True,
        ),
    ),
    origin=Origin.RECONSTRUCTION,
    intervals=(Interval("log_offset", "last_log_offset", can_be_empty=True),),
)

TABLES: Final = (TRANSACTIONS,)
