"""Indexes over core.commits: snapshots of the offset store, what each key's commits come to, and which follow a gap.

Put columns here that let macros find a few commits among all. The commits stand in `assets.catalog.core.commits`.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from assets.catalog.columns import CLUSTER, GROUP_ID, LOG_OFFSET, LOG_PARTITION, PARTITION, TOPIC
from assets.catalog.core.commits import COMMITS
from assets.catalog.table import TIMESTAMP, Column, Interval, Origin, Table

COMMITS_AFTER_GAPS: Final = Table(
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

_COMMITTED: Final = {
    *("kind", "committed_offset", "effective_at", "commit_at", "leader_epoch", "metadata"),
    *("log_partition", "log_offset", "effective_log_offset"),
}

OFFSET_SNAPSHOTS: Final = Table(
    "internal",
    "offset_snapshots",
    "The offset store at each instant of a regular grid: of every key the newest commit or removal in effect.",
    ("taken_at", "cluster", "group_id", "topic", "partition"),
    (
        Column("taken_at", TIMESTAMP, "The instant: a whole number of steps since 1970.", required=True),
        CLUSTER,
        GROUP_ID,
        TOPIC,
        PARTITION,
        *(column for column in COMMITS.columns if column.name in _COMMITTED),
        Column(
            "ten_from_log_offset",
            pa.int64(),
            "The last ten commits of the key up to the instant took effect at this log offset or behind it; NULL where "
            "there were only removals.",
        ),
        Column(
            "is_known",
            pa.bool_(),
            "It was committed at the instant for certain: no gap of the log (core.log_gaps) may hide a later commit, "
            "or removed, before.",
            required=True,
        ),
    ),
    origin=Origin.TRANSFORM,
    sought=frozenset({"is_known"}),
)

_NOT_REMOVALS: Final = "NULL where there are only removals."

COMMITTED_PARTITIONS: Final = Table(
    "internal",
    "committed_partitions",
    "What the commits and removals of each key in each partition of the offsets topic come to: counts, first and last.",
    ("cluster", "log_partition", "group_id", "topic", "partition"),
    (
        CLUSTER,
        LOG_PARTITION,
        GROUP_ID,
        TOPIC,
        PARTITION,
        Column("commits", pa.int64(), "Commits, without removals.", required=True, minimum=0),
        Column("removals", pa.int64(), "Removals.", required=True, minimum=0),
        Column("rewinds", pa.int64(), "Commits lower than the one before.", required=True, minimum=0),
        Column("steps_with_epoch", pa.int64(), "Advances and repeats with a leader epoch.", required=True, minimum=0),
        Column("advances_without_epoch", pa.int64(), "Advances without one.", required=True, minimum=0),
        Column("first_log_offset", pa.int64(), "Lowest log offset of all.", required=True),
        Column("last_log_offset", pa.int64(), "Highest log offset of all.", required=True),
        Column("newest_effective_log_offset", pa.int64(), "Where the last of all took effect.", required=True),
        Column("newest_log_offset", pa.int64(), "The highest log offset of those that did there.", required=True),
        Column("first_at", TIMESTAMP, "Earliest time at which one took effect; NULL where no time is known."),
        Column("last_at", TIMESTAMP, "Latest time at which one took effect; NULL where no time is known."),
        Column("commits_from", pa.int64(), f"Where the first commit took effect; {_NOT_REMOVALS}"),
        Column("commits_to", pa.int64(), f"Where the last commit took effect; {_NOT_REMOVALS}"),
        Column("first_commit_at", TIMESTAMP, f"Earliest time at which a commit took effect; {_NOT_REMOVALS}"),
        Column("last_commit_at", TIMESTAMP, f"Latest time at which a commit took effect; {_NOT_REMOVALS}"),
        Column("first_removal", pa.int64(), "Where the first removal took effect; NULL without one."),
        Column("last_beginning", pa.int64(), "Where the last commit took effect that nothing stood before."),
    ),
    origin=Origin.TRANSFORM,
    intervals=(
        Interval("first_log_offset", "last_log_offset", can_be_empty=True),
        Interval("commits_from", "commits_to", can_be_empty=True),
    ),
)

GROUP_PARTITIONS: Final = Table(
    "internal",
    "group_partitions",
    "Which partition of the offsets topic holds the commits of a group: one, unless it was written to the wrong one.",
    ("cluster", "group_id", "log_partition"),
    (
        CLUSTER,
        GROUP_ID,
        LOG_PARTITION,
        Column("commits", pa.int64(), "Commits and removals of it there.", required=True, minimum=0),
        Column("first_log_offset", pa.int64(), "Log offset of the first.", required=True),
        Column("last_log_offset", pa.int64(), "Log offset of the last.", required=True),
    ),
    intervals=(Interval("first_log_offset", "last_log_offset", can_be_empty=True),),
)

TABLES: Final = (COMMITS_AFTER_GAPS, OFFSET_SNAPSHOTS, COMMITTED_PARTITIONS, GROUP_PARTITIONS)
