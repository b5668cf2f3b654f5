"""What share groups delivered more than once, and what they gave up.

Put columns here that follow from the state of share partitions. The state itself stands in `assets.catalog.core`.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from assets.catalog.columns import CLUSTER, PARTITION, TOPIC_ID
from assets.catalog.core.share_groups import (
    DELIVERY_COUNT,
    DELIVERY_MEANINGS,
    FROM_OFFSET,
    GAP_FREE,
    RECORD_OFFSET,
    SHARE_GROUP,
    SHARE_TOPIC,
    STATE_EPOCH,
    STATE_PARTITION,
    TO_OFFSET,
)
from assets.catalog.table import TIMESTAMP, Column, Interval, Table

_RANGE: Final = (CLUSTER, SHARE_GROUP, SHARE_TOPIC, TOPIC_ID, PARTITION, FROM_OFFSET, TO_OFFSET)
_KEY: Final = ("cluster", "state_partition", "record_offset", "from_offset")

SHARE_REDELIVERIES: Final = Table(
    "mart",
    "share_redeliveries",
    "Offsets that a share group got more than once, and how often at least.",
    _KEY,
    (
        *_RANGE,
        DELIVERY_COUNT,
        Column(
            "outcome",
            pa.string(),
            "State of these offsets in the last record about them.",
            values=DELIVERY_MEANINGS,
        ),
        Column("first_redelivered_at", TIMESTAMP, "When the first record was written that counts two or more."),
        Column("last_written_at", TIMESTAMP, "When the last record about them was written."),
        STATE_EPOCH,
        STATE_PARTITION,
        RECORD_OFFSET,
        GAP_FREE,
    ),
    intervals=(Interval("from_offset", "to_offset"),),
    is_key_promised=False,
)

SHARE_ARCHIVED: Final = Table(
    "mart",
    "share_archived",
    "Offsets that a share group gave up: archived, and not accepted by a member.",
    _KEY,
    (
        *_RANGE,
        Column(
            "cause",
            pa.string(),
            "Why, by the delivery count and the limit that was set then (group.share.delivery.count.limit, or the "
            "group's own share.delivery.count.limit).",
            values={
                "rejected": "a member rejected them: the count is below the limit",
                "out_of_attempts": "the count had reached the limit: released, rejected or expired at the last attempt",
                "never_delivered": "no record of them is for consumers, as of an aborted transaction",
                "unknown": "no configuration that was read tells the limit",
            },
            required=True,
        ),
        Column(
            "certainty",
            pa.string(),
            "How sure the cause is.",
            values={
                "proven": "the records and settings say so",
                "likely": "no log of KRaft was read, so the group may have a limit of its own",
            },
            required=True,
        ),
        DELIVERY_COUNT,
        Column("attempts_limit", pa.int64(), "The limit of deliveries then; NULL if unknown."),
        Column("archived_at", TIMESTAMP, "When the record was written that archived them."),
        STATE_EPOCH,
        STATE_PARTITION,
        RECORD_OFFSET,
        GAP_FREE,
    ),
    intervals=(Interval("from_offset", "to_offset"),),
    is_key_promised=False,
)

TABLES: Final = (SHARE_REDELIVERIES, SHARE_ARCHIVED)
