"""What runs remember for the next one: tables of no use to anybody else, so no assets and not in the DuckDB file.

Put here what tables above the reconstruction remember. Its own checkpoints are in `assets.reconstruct.checkpoint`.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from assets.catalog.columns import CLUSTER, GROUP_ID, LOG_OFFSET, LOG_PARTITION, PARTITION, TOPIC
from assets.catalog.table import TIMESTAMP, Column, Table

KEY: Final = (CLUSTER, LOG_PARTITION, GROUP_ID, TOPIC, PARTITION)
KEY_NAMES: Final = tuple(column.name for column in KEY)
COMMIT: Final = pa.struct(
    {
        "committed_offset": pa.int64(),
        "log_offset": pa.int64(),
        "place": pa.int64(),
        "committed_at": TIMESTAMP,
        "kind": pa.string(),
        "cause": pa.string(),
        "is_transactional": pa.bool_(),
        "previous_offset": pa.int64(),
    }
)
"""A commit that was looked up."""

FRONTIERS: Final = Table(
    "internal",
    "frontiers",
    "Up to which instant the rows of a table are final, and a digest of all that they rest on.",
    ("table_name", "cluster", "log_partition", "group_id", "topic", "partition"),
    (
        Column("table_name", pa.string(), "The table.", required=True),
        CLUSTER,
        Column("log_partition", pa.int32(), "Partition of __consumer_offsets; NULL where all are final together."),
        Column("group_id", pa.string(), "The group; NULL where all groups are final together."),
        Column("topic", pa.string(), "The data topic; NULL where all topics are final together."),
        Column("partition", pa.int32(), "The partition of the data topic; NULL where all are final together."),
        Column("final_to", TIMESTAMP, "Rows of instants before it are final.", required=True),
        Column("digest", pa.string(), "The digest of what these rows rest on.", required=True),
        Column("is_late", pa.bool_(), "Whether what they rest on changed before.", required=True),
    ),
)

SEARCHED_PARTITIONS: Final = Table(
    "internal",
    "searched_partitions",
    "Up to where in each partition of the offsets topic commits were looked up for mart.replays.",
    ("cluster", "log_partition"),
    (CLUSTER, LOG_PARTITION, Column("last_position", pa.int64(), "Where the last of them took effect.", required=True)),
)
HANDOVER_COMMITS: Final = Table(
    "internal",
    "handover_commits",
    "The commits before ends of ownership, and before the next owners began, as mart.replays looked them up.",
    (*KEY_NAMES, "until_log_offset", "from_log_offset", "owned_log_offset"),
    (
        *KEY,
        Column("until_log_offset", pa.int64(), "Where the owner ended.", required=True),
        Column("from_log_offset", pa.int64(), "Where the next one began.", required=True),
        Column("owned_log_offset", pa.int64(), "Where the owner began.", required=True),
        Column("last_repeat_at", TIMESTAMP, "The last of the commits that only repeat what stood there."),
        Column("is_repeat_over", pa.bool_(), "Another commit came behind these.", required=True),
        Column("standing", COMMIT, "The commit that stood when the next owner began."),
        Column("last", COMMIT, "The last commit before the end."),
        Column("is_read_between", pa.bool_(), "Others than members read in between.", required=True),
        Column("own", pa.int64(), "How many of the last commits were the owner's."),
        Column("own_at", TIMESTAMP, "When the last of these was."),
        Column("interval_ms", pa.float64(), "How far apart these are."),
        Column("step", pa.float64(), "How far each went."),
        Column(
            "stretch_position",
            pa.int64(),
            "Where the commits before the later one of both places begin, since the place before; NULL without any.",
        ),
    ),
)
RESET_COMMITS: Final = Table(
    "internal",
    "reset_commits",
    "Commits that set an offset back, or that came first, those around them, and the last two of each such key.",
    (*KEY_NAMES, "number"),
    (
        *KEY,
        Column("number", pa.int64(), "Its number among those of the key, in the order of the log.", required=True),
        LOG_OFFSET,
        Column("stretch", pa.int64(), "The number of its stretch.", required=True),
        Column("lowest_offset", pa.int64(), "The lowest offset of the key up to it."),
        Column("state_log_offset", pa.int64(), "The last record of the group before it."),
        Column("effective_log_offset", pa.int64(), "Where it took effect.", required=True),
        Column("effective_at", TIMESTAMP, "When it took effect."),
        Column("kind", pa.string(), "How it moved the committed offset.", required=True),
        Column("committed_offset", pa.int64(), "What it committed."),
        Column("previous_offset", pa.int64(), "What was committed before."),
        Column("is_transactional", pa.bool_(), "Committed through a transaction."),
        Column("topic_id", pa.string(), "The topic id that it names."),
        Column("leader_epoch", pa.int32(), "The leader epoch that it names."),
        Column("actor", pa.string(), "Who made it."),
        Column("store_kind", pa.string(), "What it rests on."),
        Column("cause", pa.string(), "Why the offset was removed."),
        Column("idle_ms", pa.int64(), "How long a removed offset had stood."),
    ),
)
RESET_RUNS: Final = Table(
    "internal",
    "reset_runs",
    "Commits in a row within one stretch and one state of the group, of keys that were set back.",
    (*KEY_NAMES, "stretch", "state_log_offset"),
    (
        *KEY,
        Column("stretch", pa.int64(), "The number of the stretch.", required=True),
        Column("state_log_offset", pa.int64(), "The record that began the state."),
        Column("is_read_in", pa.bool_(), "Members read in it.", required=True),
        Column("last_position", pa.int64(), "Where the last of them took effect.", required=True),
        Column("commits", pa.int64(), "How many they are.", required=True),
        Column("read_to", pa.int64(), "The highest offset."),
        Column("stretch_from", pa.int64(), "The highest offset that begins a stretch."),
        Column("highest_offset", pa.int64(), "The highest offset that stood before one of these."),
        Column("begun_to", pa.int64(), "The lowest offset that reads on."),
        Column("longest_step", pa.int64(), "The longest step of those that read on."),
    ),
)
MEMORY: Final = (FRONTIERS, SEARCHED_PARTITIONS, HANDOVER_COMMITS, RESET_COMMITS, RESET_RUNS)
"""All of them."""
MEMORY_BY_NAME: Final = {table.full_name: table for table in MEMORY}
