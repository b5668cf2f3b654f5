"""The tables of what nobody saw of the offsets topic's log, and what that leaves unknown.

Put columns here that say where and when records may be missing. What was read stands in `raw`.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from assets.catalog.core import COMMITS, PARTITION, TOPIC
from assets.catalog.groups import GROUP_ID
from assets.catalog.raw import CLUSTER, LOG_OFFSET, LOG_PARTITION
from assets.catalog.table import TIMESTAMP, Column, Table

HOLES: Final = Table(
    "core",
    "log_gaps",
    "Stretches of offsets of the offsets topic's log of which nothing is known: the cleaner took them before they were "
    "read, a segment is missing, or what stood there can't be read. A copy that has them fills the hole.",
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
            "no_producer (a transactional batch without a producer id), no_control_type, marker_outside_transaction, "
            "no_topic, no_partition, no_offset or no_member: what is missing.",
            required=True,
        ),
        Column("expected", pa.string(), "What a usable record has there.", required=True),
        Column("found", pa.string(), "What stands there.", required=True),
    ),
)

BEHIND_HOLES: Final = Table(
    "internal",
    "commits_after_gaps",
    "Commits and removals before which a hole in the log may hide others of the same key: those of core.commits whose "
    "is_previous_known is false.",
    ("cluster", "log_partition", "log_offset"),
    (
        CLUSTER,
        GROUP_ID,
        TOPIC,
        PARTITION,
        LOG_PARTITION,
        LOG_OFFSET,
        *(column for column in COMMITS.columns if column.name == "effective_at"),
    ),
)

IS_KNOWN: Final = Column(
    "is_known",
    pa.bool_(),
    "It is known what was committed, or that nothing was: no hole in the log (core.log_gaps) may hide a later commit.",
    required=True,
)

SEEN: Final = (
    Column("current_offset", pa.int64(), "Next offset the group will read; NULL when that is not known."),
    IS_KNOWN,
    Column("last_seen_offset", pa.int64(), "The last offset that was seen committed, whether it still stood or not."),
)
"""What is known of the offset of a key, as the macro state_at tells it."""

TABLES: Final = (HOLES, QUARANTINE, BEHIND_HOLES)
