"""Names of topic ids from files and brokers, for logs that only have the ids.

Put here the tables that have such names. `assets.transforms.topic_names` finds names in records.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from assets.duckdb.database import in_memory

if TYPE_CHECKING:
    from assets.storage.warehouse import Warehouse

Names = tuple[tuple[str, str], ...]
"""Topic ids, each with its name."""
SOURCES: Final = ("raw.segments", "raw.log_offset_samples")
NAMES: Final = """
SELECT cluster, topic_id, topic FROM raw.segments WHERE topic_id IS NOT NULL
UNION
SELECT cluster, topic_id, topic FROM raw.log_offset_samples WHERE topic_id IS NOT NULL
ORDER BY ALL
"""


def topic_id_names(warehouse: Warehouse) -> dict[str, Names]:
    """The names of topic ids, by cluster."""
    by_cluster: dict[str, list[tuple[str, str]]] = defaultdict(list)
    with in_memory(warehouse, SOURCES) as connection:
        for cluster, topic_id, topic in connection.execute(NAMES).fetchall():
            by_cluster[cluster].append((topic_id, topic))
    return {cluster: tuple(names) for cluster, names in by_cluster.items()}
