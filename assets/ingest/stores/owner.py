"""The cluster whose topics a store's offsets are of, where the store itself names none.

Put here the rule alone, which is that of other files without a cluster.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from assets.duckdb.database import in_memory
from parsers.files.discovery import UNNAMED_CLUSTER

if TYPE_CHECKING:
    from assets.storage.warehouse import Warehouse

_CLUSTERS: Final = "SELECT DISTINCT cluster FROM raw.segments ORDER BY cluster"


def cluster_of_stores(warehouse: Warehouse, named: str | None) -> str | None:
    """The cluster that was named, or the only one of the archive; None where there are several."""
    if named is not None:
        return named
    with in_memory(warehouse, ["raw.segments"]) as connection:
        clusters = [cluster for (cluster,) in connection.execute(_CLUSTERS).fetchall()]
    return clusters[0] if len(clusters) == 1 else None if clusters else UNNAMED_CLUSTER
