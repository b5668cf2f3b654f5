"""Which parts of the offsets topic's log nobody saw, and which records were of no use.

Put columns here that say where records may be missing. What was read stands in the raw layer.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from assets.catalog.columns import CLUSTER, LOG_OFFSET, LOG_PARTITION
from assets.catalog.table import TIMESTAMP, Column, Interval, Origin, Table

LOG_GAPS: Final = Table(
    "core",
    "log_gaps",
    "Stretches of offsets of the offsets topic's log of which nothing is known: the cleaner took them before they were "
    "read, a segment is missing, or what stood there can't be read. A copy that has them fills the hole. Of a store "
    "outside Kafka: the position before a commit that may not be the next of its key, for commits may be missing.",
    ("cluster", "log_partition", "from_log_offset"),
    (
        CLUSTER,
        LOG_PARTITION,
        Column("from_log_offset", pa.int64(), "First offset of the hole.", required=True),
        Column("to_log_offset", pa.int64(), "Offset after its last one.", required=True),
        Column(
            "from_at",
            TIMESTAMP,
            "When the record before it was appended: what stood in it is not older. NULL where there is none before "
            "it, or it has no time.",
        ),
        Column("to_at", TIMESTAMP, "When the record behind it was appended; of a record that can't be read its own."),
        Column(
            "is_damage",
            pa.bool_(),
            "Something there was set aside, as unreadable (raw.quarantine) or as of no use (core.quarantine). Else the "
            "cleaner is taken to have made it, which leaves of every key the newest record.",
            required=True,
        ),
    ),
    origin=Origin.RECONSTRUCTION,
    intervals=(Interval("from_log_offset", "to_log_offset"),),
)

QUARANTINE: Final = Table(
    "core",
    "quarantine",
    "Records of raw.offset_records that could be read, and that break what the reconstruction assumes of every record: "
    "each is a hole of its own in the log (core.log_gaps), and the record itself stays in raw.offset_records.",
    ("cluster", "log_partition", "log_offset"),
    (
        CLUSTER,
        LOG_PARTITION,
        LOG_OFFSET,
        Column("appended_at", TIMESTAMP, "When the record was appended; NULL where it has no time."),
        Column("record_type", pa.int16(), "Record type id in the key; NULL for a control record."),
        Column("group_id", pa.string(), "Group that the key names; NULL for a control record."),
        Column(
            "reason",
            pa.string(),
            "What is missing.",
            values={
                "no_producer": "the producer id of a transactional batch",
                "no_control_type": "the type of a control record",
                "marker_outside_transaction": "a transaction around a marker",
                "no_topic": "the topic of a commit",
                "no_partition": "the partition of a commit",
                "no_offset": "the offset of a commit",
                "no_member": "the member of a record about one",
            },
            required=True,
        ),
        Column("expected", pa.string(), "What a usable record has there.", required=True),
        Column("found", pa.string(), "What stands there.", required=True),
    ),
    origin=Origin.RECONSTRUCTION,
    is_key_checked=False,
)

TABLES: Final = (LOG_GAPS, QUARANTINE)
