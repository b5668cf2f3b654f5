"""Who owned a partition, from when to when.

Put columns here that hold of one owner of one partition. What owners did belongs in the mart layer.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import pyarrow as pa

from assets.catalog.columns import CLUSTER, GROUP_ID, GROUP_TYPE, LOG_PARTITION
from assets.catalog.table import TIMESTAMP, Column, Interval, Origin, Table

OWNERSHIP: Final = Table(
    "core",
    "ownership",
    "Who owned a partition in a group, from when to when, and how that ended: no two at a time. Share groups, whose "
    "members read the same partitions, have no owners.",
    ("cluster", "log_partition", "log_offset", "group_id", "topic", "topic_id", "partition", "member_id"),
    (
        CLUSTER,
        GROUP_ID,
        replace(
            GROUP_TYPE,
            values={name: GROUP_TYPE.values[name] for name in ("classic", "consumer", "streams", "zookeeper")},
        ),
        Column("topic", pa.string(), "Topic; NULL in consumer groups, which write ids: core.topics has their names."),
        Column("topic_id", pa.string(), "Topic id, in consumer groups; NULL in the others, which write names."),
        Column("partition", pa.int32(), "Partition of it.", required=True, minimum=0, is_promised=False),
        Column("member_id", pa.string(), "The owner.", required=True),
        Column("group_instance_id", pa.string(), "group.instance.id of a static member; NULL for a dynamic one."),
        Column("client_id", pa.string(), "client.id of the owner; NULL where the record was not seen."),
        Column("client_host", pa.string(), "Where the owner connects from; NULL where the record was not seen."),
        Column("generation", pa.int32(), "Generation of the group, or epoch of the member, when it was first seen."),
        Column("last_generation", pa.int32(), "The same when it was last seen; it may have owned it through many."),
        LOG_PARTITION,
        Column("log_offset", pa.int64(), "First record seen by which it owned the partition.", required=True),
        Column("seen_at", TIMESTAMP, "When that record was appended."),
        Column(
            "from_log_offset",
            pa.int64(),
            "Record by which it came to own it: log_offset again, or NULL where it may have owned it before, because "
            "unseen offsets lie there.",
        ),
        Column("from_at", TIMESTAMP, "When that record was appended; NULL where the beginning is not known."),
        Column("revoking_at", TIMESTAMP, "When it was told to give the partition up, if it ended so; else NULL."),
        Column(
            "to_log_offset",
            pa.int64(),
            "Record by which it owned the partition no longer; NULL while it does, and where the end is not known.",
        ),
        Column("to_at", TIMESTAMP, "When that record was appended; NULL while it owns it or the end is not known."),
        Column("until_log_offset", pa.int64(), "First record seen by which it owned it no longer; NULL while it does."),
        Column("until_at", TIMESTAMP, "When that record was appended; NULL while it owns the partition."),
        Column(
            "end_reason",
            pa.string(),
            "How it ended; NULL while the member owns the partition.",
            values={
                "revoked": "it stayed a member",
                "left_or_expired": "records can't tell one from the other",
                "left": "it closed its session with ZooKeeper",
                "expired": "ZooKeeper ended its session, of which it heard nothing any more",
                "replaced": "its static instance came back as another member",
                "removed": "the group was removed",
                "converted": "the group became another kind of group",
                "unknown": "without until_at too: it may own it still",
            },
        ),
    ),
    origin=Origin.RECONSTRUCTION,
    intervals=(Interval("log_offset", "until_log_offset"),),
)

TABLES: Final = (OWNERSHIP,)
