"""The tables of the core layer that say in which state a group was, from when to when.

Put columns here that hold of a state. What else holds of groups and members stands in `groups`.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from assets.catalog.groups import FROM_AT, GROUP_ID, GROUP_TYPE, IS_GAP_FREE, TO_AT, TO_LOG_OFFSET
from assets.catalog.raw import CLUSTER, LOG_OFFSET, LOG_PARTITION
from assets.catalog.table import TIMESTAMP, Column, Table

_GENERATION: Final = Column(
    "generation", pa.int32(), "Generation or group epoch; NULL when the group is dead or none was seen."
)
_ASSIGNMENT_EPOCH: Final = Column(
    "assignment_epoch",
    pa.int32(),
    "Epoch up to which the targets of all members are complete; NULL in classic groups, or when none was seen.",
)
_MEMBER_COUNT: Final = Column("member_count", pa.int32(), "Members; NULL where it can't be known.")

RECORDED_STATES: Final = Table(
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
            "Empty, Stable, Assigning, Reconciling or Dead, as the coordinator itself calls it; NULL where it can't "
            "be known, because records about members may be among the offsets that nobody saw.",
        ),
        _GENERATION,
        _ASSIGNMENT_EPOCH,
        _MEMBER_COUNT,
        FROM_AT,
        TO_AT,
        TO_LOG_OFFSET,
        IS_GAP_FREE,
    ),
)

GROUP_STATES: Final = Table(
    "core",
    "group_states",
    "Every state of every group: those that follow from records, and between them those that only a line of a "
    "coordinator's text log tells. A line counts where its generation and its time fit in between two records. A group "
    "that has offsets and no record, or none since it was removed, has no row: group_states_at(ts) tells of it.",
    ("cluster", "group_id", "log_partition", "log_offset", "from_at", "broker_id", "line"),
    (
        CLUSTER,
        GROUP_ID,
        GROUP_TYPE,
        Column(
            "log_partition",
            pa.int32(),
            "Partition of __consumer_offsets it is in; NULL where only lines tell of the group, and none says which.",
        ),
        Column(
            "log_offset",
            pa.int64(),
            "Log offset of the record; for a line of the last record of the group before it, NULL when there is none.",
        ),
        Column(
            "state",
            pa.string(),
            "Empty, Stable, Assigning, Reconciling or Dead, and from lines PreparingRebalance (it waits for members) "
            "and CompletingRebalance (it waits for the leader's assignment) too; NULL where it can't be known.",
        ),
        _GENERATION,
        _ASSIGNMENT_EPOCH,
        _MEMBER_COUNT,
        Column(
            "source",
            pa.string(),
            "record: it follows from records of the offsets topic; server.log: a coordinator's text log says so, "
            "which is a hint and no proof.",
            required=True,
        ),
        Column("reason", pa.string(), "Why, in the words of the line; NULL for a record, and when it says none."),
        Column("broker_id", pa.int32(), "Broker that wrote the line; NULL for a record."),
        Column("line", pa.int64(), "Number of the line in raw.coordinator_events; NULL for a record."),
        Column("from_at", TIMESTAMP, "When the coordinator appended the record, or wrote the line."),
        Column("to_at", TIMESTAMP, "When the next began; NULL while it stands, and for a removal."),
        Column(
            "to_log_offset",
            pa.int64(),
            "Log offset of the next record of the group; NULL when there is none, and for a removal.",
        ),
        Column(
            "is_gap_free",
            pa.bool_(),
            "Every offset of the log from the oldest record it rests on up to its end was seen. If not, it may have "
            "ended earlier than to_at says. Never of a line.",
            required=True,
        ),
    ),
)
