"""What runs remember for the next one: tables of no use to anybody else, so no assets and not in the DuckDB file.

Put here what tables above the reconstruction remember. Its own checkpoints are in `assets.reconstruct.checkpoint`.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from assets.catalog.columns import CLUSTER
from assets.catalog.table import TIMESTAMP, Column, Table

FRONTIERS: Final = Table(
    "internal",
    "frontiers",
    "Up to which instant the rows of a table are final, and a digest of all that they rest on.",
    ("table_name", "cluster", "log_partition", "group_id", "topic", "partition"),
    (
        Column("table_name", pa.string(), "The table.", required=True),
        CLUSTER,
        Column("log_partition", pa.int32(), "Partition of __consumer_offsets; NULL where all are final together."),
        Column("group_id", pa.string(), "The group; NULL where all groups are final together."),
        Column("topic", pa.string(), "The data topic; NULL where all topics are final together."),
        Column("partition", pa.int32(), "The partition of the data topic; NULL where all are final together."),
        Column("final_to", TIMESTAMP, "Rows of instants before it are final.", required=True),
        Column("digest", pa.string(), "The digest of what these rows rest on.", required=True),
        Column("is_late", pa.bool_(), "Whether what they rest on changed before.", required=True),
    ),
)
