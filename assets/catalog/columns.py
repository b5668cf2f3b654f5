"""Columns that tables of several layers share, each with one meaning.

Put a column here once a second module has it. A column of one table stands with its table.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from assets.catalog.table import TIMESTAMP, Column

CLUSTER: Final = Column(
    "cluster", pa.string(), "cluster.id of the broker's meta.properties, or the name the user gave.", required=True
)

LOG_PARTITION: Final = Column(
    "log_partition",
    pa.int32(),
    "Partition of __consumer_offsets that holds the record; negative: the number of a store outside Kafka that holds "
    "the commit (raw.external_commits).",
    required=True,
)

LOG_OFFSET: Final = Column(
    "log_offset",
    pa.int64(),
    "Offset of the record in its partition of __consumer_offsets, or position of the commit in its store.",
    required=True,
)

STORE_KINDS: Final = {
    "zookeeper": "nodes of ZooKeeper",
    "spark_checkpoint": "the checkpoint of a Spark query",
    "sql_table": "a table in a database",
}
"""The kinds of stores outside Kafka in which consumers keep offsets."""

LOG_TOPIC: Final = Column("topic", pa.string(), "Topic whose log the file belongs to.", required=True)

TOPIC_PARTITION: Final = Column("partition", pa.int32(), "Partition whose log the file belongs to.", required=True)

PATH: Final = Column("path", pa.string(), "File that was read, as it was named to Lagbook.", required=True)

READ_AT: Final = Column("read_at", TIMESTAMP, "When Lagbook read it.", required=True)

TOPIC: Final = Column("topic", pa.string(), "Topic that the group consumes.", required=True)

PARTITION: Final = Column("partition", pa.int32(), "Partition of that topic.", required=True)

TOPIC_ID: Final = Column("topic_id", pa.string(), "Topic id, as Kafka prints it.", required=True)

GROUP_ID: Final = Column("group_id", pa.string(), "Consumer group.", required=True)

GROUP_TYPE: Final = Column(
    "group_type",
    pa.string(),
    "Kind of group then.",
    values={
        "classic": "the protocol of JoinGroup and SyncGroup",
        "consumer": "KIP-848",
        "share": "KIP-932",
        "streams": "KIP-1071",
        "zookeeper": "consumers that are members by nodes in ZooKeeper, as before Kafka 0.9",
    },
    required=True,
)

FROM_AT: Final = Column("from_at", TIMESTAMP, "When the coordinator appended the record.")

TO_AT: Final = Column(
    "to_at", TIMESTAMP, "When the record was appended that ended it; NULL while it stands, and for a removal."
)

TO_LOG_OFFSET: Final = Column(
    "to_log_offset", pa.int64(), "Log offset of that record; NULL while it stands, and for a removal."
)

IS_GAP_FREE: Final = Column(
    "is_gap_free",
    pa.bool_(),
    "Every offset of the log from the oldest record it rests on up to its end was seen. If not, it may have ended "
    "earlier than to_at says, and something else may have stood in between.",
    required=True,
)

IS_KNOWN: Final = Column(
    "is_known",
    pa.bool_(),
    "It is known what was committed, or that nothing was: no hole in the log (core.log_gaps) may hide a later commit.",
    required=True,
)

COMMIT_RECORD: Final = (
    Column(
        "current_offset",
        pa.int64(),
        "Next offset the group will read; NULL when that is not known.",
        minimum=0,
        is_promised=False,
    ),
    IS_KNOWN,
    Column("last_seen_offset", pa.int64(), "The last offset that was seen committed, whether it still stood or not."),
)
"""What is known of the offset of a key, as the macro state_at tells it."""
