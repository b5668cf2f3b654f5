"""What assignors would have made of a generation.

Put columns here that compare assignors. What a rebalance did stands in `rebalances`.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from assets.catalog.columns import CLUSTER, GROUP_ID, GROUP_TYPE, LOG_PARTITION
from assets.catalog.table import Column, Origin, Table

ASSIGNOR_WHAT_IF: Final = Table(
    "mart",
    "assignor_what_if",
    "What each assignor would have made of a generation of a classic group, or of a target of a consumer group, and "
    "whether the one it had did what it should.",
    ("cluster", "log_partition", "group_id", "log_offset", "assignor"),
    (
        CLUSTER,
        GROUP_ID,
        GROUP_TYPE,
        LOG_PARTITION,
        Column(
            "log_offset",
            pa.int64(),
            "Record of the generation; last record by which the target was complete.",
            required=True,
        ),
        Column("generation", pa.int32(), "Generation, or epoch of the target."),
        Column(
            "assignor",
            pa.string(),
            "range, roundrobin, sticky, cooperative-sticky (of clients; range is the broker's too), uniform (of "
            "brokers), or the name of another one that the group had.",
            required=True,
        ),
        Column("is_observed", pa.bool_(), "The group had this one, or may have had.", required=True),
        Column("members", pa.int32(), "Members of the generation.", required=True),
        Column(
            "partitions",
            pa.int32(),
            "Partitions that it was asked to give out: of each topic as many as were given out then or before. NULL "
            "where nothing was worked out.",
        ),
        Column(
            "partitions_moved",
            pa.int32(),
            "Partitions it would have given to somebody else than had them before; NULL where that isn't known.",
            minimum=0,
        ),
        Column(
            "imbalance",
            pa.int32(),
            "Partitions that the member with the most would have had more than the one with the fewest.",
            minimum=0,
        ),
        Column(
            "actual_moved",
            pa.int32(),
            "Partitions that were truly given to somebody else; NULL where not known.",
            minimum=0,
        ),
        Column("actual_imbalance", pa.int32(), "The true difference between most and fewest; NULL where not known."),
        Column(
            "verdict",
            pa.string(),
            "Whether the group had what the assignor gives; NULL for an assignor that the group did not have.",
            values={
                "as_expected": "it had",
                "differs": "it had something else",
                "undecided": "the reason says why",
            },
        ),
        Column("reason", pa.string(), "Why it can't be told; else NULL."),
    ),
    origin=Origin.TRANSFORM,
)

TABLES: Final = (ASSIGNOR_WHAT_IF,)
