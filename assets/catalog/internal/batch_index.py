"""How far data logs reached and what could be read of them, batch by batch: the index behind lag.

Put columns here that macros look up to count what is left to read. Answers stand in the mart layer.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from assets.catalog.columns import CLUSTER, PARTITION, TOPIC
from assets.catalog.table import TIMESTAMP, Column, Interval, Table

_THROUGH: Final = "from the beginning of what is known of the log through its end as of this row"

PIECES: Final = """
    SELECT min(topic) AS from_topic, max(topic) AS to_topic
    FROM (
        SELECT topic, sum(count(*)) OVER (ORDER BY topic) // 500000 AS piece
        FROM (SELECT topic FROM raw.batches UNION ALL SELECT topic FROM core.log_ends WHERE source <> 'batch')
        GROUP BY topic
    )
    GROUP BY piece
    ORDER BY piece
"""
"""Topics that have some half a million batches together: what is sorted at a time."""

BATCH_INDEX: Final = Table(
    "internal",
    "batch_index",
    "How far the log of each data partition reached, and what of it a consumer could read: a row per batch, and per "
    "word of a broker or a file. Markers and aborted data are nothing to read, whenever they were aborted.",
    ("cluster", "topic", "partition", "log_end_offset", "reached_at", "source"),
    (
        CLUSTER,
        TOPIC,
        PARTITION,
        Column(
            "source",
            pa.string(),
            "What says so, as in core.log_ends.",
            values={
                "batch": "the header of a batch",
                "checkpoint": "the log start when the files were read",
                "segment": "an empty segment",
                "live": "a broker that was asked",
            },
            required=True,
        ),
        Column("log_end_offset", pa.int64(), "Where the log ended then.", required=True),
        Column("reached_at", TIMESTAMP, "When it had come so far, as in core.log_ends; NULL when unknown."),
        Column(
            "is_new_log_end",
            pa.bool_(),
            "No row says of the same time or an earlier one that the log had come as far.",
            required=True,
        ),
        Column("base_offset", pa.int64(), "First offset of the stretch that the row tells of; NULL where it has none."),
        Column("last_offset", pa.int64(), "Its last offset; NULL where it has none."),
        Column(
            "seen_from", pa.int64(), "From here to its end nothing was left unread; before it lies what nobody saw."
        ),
        Column("records_lower", pa.int64(), "The fewest records to read in it.", minimum=0),
        Column("records_upper", pa.int64(), "The most records to read in it: more where a header does not count them."),
        Column("bytes", pa.int64(), "Bytes of the batch; 0 when nothing in it is to be read."),
        Column("earliest_at", TIMESTAMP, "Timestamp of its first record as written; NULL when not said."),
        Column("first_latest_at", TIMESTAMP, "The latest that its first record to read can be of; NULL when not said."),
        Column("latest_at", TIMESTAMP, "Its largest timestamp; NULL when not said."),
        Column("next_offset", pa.int64(), "Where the next stretch begins that may have something to read."),
        Column("next_earliest_at", TIMESTAMP, "The earliest that the first record there can be of; NULL when unknown."),
        Column("next_latest_at", TIMESTAMP, "The latest that it can be of; NULL when unknown."),
        Column("records_lower_through", pa.int64(), f"The fewest records to read {_THROUGH}.", required=True),
        Column("records_upper_through", pa.int64(), f"The most records to read {_THROUGH}.", required=True),
        Column("bytes_through", pa.int64(), f"Bytes of batches with something to read {_THROUGH}.", required=True),
        Column("unseen_through", pa.int64(), f"Offsets that nobody looked into {_THROUGH}.", required=True),
        Column(
            "last_stable_offset",
            pa.int64(),
            "Offset before which no transaction was open then; NULL when a broker did not say.",
        ),
        Column("stable_lower_through", pa.int64(), "As records_lower_through, up to there.", required=True),
        Column("stable_upper_through", pa.int64(), "As records_upper_through, up to there.", required=True),
        Column("stable_bytes_through", pa.int64(), "As bytes_through, up to there.", required=True),
        Column("stable_unseen_through", pa.int64(), "As unseen_through, up to there.", required=True),
    ),
    pieces=PIECES,
    intervals=(
        Interval("records_lower", "records_upper", can_be_empty=True),
        Interval("records_lower_through", "records_upper_through", can_be_empty=True),
        Interval("base_offset", "last_offset", can_be_empty=True),
    ),
    is_key_promised=False,
)

TABLES: Final = (BATCH_INDEX,)
