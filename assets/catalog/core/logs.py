"""Topics and the logs of their partitions: their ids, and how far each log reached at what time.

Put columns here that hold of a data topic. The offsets topic's own log is in `gaps`.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from assets.catalog.columns import CLUSTER, PARTITION, TOPIC, TOPIC_ID
from assets.catalog.table import TIMESTAMP, Column, Interval, Table

TOPICS: Final = Table(
    "core",
    "topics",
    "Every life of every topic: a topic that is deleted and made again has another id.",
    ("cluster", "topic_id", "topic"),
    (
        CLUSTER,
        TOPIC_ID,
        Column("topic", pa.string(), "Topic that has it.", required=True),
        Column("first_seen_at", TIMESTAMP, "When something first said so: a record, a file or a broker."),
        Column("last_seen_at", TIMESTAMP, "When something last said so anew."),
    ),
    intervals=(Interval("first_seen_at", "last_seen_at", can_be_empty=True),),
)

LOG_ENDS: Final = Table(
    "core",
    "log_ends",
    "How far the log of each data partition reached, and where it began, over time.",
    ("cluster", "topic", "partition", "reached_at", "source", "log_start_offset", "log_end_offset", "high_watermark"),
    (
        CLUSTER,
        TOPIC,
        PARTITION,
        Column(
            "topic_id",
            pa.string(),
            "Topic id: which life of the topic it is of; NULL when unknown, and for a batch whose files had several.",
        ),
        Column(
            "reached_at",
            TIMESTAMP,
            "When the log had come so far: the largest timestamp up to there, or of the answer; NULL when unknown.",
        ),
        Column(
            "until_at",
            TIMESTAMP,
            "When this no longer held: the log lost this end to another leader, or its topic was made anew; NULL while"
            " it holds.",
        ),
        Column(
            "log_start_offset",
            pa.int64(),
            "First offset that could be read at that time; NULL when unknown.",
            minimum=0,
            is_promised=False,
        ),
        Column(
            "log_end_offset",
            pa.int64(),
            "Offset that the next record would get; NULL when the source does not say.",
            minimum=0,
            is_promised=False,
        ),
        Column(
            "high_watermark",
            pa.int64(),
            "Offset before which every record was replicated at that time; NULL when the source does not say.",
        ),
        Column(
            "last_stable_offset",
            pa.int64(),
            "Offset before which no transaction was open at that time; NULL when the source does not say, and behind a"
            " hole in the log.",
        ),
        Column(
            "source",
            pa.string(),
            "What says so.",
            values={
                "batch": "the header of a batch",
                "checkpoint": "the log start when the files were read",
                "replication": "the high watermark when the files were read",
                "segment": "an empty segment",
                "live": "a broker that was asked",
                "gap": "nobody knows the end between the last sign of a leader and the first of the one that it was "
                "lost to",
            },
            required=True,
        ),
    ),
    is_key_promised=False,
)

LOG_END_BOUNDS: Final = Table(
    "core",
    "log_end_bounds",
    "While the end of a data log is not known exactly, as between two samples: between which offsets it was. At any "
    "other time it is what core.log_ends says. From commits of consumers, too: nobody reads beyond the end.",
    ("cluster", "topic", "partition", "from_at"),
    (
        CLUSTER,
        TOPIC,
        PARTITION,
        Column("from_at", TIMESTAMP, "From this instant on.", required=True),
        Column(
            "to_at",
            TIMESTAMP,
            "Up to this instant, which is not included; NULL where the end was never known again.",
        ),
        Column("log_end_lower", pa.int64(), "The log ended there or further on; NULL when unknown."),
        Column("log_end_upper", pa.int64(), "The log did not end beyond; NULL when unknown."),
        Column(
            "has_commits",
            pa.bool_(),
            "A consumer committed something of the log between the instants before and after at which its end was "
            "known. Without a later instant and without a commit the end that was known last is the newest word of it.",
            required=True,
        ),
    ),
    intervals=(Interval("from_at", "to_at"), Interval("log_end_lower", "log_end_upper", can_be_empty=True)),
)

TABLES: Final = (TOPICS, LOG_ENDS, LOG_END_BOUNDS)
