"""What ZooKeeper tells of the members of groups, as rows of raw.zookeeper_events, each once.

Put here which events are new. How they are read is in `assets.ingest.stores.zookeeper`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from assets.catalog import TABLES
from assets.duckdb.database import in_memory
from assets.ingest.stores.archive import write_rows
from parsers.zookeeper.event_nodes import EVENTS
from parsers.zookeeper.positions import PLACE_BITS

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from assets.ingest.stores.archive import StoreRead
    from assets.storage.warehouse import Warehouse

ZOOKEEPER_EVENTS: Final = "raw.zookeeper_events"
_NEW: Final = f"""
WITH archived_events AS (FROM {ZOOKEEPER_EVENTS} WHERE cluster = $cluster AND log_partition = $number)
SELECT n.* FROM events AS n
ANTI JOIN archived_events AS a
    ON a.log_offset = n.log_offset AND a.event = n.event AND a.group_id IS NOT DISTINCT FROM n.group_id
    AND a.topic IS NOT DISTINCT FROM n.topic AND a.partition IS NOT DISTINCT FROM n.partition
    AND a.member_id IS NOT DISTINCT FROM n.member_id AND (n.event <> 'snapshot_taken' OR a.source_file = n.source_file)
ANTI JOIN archived_events AS r
    ON r.event = 'transactions_read' AND n.event = 'transactions_read'
    AND r.from_log_offset <= n.from_log_offset AND r.log_offset >= n.log_offset
ORDER BY log_offset, event
"""  # noqa: S608 - names are ours
_OTHER: Final = f"""
SELECT n.source_file, n.batch_base_offset >> {PLACE_BITS} AS zxid, a.source_file FROM events AS n
JOIN (FROM {ZOOKEEPER_EVENTS} WHERE cluster = $cluster AND log_partition = $number) AS a USING (batch_base_offset)
WHERE n.timestamp_ms <> a.timestamp_ms AND n.event <> 'topic_present' AND a.event <> 'topic_present'
ORDER BY zxid LIMIT 1
"""  # noqa: S608 - names are ours
_SEVERAL: Final = (
    "{1}: zxid {2:#x} of the zookeeper store {0.store} of cluster {0.cluster}: expected the transaction that {3} has "
    "there, found one of another time; who was a member of a group is not read from files of another ensemble: read it "
    "with a --cluster of its own"
)


def archive_events(warehouse: Warehouse, reads: Sequence[StoreRead], complaints: list[str]) -> int:
    """Append the events that are new, and give how many; none of a store that is of another ensemble by now."""
    transaction = warehouse.begin(TABLES[ZOOKEEPER_EVENTS])
    new = [(_new_events(warehouse, read, complaints), read.place) for read in reads]
    written, count = write_rows(warehouse, ZOOKEEPER_EVENTS, new)
    if written:
        transaction.append(written, transaction.note)
    return count


def _new_events(warehouse: Warehouse, read: StoreRead, complaints: list[str]) -> pa.Table:
    """The events of a store that are not archived."""
    parameters = {"cluster": read.cluster, "number": read.number}
    with in_memory(warehouse, [ZOOKEEPER_EVENTS]) as connection:
        connection.register("events", read.events)
        for other in connection.execute(_OTHER, parameters).fetchall():
            complaints.append(_SEVERAL.format(read, *other))
            return EVENTS.empty_table()
        new: pa.Table = connection.sql(_NEW, params=parameters).to_arrow_table()
    return new.cast(EVENTS)
