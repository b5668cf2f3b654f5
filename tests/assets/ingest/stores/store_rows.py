"""Commits of a store outside Kafka, for tests of what is archived and replayed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from assets.ingest.stores.archive import COMMITS, StoreRead

if TYPE_CHECKING:
    from collections.abc import Sequence

STEP = 1 << 16
_READ = {"is_sampled": False, "source_file": "f"}


def commit(number: int, offset: int | None, **values: Any) -> dict[str, Any]:  # noqa: ANN401 - the columns of a commit
    """The commit of a number of g's t-0; without an offset a removal."""
    place = {"log_offset": number * STEP, "batch_base_offset": number * STEP, "timestamp_ms": 1000 * number}
    key = {"group_id": "g", "topic": "t", "partition": 0, "committed_offset": offset}
    return {**place, **key, "metadata": None, "version": None, "session_id": None, **_READ, **values}


def store(commits: Sequence[dict[str, Any]], name: str = "/", cluster: str = "c") -> StoreRead:
    """A store with these commits."""
    return StoreRead(cluster, "zookeeper", name, pa.Table.from_pylist(commits, COMMITS))
