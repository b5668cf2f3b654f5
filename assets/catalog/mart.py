"""The mart layer: the tables people ask, one question each.

Put columns here that answer; the evidence they rest on stays in `core` and is named by its log position.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from assets.catalog import rebalancing
from assets.catalog.claims import REPLAYS, SKIPS
from assets.catalog.contradictions import DIVERGED, PRODUCER_DUPLICATES
from assets.catalog.core import PARTITION, TOPIC
from assets.catalog.groups import GROUP_ID, OWNERSHIP
from assets.catalog.holes import SEEN
from assets.catalog.incidents import BASIS, FINDINGS, INCIDENTS, NOT_EXCLUDED
from assets.catalog.raw import CLUSTER, LOG_OFFSET, LOG_PARTITION, LOG_TOPIC, TOPIC_PARTITION
from assets.catalog.storms import CHURN, REBALANCE_STORMS
from assets.catalog.table import TIMESTAMP, Column, Table
from assets.catalog.upkeep import TABLES as UPKEEP
from assets.catalog.what_if import ASSIGNOR_WHAT_IF

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
        *SEEN,
        Column("effective_at", TIMESTAMP, "When the last one seen took effect."),
        Column("commit_at", TIMESTAMP, "Commit time that the record carries."),
        Column("leader_epoch", pa.int32(), "Leader epoch of the last consumed record; NULL when the client sent none."),
        Column("metadata", pa.string(), "Text that the client stored with the offset."),
        LOG_PARTITION,
        LOG_OFFSET,
    ),
)

OWNER_CONFLICTS: Final = Table(
    "mart",
    "owner_conflicts",
    "Owners in core.ownership who still own a partition when another already does: there are none.",
    OWNERSHIP.key,
    (
        *(column for column in OWNERSHIP.columns if column.name in {*OWNERSHIP.key, "until_log_offset"}),
        Column("next_log_offset", pa.int64(), "First record by which the next owner owns it.", required=True),
    ),
)

COMPLETENESS: Final = Table(
    "mart",
    "log_coverage",
    "Which offsets of each log were seen: whole, with holes, or never; or retired. What is gone answers nothing.",
    ("cluster", "topic", "partition", "from_offset"),
    (
        CLUSTER,
        LOG_TOPIC,
        TOPIC_PARTITION,
        Column("from_offset", pa.int64(), "First offset of the interval.", required=True),
        Column("to_offset", pa.int64(), "Offset after its last one.", required=True),
        Column(
            "status",
            pa.string(),
            "whole: every offset was seen; gaps: some were gone, by compaction or damage, each time the interval was "
            "read; never: no segment with it was read, or the cleaner had left nothing of it; retired: it was seen, of "
            "what was old only the newest of each key is kept.",
            required=True,
        ),
        Column("first_read_at", TIMESTAMP, "When a part of it was read first; NULL when never."),
        Column("last_read_at", TIMESTAMP, "When a part of it was read last; NULL when never."),
        Column("max_copies", pa.int64(), "The most reads that any part of it was seen in.", required=True),
        Column(
            "batches_read",
            pa.int64(),
            "Batches of the whole partition that were read, in all files and runs: the same in each of its intervals.",
        ),
        Column(
            "batches_set_aside",
            pa.int64(),
            "Batches of the whole partition that were set aside instead; NULL where no read counted them.",
        ),
    ),
)

TABLES: Final = (
    OFFSETS_NOW,
    *rebalancing.MARTS,
    REBALANCE_STORMS,
    CHURN,
    ASSIGNOR_WHAT_IF,
    REPLAYS,
    SKIPS,
    DIVERGED,
    PRODUCER_DUPLICATES,
    FINDINGS,
    INCIDENTS,
    NOT_EXCLUDED,
    OWNER_CONFLICTS,
    COMPLETENESS,
    BASIS,
    *UPKEEP,
)
