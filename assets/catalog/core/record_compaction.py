"""What the log cleaner does with each record of the offsets topic.

Put columns here that follow from the cleaner's rules. What it could do to a partition now, as its files are, stands in
`mart.offsets_topic_compaction`.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from assets.catalog.columns import CLUSTER, LOG_OFFSET, LOG_PARTITION
from assets.catalog.table import TIMESTAMP, Column, Origin, Table

RETAINED: Final = ("current", "tombstone", "pending", "unknown", "marker", "spent_marker")

RECORD_COMPACTION: Final = Table(
    "core",
    "record_compaction",
    "One row per record of __consumer_offsets: whether the log cleaner keeps it, by all that was read, and since when "
    "nothing needs it any more.",
    ("cluster", "log_partition", "log_offset"),
    (
        CLUSTER,
        LOG_PARTITION,
        LOG_OFFSET,
        Column(
            "status",
            pa.string(),
            "How the record is.",
            values={
                "current": "the newest record of its key; the cleaner keeps it",
                "tombstone": "the newest record of its key, which removes the key; the cleaner keeps it until its "
                "delete horizon",
                "pending": "its transaction is open: the cleaner does not reach it",
                "unknown": "a gap may hide the marker of its transaction",
                "marker": "a COMMIT marker of which the cleaner still keeps a record; the cleaner keeps it",
                "spent_marker": "a marker of which no record is needed; the cleaner keeps it until its delete horizon",
                "superseded": "a later record of its key took effect; the cleaner drops it",
                "aborted": "its transaction was aborted; the cleaner drops it",
                "without_key": "it has no key; the cleaner drops it",
            },
            required=True,
        ),
        Column(
            "superseding_log_offset",
            pa.int64(),
            "Log offset of the record that superseded it where that is not obsolete_from_log_offset: one of the two "
            "belongs to a transaction.",
        ),
        Column(
            "obsolete_from_log_offset",
            pa.int64(),
            "Log offset from which on nothing needs it: of the superseding record, or of the marker by which that or "
            "the record itself took effect; of the ABORT marker; of what superseded the last record of a marker. NULL "
            "while it is needed.",
        ),
        Column(
            "obsolete_at",
            TIMESTAMP,
            "When the record at that log offset was appended; NULL while it is needed, or where that has no time.",
        ),
        Column(
            "delete_horizon_at",
            TIMESTAMP,
            "Until when the cleaner keeps a tombstone or a marker, as the batch says; NULL for other records, and "
            "where no pass of the cleaner had set it when the record was read.",
        ),
        Column(
            "leaves_empty_batch",
            pa.bool_(),
            "The batch is the last one of its producer, and nothing needs a record of it: the cleaner keeps it empty. "
            "Only the last record of the batch says so.",
            required=True,
        ),
        Column(
            "superseded_by_log_offset",
            pa.int64(),
            "Log offset of the record of its key that superseded it; NULL unless its status is superseded.",
            derived="if(status = 'superseded', coalesce(superseding_log_offset, obsolete_from_log_offset), NULL)",
        ),
        Column(
            "is_retained",
            pa.bool_(),
            "The cleaner keeps it, a tombstone or a spent marker until its delete horizon.",
            derived=f"status IN {RETAINED}",
        ),
    ),
    ascending=frozenset({"log_offset", "obsolete_from_log_offset", "obsolete_at"}),
    sought=frozenset({"status"}),
    origin=Origin.RECONSTRUCTION,
)

TABLES: Final = (RECORD_COMPACTION,)
