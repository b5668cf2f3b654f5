"""Share groups (KIP-932): the state of share partitions, deliveries of their records, and where they start.

Put columns here that records of __share_group_state say. Members of share groups stand in `groups`, with those of other
kinds; what follows for a user stands in the mart layer.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from assets.catalog.columns import CLUSTER, PARTITION, TOPIC_ID
from assets.catalog.table import TIMESTAMP, Column, Interval, Origin, Table

DELIVERY_STATES: Final = {0: "available", 1: "acquired", 2: "acknowledged", 3: "archiving", 4: "archived"}
"""Kafka's numbers of delivery states; a number that is none of them is unknown, NULL."""
DELIVERY_MEANINGS: Final = {
    "available": "to be delivered, for the first time or again: its lock expired, or it was released",
    "acquired": "delivered and locked; Kafka does not write this one",
    "acknowledged": "accepted by a member",
    "archiving": "on its way to be archived",
    "archived": "given up: rejected, out of attempts, or never there for consumers",
}

SHARE_GROUP: Final = Column("group_id", pa.string(), "Share group.", required=True)
SHARE_TOPIC: Final = Column("topic", pa.string(), "Topic; NULL while nothing that was read has the name of its id.")
STATE_PARTITION: Final = Column(
    "state_partition", pa.int32(), "Partition of __share_group_state that holds the record.", required=True
)
RECORD_OFFSET: Final = Column(
    "record_offset", pa.int64(), "Offset of the record in that partition.", required=True, minimum=0
)
WRITTEN_AT: Final = Column("written_at", TIMESTAMP, "When the share coordinator appended the record.")
STATE_EPOCH: Final = Column("state_epoch", pa.int32(), "Epoch of the state: a reset begins a new one; NULL if unknown.")
GAP_FREE: Final = Column(
    "is_gap_free",
    pa.bool_(),
    "Every record of the log since a snapshot of this share partition was read. If not, what was before is unknown.",
    required=True,
)
FROM_OFFSET: Final = Column("from_offset", pa.int64(), "First offset of the range.", required=True, minimum=0)
TO_OFFSET: Final = Column("to_offset", pa.int64(), "Offset after the last of the range.", required=True)
DELIVERY_COUNT: Final = Column(
    "delivery_count",
    pa.int16(),
    "Deliveries so far, as the broker counts them. At least so many: a delivery that was lost with its broker before "
    "the next write is in no record.",
    required=True,
)

_CHANGES: Final = pa.list_(
    pa.struct(
        [
            ("from_offset", pa.int64()),
            ("to_offset", pa.int64()),
            ("delivery_state", pa.string()),
            ("delivery_count", pa.int16()),
            ("previous_state", pa.string()),
            ("previous_count", pa.int16()),
        ]
    )
)

SHARE_STATES: Final = Table(
    "core",
    "share_states",
    "One row per record of __share_group_state: where a share partition started then, and which offsets changed.",
    ("cluster", "state_partition", "record_offset"),
    (
        CLUSTER,
        SHARE_GROUP,
        TOPIC_ID,
        PARTITION,
        STATE_PARTITION,
        RECORD_OFFSET,
        WRITTEN_AT,
        Column(
            "record_kind",
            pa.string(),
            "What the record is.",
            values={
                "snapshot": "the whole state",
                "update": "what changed in it",
                "tombstone": "the state was removed",
                "unreadable": "no known layout reads the value",
            },
            required=True,
        ),
        Column("snapshot_epoch", pa.int32(), "Number of the snapshot that the record is or rests on."),
        STATE_EPOCH,
        Column("leader_epoch", pa.int32(), "Leader epoch of the topic's partition; NULL if unknown."),
        Column("start_offset", pa.int64(), "Share-partition start offset (SPSO); NULL while it is not set."),
        Column(
            "previous_start_offset",
            pa.int64(),
            "The start offset before, in the same epoch of the state; NULL where none is known.",
        ),
        Column("is_new_epoch", pa.bool_(), "The record begins a new epoch of the state.", required=True),
        Column(
            "delivery_complete_count",
            pa.int32(),
            "Offsets from the start offset on that are acknowledged or archived; NULL before 4.2, which has no count.",
        ),
        Column(
            "undelivered_offsets",
            pa.int64(),
            "Offsets that the start offset passed and that were neither acknowledged nor archived; NULL where it did "
            "not move, or what was before is unknown.",
        ),
        GAP_FREE,
        Column("changes", _CHANGES, "Ranges of offsets that have another state or count than before.", required=True),
    ),
    ascending=frozenset({"record_offset"}),
    origin=Origin.TRANSFORM,
)

SHARE_DELIVERIES: Final = Table(
    "core",
    "share_deliveries",
    "One row per range of offsets and change of its delivery state or count, as the share coordinator wrote it.",
    ("cluster", "state_partition", "record_offset", "from_offset"),
    (
        CLUSTER,
        SHARE_GROUP,
        SHARE_TOPIC,
        TOPIC_ID,
        PARTITION,
        FROM_OFFSET,
        TO_OFFSET,
        Column(
            "delivery_state",
            pa.string(),
            "State of these offsets from then on; NULL for one that Kafka does not have.",
            values=DELIVERY_MEANINGS,
        ),
        DELIVERY_COUNT,
        Column(
            "previous_state", pa.string(), "State before; NULL if none was written or known.", values=DELIVERY_MEANINGS
        ),
        Column("previous_count", pa.int16(), "Delivery count before; NULL if none was written or known."),
        STATE_EPOCH,
        WRITTEN_AT,
        STATE_PARTITION,
        RECORD_OFFSET,
        GAP_FREE,
    ),
    intervals=(Interval("from_offset", "to_offset"),),
    is_key_promised=False,
)

SHARE_START_OFFSETS: Final = Table(
    "core",
    "share_start_offsets",
    "Every move of a share partition's start offset (SPSO), and what moved it.",
    ("cluster", "state_partition", "record_offset"),
    (
        CLUSTER,
        SHARE_GROUP,
        SHARE_TOPIC,
        TOPIC_ID,
        PARTITION,
        Column("from_offset", pa.int64(), "Start offset before; NULL where none was set or known."),
        Column("to_offset", pa.int64(), "Start offset from then on.", required=True),
        Column(
            "cause",
            pa.string(),
            "What moved it.",
            values={
                "initialized": "the group began to read the partition",
                "advanced": "all offsets that it passed were acknowledged or archived",
                "records_deleted": "it passed offsets that were neither, up to a log start that was seen: "
                "kafka-delete-records or retention took them first",
                "passed_undelivered": "it passed offsets that were neither: deleted or compacted, of aborted "
                "transactions, or markers",
                "reset": "a new epoch of the state began: an admin set it, or the group's offsets were deleted before",
                "unknown": "what was before is unknown",
            },
            required=True,
        ),
        Column(
            "undelivered_offsets",
            pa.int64(),
            "Offsets passed that were neither acknowledged nor archived; NULL where what was before is unknown.",
        ),
        STATE_EPOCH,
        WRITTEN_AT,
        STATE_PARTITION,
        RECORD_OFFSET,
    ),
)

TABLES: Final = (SHARE_STATES, SHARE_DELIVERIES, SHARE_START_OFFSETS)
