"""The kinds of stores outside Kafka, and what a run reads of them.

Put a kind here by its reader. How a store is read is in a module of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from assets.ingest.stores.archive import EXTERNAL, archive
from assets.ingest.stores.quarantine import set_aside
from assets.ingest.stores.spark import reader as spark
from assets.ingest.stores.sql import reader as sql
from assets.ingest.stores.zookeeper import KIND, read_zookeeper
from assets.ingest.stores.zookeeper_events import archive_events

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from assets.ingest.plan import Sources
    from assets.ingest.stores.archive import StoreReading
    from assets.storage.warehouse import Warehouse

    Reader = Callable[[Warehouse, Sources, Mapping[str, Any]], StoreReading]


READERS: Final[Mapping[str, Reader]] = {
    KIND: read_zookeeper,
    spark.KIND: spark.read_checkpoints,
    sql.KIND: sql.read_tables,
}
"""By kind of store; each reads the sources of a run, and takes what it gave as known in the last one."""


class ExternalRows(NamedTuple):
    """The number of new commits and of new events, and complaints."""

    commits: int
    events: int
    complaints: tuple[str, ...]


def keep_external_commits(warehouse: Warehouse, sources: Sources) -> ExternalRows:
    """Read what is new in all stores: events first, since the note of the commits says which files were read."""
    note = warehouse.note(EXTERNAL)
    readings = {kind: read(warehouse, sources, note.get(kind, {})) for kind, read in READERS.items()}
    known = {kind: reading.known for kind, reading in readings.items() if reading.known is not None}
    complaints = [sentence for reading in readings.values() for sentence in reading.complaints]
    complaints += set_aside(warehouse, [one for reading in readings.values() for one in reading.troubles])
    reads = [one for reading in readings.values() for one in reading.reads]
    events = archive_events(warehouse, [one for one in reads if one.events is not None], complaints)
    rows_new = archive(warehouse, reads, {**note, **known}, complaints)
    return ExternalRows(rows_new, events, tuple(complaints))
