"""Every state of every group, from records and from the coordinators' text logs.

Put columns here that hold of a state. What records alone tell stands in
`assets.catalog.internal.recorded_group_states`.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from assets.catalog.columns import (
    CLUSTER,
    GROUP_ID,
    GROUP_TYPE,
)
from assets.catalog.internal.recorded_group_states import ASSIGNMENT_EPOCH, GENERATION, MEMBER_COUNT
from assets.catalog.table import TIMESTAMP, Column, Interval, Table

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
            "As the coordinator itself calls it; NULL where it can't be known.",
            values={
                "Empty": "it has no members",
                "Stable": "every member has what it is to own",
                "Assigning": "a new target is being worked out",
                "Reconciling": "members are on the way to their targets",
                "PreparingRebalance": "it waits for members, as a line says",
                "CompletingRebalance": "it waits for the leader's assignment, as a line says",
                "Dead": "removed",
            },
        ),
        GENERATION,
        ASSIGNMENT_EPOCH,
        MEMBER_COUNT,
        Column(
            "source",
            pa.string(),
            "What says so.",
            values={
                "record": "records of the offsets topic",
                "text_log": "a coordinator's text log, which is a hint and no proof",
            },
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
    intervals=(Interval("log_offset", "to_log_offset"),),
)


TABLES: Final = (GROUP_STATES,)
