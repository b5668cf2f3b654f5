"""What a reader of stores gives a run.

Put here the answer alone. Which readers there are is in `readers`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from assets.duckdb.database import in_memory
from parsers.files.discovery import UNNAMED_CLUSTER

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assets.ingest.stores.archive import StoreRead
    from assets.storage.warehouse import Warehouse
    from parsers.log.damage.quarantine import Trouble

_CLUSTERS = "SELECT DISTINCT cluster FROM raw.segments ORDER BY cluster"


class SetAside(NamedTuple):
    """What of a store could not be read, with the cluster and the path of its file."""

    cluster: str
    path: str
    trouble: Trouble


@dataclass(frozen=True, slots=True)
class StoreReading:
    """What a reader found: the commits of each store, what to know of its sources next time, and complaints."""

    reads: tuple[StoreRead, ...] = ()
    known: Mapping[str, Any] | None = None
    complaints: tuple[str, ...] = ()
    set_aside: tuple[SetAside, ...] = ()


def cluster_of_stores(warehouse: Warehouse, named: str | None) -> str | None:
    """The cluster of stores, which name none: the one that was named, or the only one; None where there are several."""
    if named is not None:
        return named
    with in_memory(warehouse, ["raw.segments"]) as connection:
        clusters = [cluster for (cluster,) in connection.execute(_CLUSTERS).fetchall()]
    return clusters[0] if len(clusters) == 1 else None if clusters else UNNAMED_CLUSTER
