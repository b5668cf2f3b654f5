"""The mart layer: the tables people ask, one question each.

Put columns here that answer; the evidence they rest on stays in `core` and is named by its log position.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from assets.tables.core import PARTITION, TOPIC
from assets.tables.groups import GROUP_ID, OWNERSHIP
from assets.tables.raw import CLUSTER, LOG_OFFSET, LOG_PARTITION, LOG_TOPIC, TOPIC_PARTITION
from assets.tables.table import TIMESTAMP, Column, Table

_OWNER: Final = (
    Column("member_id", pa.string(), "Member that owns the partition; NULL when nobody does or it can't be known."),
    Column("host", pa.string(), "Where that member connects from; NULL when nobody owns the partition."),
    Column("client_id", pa.string(), "client.id of that member; NULL when nobody owns the partition."),
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
        Column("current_offset", pa.int64(), "Next offset the group will read.", required=True),
        Column("effective_at", TIMESTAMP, "When that commit took effect."),
        Column("commit_at", TIMESTAMP, "Commit time that the record carries."),
        Column("leader_epoch", pa.int32(), "Leader epoch of the last consumed record; NULL when the client sent none."),
        Column("metadata", pa.string(), "Text that the client stored with the offset."),
        LOG_PARTITION,
        LOG_OFFSET,
    ),
)

LAG_NOW: Final = Table(
    "mart",
    "lag_now",
    "Lag and owner of every partition that a group had committed or owned at the end of what was read.",
    ("cluster", "group_id", "topic", "partition"),
    (
        CLUSTER,
        GROUP_ID,
        TOPIC,
        PARTITION,
        Column("current_offset", pa.int64(), "Next offset the group will read; NULL when it owns but never committed."),
        Column("log_start_offset", pa.int64(), "First offset that can still be read; NULL when unknown."),
        Column("log_end_offset", pa.int64(), "Offset the next record would get; NULL when no data segment was read."),
        Column(
            "lag",
            pa.int64(),
            "Offsets still to be read, counted from the log start at the earliest; NULL when unknown.",
        ),
        Column("lost", pa.int64(), "Offsets below the log start that the group had not read; NULL when unknown."),
        *_OWNER,
    ),
)

REBALANCES: Final = Table(
    "mart",
    "rebalances",
    "What changed from each written generation of a group to the next.",
    ("cluster", "log_partition", "log_offset"),
    (
        CLUSTER,
        GROUP_ID,
        Column("appended_at", TIMESTAMP, "When the coordinator appended the new generation."),
        Column("joined_at", TIMESTAMP, "When the join phase ended; NULL where the record does not say."),
        Column("generation_before", pa.int32(), "Generation before; NULL for the first that was written."),
        Column("generation_after", pa.int32(), "Generation after.", required=True),
        Column("state_after", pa.string(), "Stable or Empty.", required=True),
        Column("protocol", pa.string(), "Assignor of the new generation; NULL when it has no members."),
        Column("members_before", pa.int32(), "Members before; NULL for the first generation that was written."),
        Column("members_after", pa.int32(), "Members after.", required=True),
        Column("members_joined", pa.list_(pa.string()), "Member ids that are new.", required=True),
        Column("members_left", pa.list_(pa.string()), "Member ids that are gone.", required=True),
        Column(
            "partitions_moved", pa.int32(), "Partitions whose owner changed; NULL when an assignment can't be read."
        ),
        Column(
            "partitions_kept", pa.int32(), "Partitions that kept their owner; NULL when an assignment can't be read."
        ),
        LOG_PARTITION,
        LOG_OFFSET,
    ),
)

REPLAYS: Final = Table(
    "mart",
    "replays",
    "Offsets that a group was set back over: each commit lower than the one before it.",
    ("cluster", "log_partition", "log_offset"),
    (
        CLUSTER,
        GROUP_ID,
        TOPIC,
        PARTITION,
        Column(
            "from_offset",
            pa.int64(),
            "The lower commit: first offset to be read again; with an unknown cause, reading may have begun below it.",
            required=True,
        ),
        Column("to_offset", pa.int64(), "Offset before which it had already committed (half-open).", required=True),
        Column("certain_from", pa.int64(), "First offset surely read again; NULL while none is sure."),
        Column("certain_to", pa.int64(), "End (half-open) of what was surely read again; NULL while none is sure."),
        Column(
            "at", TIMESTAMP, 'When the lower commit took effect (a reserved word of DuckDB\'s: write "at" in quotes).'
        ),
        Column("confidence", pa.string(), "certain or bounded: whether the range in between is proven.", required=True),
        Column("cause", pa.string(), "admin reset, or unknown.", required=True),
        Column("commit_before_log_offset", pa.int64(), "Log offset of the commit that stood before.", required=True),
        LOG_PARTITION,
        Column("log_offset", pa.int64(), "Log offset of the lower commit.", required=True),
    ),
)

SKIPS: Final = Table(
    "mart",
    "skips",
    "Offsets that a group went past without reading them: what commits, removals and log starts tell of it.",
    ("cluster", "log_partition", "log_offset"),
    (
        CLUSTER,
        GROUP_ID,
        TOPIC,
        PARTITION,
        Column(
            "how",
            pa.string(),
            "set forward (a higher offset was committed while the group had no members), begun at the end (its offset "
            "was removed, and the next commit is higher), or overtaken (the log began after its offset).",
            required=True,
        ),
        Column("outer_from", pa.int64(), "First offset that may have been skipped.", required=True),
        Column("outer_to", pa.int64(), "End (half-open): from here on nothing was skipped by this.", required=True),
        Column("certain_from", pa.int64(), "First offset surely never read; NULL while none is sure."),
        Column("certain_to", pa.int64(), "End (half-open) of what was surely never read; NULL while none is sure."),
        Column("estimate_from", pa.int64(), "First offset probably skipped; NULL without an estimate."),
        Column("estimate_to", pa.int64(), "End (half-open) of what was probably skipped; NULL without an estimate."),
        Column(
            "records_outer",
            pa.int64(),
            "Records between outer_from and outer_to; NULL without data segments, or where some may be of an aborted "
            "transaction.",
        ),
        Column("bytes", pa.int64(), "Size of the batches that hold them, as on disk; NULL without data segments."),
        Column("first_record_at", TIMESTAMP, "Timestamp of the first batch of them; NULL without data segments."),
        Column("last_record_at", TIMESTAMP, "Largest timestamp among them; NULL without data segments."),
        Column("from_time", TIMESTAMP, "When what stood before was committed or removed."),
        Column("detected_at", TIMESTAMP, "When the commit took effect that went past them."),
        Column("cause", pa.string(), "admin reset, offsets removed, or retention.", required=True),
        Column(
            "confidence",
            pa.string(),
            "certain; inferred, where something else could look the same; bounded, where it may have been read after "
            "all.",
            required=True,
        ),
        Column("generation", pa.int32(), "Generation of the group at that commit; NULL when unknown."),
        LOG_PARTITION,
        Column("log_offset", pa.int64(), "Log offset of the commit that went past them.", required=True),
        Column("evidence", pa.list_(pa.int64()), "Log offsets of all records it rests on, in order.", required=True),
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
    "completeness",
    "Which offsets of each log were seen: whole, with holes, or never; or retired. What is gone answers nothing.",
    ("cluster", "topic", "partition", "from_offset"),
    (
        CLUSTER,
        LOG_TOPIC,
        TOPIC_PARTITION,
        Column("from_offset", pa.int64(), "First offset of the interval.", required=True),
        Column("to_offset", pa.int64(), "Offset after its last one.", required=True),
        Column(
            "seen",
            pa.string(),
            "whole: every offset was seen; holes: some were gone, by compaction or damage, each time the interval was "
            "read; never: no segment with it was read, or the cleaner had left nothing of it; retired: it was seen, of "
            "what was old only the newest of each key is kept.",
            required=True,
        ),
        Column("first_read_at", TIMESTAMP, "When a part of it was read first; NULL when never."),
        Column("last_read_at", TIMESTAMP, "When a part of it was read last; NULL when never."),
        Column("most_copies", pa.int64(), "The most reads that any part of it was seen in.", required=True),
    ),
)

TABLES: Final = (OFFSETS_NOW, LAG_NOW, REBALANCES, REPLAYS, SKIPS, OWNER_CONFLICTS, COMPLETENESS)
