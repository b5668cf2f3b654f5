"""Declared tables of a run: each is read, and gives the commits that are new.

Put here what of a table is read, and what of it is archived. What a row means belongs in `values`, which of them are
new in `changes`.
"""

from __future__ import annotations

import time
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from assets.duckdb.database import in_memory
from assets.ingest.stores.archive import COMMITS, EXTERNAL, StoreRead, StoreReading, StoreTrouble, store_number
from assets.ingest.stores.owner import cluster_of_stores
from assets.ingest.stores.positions import base_of, batch_of
from assets.ingest.stores.sql.changes import Key, Known, history_commits, sampled_commits
from assets.ingest.stores.sql.databases import rows_of
from assets.ingest.stores.sql.values import BadRow, stored_offset
from parsers.errors import SourceError
from parsers.log.damage.quarantine import Trouble

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from assets.ingest.plan import Sources
    from assets.ingest.stores.declared import SqlTable
    from assets.ingest.stores.sql.changes import StoredCommit
    from assets.ingest.stores.sql.values import StoredOffset
    from assets.storage.warehouse import Warehouse

KIND: Final = "sql_table"
REASON: Final = "row without a committed offset"
LATE_POSITIONS: Final = 10_000
"""So far back a history is read again: transactions may commit in another order than they took their numbers."""
MOST_ROWS: Final = 500_000
"""Of a table in one run: a history goes on in the next, current rows beyond are refused."""
MOST_SET_ASIDE: Final = 1000
FIRST_READING: Final = 1
"""Others may have come before the first sample, so the first position of all is left to them."""
WHOSE: Final = "expected the key cluster, for the archive has several, found none"
_LATEST: Final = f"""
SELECT group_id, topic, partition, latest.committed_offset, latest.timestamp_ms
FROM (
    SELECT group_id, topic, partition,
        arg_max({{'committed_offset': committed_offset, 'timestamp_ms': timestamp_ms}}, log_offset) AS latest
    FROM {EXTERNAL} WHERE cluster = $cluster AND log_partition = $number GROUP BY ALL
)
"""  # noqa: S608 - names are ours
_LAST: Final = f"""
SELECT max(log_offset) FROM {EXTERNAL} WHERE cluster = $cluster AND log_partition = $number
"""  # noqa: S608 - names are ours
_POSITIONS: Final = f"""
SELECT log_offset FROM {EXTERNAL} WHERE cluster = $cluster AND log_partition = $number AND log_offset >= $from
"""  # noqa: S608 - names are ours


def read_tables(warehouse: Warehouse, sources: Sources, known: Mapping[str, Any]) -> StoreReading:
    """The commits that are new in all declared tables; one that can't be read stops no other.

    What is known of a table is a digest of its rows that were set aside: they are told of when they change.
    """
    reads, complaints, troubles, digests = [], list[str](), list[StoreTrouble](), dict(known)
    for table in sources.stores.tables if sources.stores else ():
        try:
            read, bad = new_commits(warehouse, table, _cluster(warehouse, sources, table))
        except SourceError as error:
            complaints.append(str(error))
            continue
        reads.append(read)
        digests[table.name] = digest = _digest(bad)
        new = bad[:MOST_SET_ASIDE] if digest != known.get(table.name) else ()
        troubles += (StoreTrouble(read.cluster, table.declared_in, _trouble(one)) for one in new)
    return StoreReading(tuple(reads), digests, tuple(complaints), tuple(troubles))


def _cluster(warehouse: Warehouse, sources: Sources, table: SqlTable) -> str:
    cluster = table.cluster or cluster_of_stores(warehouse, sources.cluster)
    if cluster is None:
        raise SourceError(f"{table.declared_in} cluster: {WHOSE}")
    return cluster


def _digest(bad: Sequence[BadRow]) -> str | None:
    return sha256(repr(bad).encode("utf-8", "surrogateescape")).hexdigest()[:32] if bad else None


def new_commits(warehouse: Warehouse, table: SqlTable, cluster: str) -> tuple[StoreRead, list[BadRow]]:
    """The commits of a table that are not archived, and rows that are none."""
    number, bad = store_number(KIND, table.name), list[BadRow]()
    named = {"cluster": cluster, "number": number}
    new = _history if table.is_history else _sample
    commits = new(warehouse, table, named, bad)
    return StoreRead(cluster, KIND, table.name, _as_table(table, commits)), bad


def _sample(warehouse: Warehouse, table: SqlTable, named: Mapping[str, Any], bad: list[BadRow]) -> list[StoredCommit]:
    with in_memory(warehouse, [EXTERNAL]) as connection:
        latest = connection.execute(_LATEST, named).fetchall()
        ((last,),) = connection.execute(_LAST, named).fetchall()
    known = {Key(*row[:3]): Known(*row[3:]) for row in latest}
    batch = FIRST_READING if last is None else batch_of(last) + 1
    rows = list(_stored(table, table.statement(limit=MOST_ROWS + 1), bad))
    if len(rows) > MOST_ROWS:
        raise SourceError(f"{table.declared_in}: expected at most {MOST_ROWS:,} current rows, found more")
    return sampled_commits(rows, known, batch, time.time_ns() // 1_000_000, bad)


def _history(warehouse: Warehouse, table: SqlTable, named: Mapping[str, Any], bad: list[BadRow]) -> list[StoredCommit]:
    with in_memory(warehouse, [EXTERNAL]) as connection:
        ((last,),) = connection.execute(_LAST, named).fetchall()
        after = -1 if last is None else max(-1, batch_of(last) - LATE_POSITIONS)
        parameters = {**named, "from": base_of(after + 1)}
        known = {batch_of(one) for (one,) in connection.execute(_POSITIONS, parameters).fetchall()}
    return history_commits(_stored(table, table.statement(after, MOST_ROWS), bad), known, bad)


def _stored(table: SqlTable, statement: str, bad: list[BadRow]) -> Iterator[StoredOffset]:
    """The committed offsets of a table's rows; others are set aside."""
    for values in rows_of(table, statement):
        one = stored_offset(table, values)
        if isinstance(one, BadRow):
            bad.append(one)
        else:
            yield one


def _as_table(table: SqlTable, commits: Sequence[StoredCommit]) -> pa.Table:
    """The commits with the columns of an archive."""
    stored = [one.stored for one in commits]
    names = ("group_id", "topic", "partition", "committed_offset", "timestamp_ms", "metadata")
    columns: dict[str, list[Any]] = {
        **{name: [getattr(one, name) for one in stored] for name in names},
        "log_offset": [one.log_offset for one in commits],
        "batch_base_offset": [one.batch_base_offset for one in commits],
        **{name: [None] * len(stored) for name in ("version", "session_id")},
        "is_sampled": [one.is_sampled for one in commits],
        "source_file": [table.sqlite or table.declared_in] * len(stored),
    }
    return pa.table({name: columns[name] for name in COMMITS.names}, COMMITS)


def _trouble(bad: BadRow) -> Trouble:
    return Trouble(0, 0, None, REASON, bad.expected, bad.actual, b"")
