"""Which names topic ids have by the records of the offsets topic.

Put columns here that one record tells of a topic id. What people ask is core.topics.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from assets.catalog.columns import CLUSTER, LOG_OFFSET, LOG_PARTITION, TOPIC_ID
from assets.catalog.table import TIMESTAMP, Column, Origin, Table

TOPIC_ID_NAMES: Final = Table(
    "internal",
    "topic_id_names",
    "Which name a topic id had where records of the offsets topic first said so.",
    ("cluster", "log_partition", "log_offset", "topic_id", "topic"),
    (
        CLUSTER,
        TOPIC_ID,
        Column("topic", pa.string(), "Topic that has it.", required=True),
        LOG_PARTITION,
        LOG_OFFSET,
        Column("recorded_at", TIMESTAMP, "When that record was appended."),
    ),
    origin=Origin.RECONSTRUCTION,
)

TABLES: Final = (TOPIC_ID_NAMES,)
