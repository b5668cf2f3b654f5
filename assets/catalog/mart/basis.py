"""What answers rest on: what was read, where log ends are known from, and what can't be excluded.

Put columns here that say how far answers reach. What they claim stands in `claims` and `incidents`.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from assets.catalog.columns import CLUSTER, GROUP_ID, LOG_TOPIC, TOPIC_PARTITION
from assets.catalog.table import TIMESTAMP, Column, Interval, Table

NOT_EXCLUDED: Final = Table(
    "mart",
    "not_excluded",
    "What is only possible, by group and kind: nothing says that it happened, and nothing excludes it. No incident.",
    ("cluster", "group_id", "kind"),
    (
        CLUSTER,
        GROUP_ID,
        Column(
            "kind",
            pa.string(),
            "What is possible.",
            values={
                "replay": "offsets read again",
                "skip": "offsets never read",
                "diverged": "commits ahead of the log",
                "no_commits": "the group owns partitions and commits nothing, so nothing is known of what it reads",
            },
            required=True,
        ),
        Column(
            "claims",
            pa.int64(),
            "Claims in the mart of the kind; of no_commits the partitions owned.",
            required=True,
            minimum=1,
        ),
        Column("partitions", pa.int64(), "Partitions that they concern.", required=True),
        Column("topics", pa.list_(pa.string()), "Topics that they concern, in order.", required=True),
        Column("possible_offsets", pa.int64(), "Offsets that they come to at most; NULL where there is no limit."),
        Column(
            "reasons",
            pa.list_(pa.string()),
            "How each may have come about, as the mart of the kind says.",
            required=True,
        ),
        Column(
            "needs",
            pa.list_(pa.string()),
            "What would settle it: data_segments (of topics_to_mount), earlier_copy (of the offsets partition, from "
            "before it was compacted), text_logs (of the coordinator), application_logs (what was processed is in no "
            "log of Kafka).",
            required=True,
        ),
        Column("topics_to_mount", pa.list_(pa.string()), "Topics whose data segments were not read.", required=True),
    ),
)

BASIS: Final = Table(
    "mart",
    "basis",
    "What answers rest on: how much of the history of each partition of the offsets topic was read, and where the "
    "log end of each data partition that a group has an offset in is known from.",
    ("cluster", "topic", "partition"),
    (
        CLUSTER,
        Column("topic", pa.string(), "__consumer_offsets, or a topic in which a group has an offset.", required=True),
        Column(
            "partition",
            pa.int32(),
            "Partition of it; negative: a store outside Kafka (raw.external_commits), of which only times are known.",
            required=True,
        ),
        Column("history_offsets", pa.int64(), "Offsets that its log ever had; NULL for a data topic."),
        Column(
            "unseen_offsets",
            pa.int64(),
            "Those of them that were compacted, deleted or damaged before they were read; NULL for a data topic.",
        ),
        Column(
            "batches_set_aside",
            pa.int64(),
            "Batches of it that could not be read (raw.quarantine); NULL for a data topic.",
        ),
        Column("batches", pa.int64(), "Batches of it that were read, in all copies; NULL for a data topic."),
        Column("newest_record_at", TIMESTAMP, "Timestamp of its last record that was read; NULL for a data topic."),
        Column("last_read_at", TIMESTAMP, "When it was read last; NULL for a data topic."),
        Column(
            "log_ends_from",
            pa.string(),
            "Where the log end is known from; NULL where it is not known, and for the offsets topic.",
            values={
                "segments": "segments of data",
                "samples": "what a broker said",
            },
        ),
    ),
)

LOG_COVERAGE: Final = Table(
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
            "What was seen of it.",
            values={
                "whole": "every offset",
                "gaps": "some offsets were gone, by compaction or damage, each time the interval was read",
                "never": "no segment with it was read, or the cleaner had left nothing of it",
                "retired": "it was seen; of what was old only the newest of each key is kept",
            },
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
    intervals=(Interval("from_offset", "to_offset"),),
)

TABLES: Final = (NOT_EXCLUDED, BASIS, LOG_COVERAGE)
