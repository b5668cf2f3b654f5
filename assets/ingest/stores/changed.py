"""The stores in which something is new, for the plan of a run: checkpoints by their files, tables by their rows.

Put here the comparison. `readers` reads what is new.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from assets.ingest.broker_files.configuration_files import ChangedFile
from assets.ingest.stores.archive import EXTERNAL, StoreReading
from assets.ingest.stores.spark import reader as spark
from assets.ingest.stores.sql import reader as sql
from parsers.spark_checkpoints.checkpoint_files import checkpoints_among

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from assets.ingest.plan import Sources
    from assets.storage.warehouse import Warehouse
    from parsers.files.discovery import Discovery


def changed_stores(
    warehouse: Warehouse, sources: Sources, discoveries: Sequence[Discovery]
) -> tuple[tuple[ChangedFile, ...], tuple[str, ...]]:
    """Checkpoints and tables with something new, each with a digest of it; and why others can't be read."""
    complaints = list[str]()
    checkpoint_files = checkpoints_among(file for one in discoveries for file in one.checkpoint_files)
    checkpoint_files += spark.declared_checkpoints(sources, complaints)
    known = warehouse.note(EXTERNAL) if checkpoint_files or sources.stores else {}
    checkpoints = spark.changed_checkpoints(checkpoint_files, sources, known.get(spark.KIND, {}))
    known_tables = known.get(sql.KIND, {})
    tables = sql.read_tables(warehouse, sources, known_tables) if sources.stores else StoreReading()
    changed = (
        *(ChangedFile(one.files.path, digest) for digest, one in checkpoints.items()),
        *_changed_tables(tables, known_tables),
    )
    return changed, (*complaints, *tables.complaints)


def _changed_tables(reading: StoreReading, known: Mapping[str, Any]) -> Iterator[ChangedFile]:
    """The tables with new commits or other rows; the digest is that of what they say, whenever they are read."""
    for one in reading.reads:
        bad = (reading.known or {}).get(one.store)
        if one.commits.num_rows or bad != known.get(one.store):
            offsets = one.commits.select(["group_id", "topic", "partition", "committed_offset"]).to_pylist()
            text = repr([offsets, bad]).encode("utf-8", "surrogateescape")
            yield ChangedFile(one.store, sha256(text).hexdigest()[:32])
