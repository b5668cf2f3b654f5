"""The states of groups that follow from records alone.

Put columns here that need no text log. What people ask is core.group_states.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from assets.catalog.columns import (
    CLUSTER,
    FROM_AT,
    GROUP_ID,
    GROUP_TYPE,
    IS_GAP_FREE,
    LOG_OFFSET,
    LOG_PARTITION,
    TO_AT,
    TO_LOG_OFFSET,
)
from assets.catalog.table import Column, Interval, Origin, Table

GENERATION: Final = Column(
    "generation", pa.int32(), "Generation or group epoch; NULL when the group is dead or none was seen."
)

ASSIGNMENT_EPOCH: Final = Column(
    "assignment_epoch",
    pa.int32(),
    "Epoch up to which the targets of all members are complete; NULL in classic groups, or when none was seen.",
)

MEMBER_COUNT: Final = Column("member_count", pa.int32(), "Members; NULL where it can't be known.")

RECORDED_GROUP_STATES: Final = Table(
    "internal",
    "recorded_group_states",
    "The state of every group after each batch that says something about it: what records alone tell. Ask "
    "core.group_states, which has these too.",
    ("cluster", "log_partition", "log_offset", "group_id"),
    (
        CLUSTER,
        GROUP_ID,
        GROUP_TYPE,
        LOG_PARTITION,
        LOG_OFFSET,
        Column(
            "state",
            pa.string(),
            "As the coordinator itself calls it; NULL where it can't be known, because records about members may "
            "be among the offsets that nobody saw.",
            values={
                "Empty": "it has no members",
                "Stable": "every member has what it is to own",
                "Assigning": "a new target is being worked out",
                "Reconciling": "members are on the way to their targets",
                "Dead": "removed",
            },
        ),
        GENERATION,
        ASSIGNMENT_EPOCH,
        MEMBER_COUNT,
        FROM_AT,
        TO_AT,
        TO_LOG_OFFSET,
        IS_GAP_FREE,
    ),
    origin=Origin.RECONSTRUCTION,
    intervals=(Interval("log_offset", "to_log_offset"),),
)


TABLES: Final = (RECORDED_GROUP_STATES,)
