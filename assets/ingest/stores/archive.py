"""The commits of stores outside Kafka as rows of raw.external_commits, each once, whoever read it and how often.

Put here a store's number, and which of its commits are new. How a store is read is in the modules beside this.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from assets.catalog import TABLES
from assets.duckdb.database import in_memory
from assets.ingest.erased_groups import read_erased
from assets.storage.parquet_files import TableFiles

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from assets.storage.data_files import DataFile
    from assets.storage.warehouse import Warehouse
    from parsers.log.damage.quarantine import Trouble

EXTERNAL: Final = "raw.external_commits"
NUMBERS: Final = (1 << 31) - 1
_GIVEN: Final = ("cluster", "log_partition", "store_kind", "store", "read_at")
COMMITS: Final = pa.schema([field for field in TABLES[EXTERNAL].schema if field.name not in _GIVEN])
"""What a reader of a store gives: the columns of raw.external_commits but for those that name the store."""
_STORES: Final = f"""
SELECT DISTINCT store_kind, store FROM {EXTERNAL} WHERE cluster = $cluster AND log_partition = $number
"""  # noqa: S608 - names are ours
_NEW: Final = f"""
SELECT n.* FROM commits AS n
ANTI JOIN (SELECT log_offset FROM {EXTERNAL} WHERE cluster = $cluster AND log_partition = $number) AS a
    USING (log_offset)
ORDER BY log_offset
"""  # noqa: S608 - names are ours
_OTHER: Final = f"""
SELECT n.log_offset, n.source_file, a.source_file FROM commits AS n
JOIN (FROM {EXTERNAL} WHERE cluster = $cluster AND log_partition = $number) AS a USING (log_offset)
WHERE (n.group_id, n.topic, n.partition) <> (a.group_id, a.topic, a.partition)
   OR n.committed_offset IS DISTINCT FROM a.committed_offset
ORDER BY log_offset LIMIT 1
"""  # noqa: S608 - names are ours
_SAME_NUMBER: Final = (
    "the {0.store_kind} store {0.store} and the {1} store {2} of cluster {0.cluster} have the same number, {0.number}: "
    "the first is not read; give it another name, or read it into another warehouse"
)


@dataclass(frozen=True, slots=True)
class StoreRead:
    """The commits of one store, with the columns of `COMMITS`, a position no more than once."""

    cluster: str
    store_kind: str
    store: str
    commits: pa.Table
    events: pa.Table | None = None
    """What ZooKeeper tells of the members of groups."""

    @property
    def number(self) -> int:
        """The store's number, as `store_number` has it."""
        return store_number(self.store_kind, self.store)

    @property
    def place(self) -> dict[str, Any]:
        """The columns that name the store in each row."""
        return {"cluster": self.cluster, "store": self.store, "log_partition": self.number}


@dataclass(frozen=True, slots=True)
class StoreTrouble:
    """What of a store's file could not be read."""

    cluster: str
    path: str
    trouble: Trouble


@dataclass(frozen=True, slots=True)
class StoreReading:
    """What a reader found: the commits of each store, what to know of its sources next time, complaints, troubles."""

    reads: tuple[StoreRead, ...] = ()
    known: Mapping[str, Any] | None = None
    complaints: tuple[str, ...] = ()
    troubles: tuple[StoreTrouble, ...] = ()


def store_number(store_kind: str, store: str) -> int:
    """The negative number of a store, the same in every run and on every machine."""
    return -1 - zlib.crc32(f"{store_kind}\0{store}".encode(errors="surrogatepass")) % NUMBERS


def archive(warehouse: Warehouse, reads: Sequence[StoreRead], note: Mapping[str, Any], complaints: list[str]) -> int:
    """Append the commits that are new, and the note, in one commit; a refused store holds up no other.

    Gives how many are new.
    """
    transaction = warehouse.begin(TABLES[EXTERNAL])
    new = [(_new_commits(warehouse, read, complaints), {**read.place, "store_kind": read.store_kind}) for read in reads]
    written, count = write_rows(warehouse, EXTERNAL, new)
    if written:
        transaction.append(written, note)
    elif dict(note) != transaction.note:
        transaction.remember(note)
    return count


def write_rows(
    warehouse: Warehouse, name: str, parts: Iterable[tuple[pa.Table, Mapping[str, Any]]]
) -> tuple[list[DataFile], int]:
    """Write rows of a table, each part with what is the same in all of it, but for those of erased groups.

    Gives the files, which nobody has committed yet, and the number of rows.
    """
    erased, now = read_erased(warehouse), datetime.now(timezone.utc)
    left = [(rows.filter(pa.array(~erased.mask(rows["group_id"]))), known) for rows, known in parts if rows.num_rows]
    if not left:
        return [], 0
    folder = warehouse.new_folder(TABLES[name])
    warehouse.make_folder(folder)
    with TableFiles({name: folder}, "rows") as files:
        for rows, known in left:
            for batch in rows.combine_chunks().to_batches():
                files.write(name, batch, {**known, "read_at": now})
    return [file for _table, file in files.written()], sum(rows.num_rows for rows, _known in left)


def _new_commits(warehouse: Warehouse, read: StoreRead, complaints: list[str]) -> pa.Table:
    """The commits of a store that are not archived; none of a store whose number is another's."""
    parameters = {"cluster": read.cluster, "number": read.number}
    with in_memory(warehouse, [EXTERNAL]) as connection:
        stores = connection.execute(_STORES, parameters).fetchall()
        others = [one for one in stores if one != (read.store_kind, read.store)]
        if others:
            complaints.append(_SAME_NUMBER.format(read, *others[0]))
            return COMMITS.empty_table()
        connection.register("commits", read.commits)
        for position, path, archived_path in connection.execute(_OTHER, parameters).fetchall():
            complaints.append(
                f"{path}: position {position} of the {read.store_kind} store {read.store} of cluster {read.cluster}: "
                f"expected the commit that {archived_path} has there, found another; what the archive has stays"
            )
        new: pa.Table = connection.sql(_NEW, params=parameters).to_arrow_table()
    return new.cast(COMMITS)
