"""Which records of a group are one rebalance.

Put columns here that say where a rebalance begins and ends. What it did stands in `assets.catalog.mart.rebalances`.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from assets.catalog.columns import CLUSTER, GROUP_ID, GROUP_TYPE, LOG_PARTITION
from assets.catalog.table import TIMESTAMP, Column, Interval, Table

FIRST_LOG_OFFSET: Final = Column("log_offset", pa.int64(), "First record that shows the rebalance.", required=True)

LAST_LOG_OFFSET: Final = Column(
    "last_log_offset", pa.int64(), "Last record of it; of one that goes on, the last so far.", required=True
)

GENERATION_BEFORE: Final = Column("generation_before", pa.int32(), "Generation or epoch before; NULL for the first.")

GENERATION_AFTER: Final = Column("generation_after", pa.int32(), "Generation or epoch after, or so far.")

GENERATIONS: Final = Column(
    "generations",
    pa.int32(),
    "Generations or epochs that were written in it: two in a cooperative hand-over.",
    required=True,
    minimum=0,
)

JOINED_AT: Final = Column(
    "joined_at",
    TIMESTAMP,
    "When all members had rejoined; NULL where the record doesn't say, and in other kinds of groups.",
)

ENDED_AT: Final = Column(
    "ended_at",
    TIMESTAMP,
    "When the last record of it was appended: every member had been given what it is to own. NULL while it goes on, or "
    "when that can't be known.",
)

STATE_AFTER: Final = Column(
    "state_after",
    pa.string(),
    "State of the group after it; NULL where it can't be known.",
    values={
        "Stable": "every member has what it is to own",
        "Empty": "it has no members",
        "Assigning": "it goes on: a new target is being worked out",
        "Reconciling": "it goes on: members are on the way to their targets",
    },
)

PROTOCOL: Final = Column("protocol", pa.string(), "Assignor of a classic group; NULL when it has no members.")

MEMBERS_BEFORE: Final = Column("members_before", pa.int32(), "Members before; NULL where that isn't known.")

MEMBERS_AFTER: Final = Column("members_after", pa.int32(), "Members after; NULL where that isn't known.")

REBALANCE_SPANS: Final = Table(
    "internal",
    "rebalance_spans",
    "Which records of a group are one rebalance: a generation, a cooperative hand-over of two, or all that a group of "
    "another kind wrote until it was at rest again.",
    ("cluster", "log_partition", "group_id", "log_offset"),
    (
        CLUSTER,
        GROUP_ID,
        GROUP_TYPE,
        LOG_PARTITION,
        FIRST_LOG_OFFSET,
        LAST_LOG_OFFSET,
        Column("before_log_offset", pa.int64(), "Last record of the group before it; NULL when there is none."),
        Column(
            "to_log_offset", pa.int64(), "What changed up to here belongs to it; NULL of the last while it goes on."
        ),
        Column("from_at", TIMESTAMP, "When its first record was appended."),
        JOINED_AT,
        ENDED_AT,
        GENERATION_BEFORE,
        GENERATION_AFTER,
        GENERATIONS,
        Column("state_before", pa.string(), "State of the group before; NULL when nothing was written before."),
        STATE_AFTER,
        Column("group_type_before", pa.string(), "Kind of the group before; NULL for the first."),
        Column("protocol_before", pa.string(), "Assignor before; NULL when it had no members, or is not classic."),
        PROTOCOL,
        MEMBERS_BEFORE,
        MEMBERS_AFTER,
        Column("is_new_coordinator", pa.bool_(), "Another coordinator wrote it than the one before.", required=True),
        Column(
            "is_before_known",
            pa.bool_(),
            "It is known what was before, or that nothing was: no hole in the log lies between.",
            required=True,
        ),
    ),
    intervals=(Interval("log_offset", "last_log_offset", can_be_empty=True),),
)

TABLES: Final = (REBALANCE_SPANS,)
