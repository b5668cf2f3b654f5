"""A claim made again from rows alone, in memory: reconstruction, models and transforms as in a run, without Spark.

Put here which tables are made and from what. Which rows there are is decided by `assets.evidence.packed_rows`.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from assets import models
from assets.catalog import TABLES
from assets.catalog.raw import internal_records
from assets.catalog.raw.external import ZOOKEEPER_EVENTS
from assets.catalog.raw.records import OFFSET_RECORDS
from assets.duckdb.database import begin, create_macros
from assets.ingest.slice_writer import MISPLACED
from assets.ingest.stores.archive import EXTERNAL
from assets.materialize import model_reads
from assets.reconstruct.damage import DAMAGED
from assets.reconstruct.projections import PROJECTIONS, STORE_PROJECTIONS
from assets.reconstruct.raw_records import EVENT_ORDER
from assets.reconstruct.topic_id_facts import NAMES
from assets.storage.parquet_files import READ_AT_ONCE
from assets.transforms.declaration import Transform, TransformWithMemory
from assets.transforms.internal_records import mirror
from assets.transforms.log_chunks import USUAL, Reader, replay_chunks
from assets.transforms.marts import commit_sums, replays
from assets.transforms.projection import RUNS, StoreEvents
from assets.transforms.shares import share_states
from assets.transforms.topic_names import external_names
from parsers.files.discovery import OFFSETS_TOPIC

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from assets.transforms.declaration import AnyTransform
    from assets.transforms.log_chunks import Spans
    from assets.transforms.projection import LogChunk, Projection

RECORDS: Final = OFFSET_RECORDS.full_name
INTERNAL_RECORDS: Final = internal_records.INTERNAL_RECORDS.full_name
OUTPUTS: Final = (
    *("core.group_states", "core.log_ends", "core.topics"),
    *("internal.batch_index", "core.log_end_bounds", "internal.commits_after_gaps", commit_sums.FULL_NAME),
    "internal.group_partitions",
    *("internal.rebalance_spans", "mart.member_changes", "mart.partition_moves", "mart.rebalances"),
    *("mart.rebalance_storms", "mart.skips", "mart.replays"),
    *("core.share_states", "core.share_deliveries", "mart.share_archived"),
    *("core.mirror_checkpoints", "core.mirror_offset_syncs", "mart.mirror_flows", "mart.mirror_checkpoints"),
    *("mart.findings", "mart.incidents"),
)
"""The tables that are made of rows, in their order; all others that these read are empty."""
TRANSFORMS: Final[dict[str, AnyTransform]] = {
    "mart.replays": replays.TRANSFORM,
    commit_sums.FULL_NAME: commit_sums.TRANSFORM,
    "core.share_states": share_states.TRANSFORM,
    "core.mirror_checkpoints": mirror.CHECKPOINTS,
    "core.mirror_offset_syncs": mirror.OFFSET_SYNCS,
}
"""Those of them that no model makes."""
KINDS: Final = frozenset({"skip", "replay", "storm", "restarts", "archived", "stuck", "failover"})
"""Kinds of incidents that these tables tell of."""
_MEMORY: Final = "2GB"


@contextmanager
def claim_tables(rows: Mapping[str, pa.Table]) -> Iterator[duckdb.DuckDBPyConnection]:
    """A database in memory that has these rows of raw tables, or of raw and reconstructed ones, and all made of them.

    It reaches no file and no network.
    """
    with duckdb.connect(config={"memory_limit": _MEMORY, "threads": 2}) as connection:
        begin(connection)
        connection.execute("SET enable_external_access = false")
        for name in needed():
            fill(connection, name, rows.get(name, TABLES[name].schema.empty_table()))
        create_macros(connection)
        if RECORDS in rows:
            _reconstruct(connection, rows[RECORDS])
        if EXTERNAL in rows:
            _reconstruct_stores(connection, rows[EXTERNAL], rows[ZOOKEEPER_EVENTS.full_name])
        for name in (one for one in OUTPUTS if one not in rows):
            _make(connection, name)
        yield connection


def fill(connection: duckdb.DuckDBPyConnection, name: str, rows: pa.Table) -> None:
    """Create a table with these rows; columns that they lack are NULL, or what they follow from."""
    table = TABLES[name]
    connection.register("given_rows", table.schema.empty_table())
    connection.execute(f"CREATE OR REPLACE TABLE {name} AS FROM given_rows")
    connection.unregister("given_rows")
    _insert(connection, name, rows)


@cache
def needed() -> tuple[str, ...]:
    """The tables that those in `OUTPUTS` read, and these themselves."""
    reads = frozenset({"raw.quarantine"}).union(*(_reads(name) for name in OUTPUTS))
    return tuple(name for name in TABLES if name in reads or name in OUTPUTS)


def _reads(name: str) -> frozenset[str]:
    return TRANSFORMS[name].reads if name in TRANSFORMS else model_reads(TABLES[name])


def _insert(connection: duckdb.DuckDBPyConnection, name: str, rows: pa.Table) -> None:
    """Insert rows by the names of their columns; a column that is derived from others is worked out."""
    given = [column for column in TABLES[name].columns if column.name in rows.column_names or column.derived]
    selections = [f'"{column.name}"' if column.name in rows.column_names else column.selection for column in given]
    names = ", ".join(f'"{column.name}"' for column in given)
    connection.register("given_rows", rows)
    connection.execute(f"INSERT INTO {name} ({names}) SELECT {', '.join(selections)} FROM given_rows")  # noqa: S608 - names of the catalog
    connection.unregister("given_rows")


def _make(connection: duckdb.DuckDBPyConnection, name: str) -> None:
    """Make a table, as a run does."""
    batches = list(_batches(connection, name))
    if batches:
        fill(connection, name, pa.Table.from_batches(batches))


def _batches(connection: duckdb.DuckDBPyConnection, name: str) -> Iterator[pa.RecordBatch]:
    """The rows of a table, made of the others."""
    transform = TRANSFORMS.get(name)
    if isinstance(transform, Transform):
        yield from transform.rows(connection)
    elif isinstance(transform, TransformWithMemory):
        yield from transform.rows(connection, False)  # noqa: FBT003 - as from_transform_with_memory passes it
    elif name == "mart.replays":
        yield from replays.replays_of_all(connection)
    elif name == commit_sums.FULL_NAME:
        yield from commit_sums.sums_of_all(connection).to_batches(READ_AT_ONCE)
    else:
        yield from connection.sql(models.select(name.partition(".")[2])).to_arrow_reader(READ_AT_ONCE)


def _reconstruct(connection: duckdb.DuckDBPyConnection, records: pa.Table) -> None:
    """Fill the tables of the coordinator's replay with what the records of each log say."""
    for log, of_log in _logs(records):
        damaged = _damaged(connection, log)
        names = tuple((row[1], row[2]) for row in connection.execute(NAMES).fetchall() if row[0] == log["cluster"])
        reader = Reader(names=external_names(names), damaged=damaged)
        _replay(connection, _chunk(reader, of_log), PROJECTIONS, log)


def _reconstruct_stores(connection: duckdb.DuckDBPyConnection, commits: pa.Table, events: pa.Table) -> None:
    """Fill the same tables with what the commits of each store say, and what it tells of members."""
    events_of_store = {tuple(log.values()): of_store.sort_by(EVENT_ORDER) for log, of_store in _logs(events)}
    for log, of_store in _logs(commits):
        rows = events_of_store.get(tuple(log.values()), events.slice(0, 0))
        runs = rows.filter(pc.equal(rows["event"], "transactions_read")).select(RUNS.names)
        _replay(connection, Reader().store_chunk(of_store, StoreEvents(rows, runs)), STORE_PROJECTIONS, log)


def _logs(records: pa.Table) -> Iterator[tuple[dict[str, Any], pa.Table]]:
    """The records of each log or store in their order."""
    for log in records.group_by(["cluster", "log_partition"]).aggregate([]).to_pylist():
        is_of_log = pc.and_(
            pc.equal(records["cluster"], log["cluster"]), pc.equal(records["log_partition"], log["log_partition"])
        )
        yield log, records.filter(is_of_log).sort_by("log_offset")


def _damaged(connection: duckdb.DuckDBPyConnection, log: Mapping[str, Any]) -> Spans:
    spans = connection.execute(DAMAGED, {"topic": OFFSETS_TOPIC, "misplaced": MISPLACED[0]}).fetchall()
    return tuple((span[2], span[3]) for span in spans if (span[0], span[1]) == (log["cluster"], log["log_partition"]))


def _chunk(reader: Reader, records: pa.Table) -> LogChunk:
    """The records of one log as a chunk."""
    is_rare = _is_rare(records)
    return reader.chunk(records.filter(pc.invert(is_rare)).select(list(USUAL)), records.filter(is_rare))


def _replay(
    connection: duckdb.DuckDBPyConnection,
    chunk: LogChunk,
    projections: Mapping[str, type[Projection]],
    log: Mapping[str, Any],
) -> None:
    """Replay one log by every projection that fills a table which is needed."""
    for kind in projections.values():
        names = [name for name in kind.tables if name in needed()]
        rows = replay_chunks(kind.resume({}), [chunk]) if names else {}
        for name in names:
            _insert_of_log(connection, name, rows[name], log)


def _insert_of_log(connection: duckdb.DuckDBPyConnection, name: str, rows: pa.Table, log: Mapping[str, Any]) -> None:
    """Insert the rows of one log, which lack its name."""
    columns = {one: pa.repeat(pa.scalar(log[one]), rows.num_rows) for one in ("cluster", "log_partition")}
    _insert(connection, name, pa.table({**columns, **{one: rows[one] for one in rows.column_names}}))


def _is_rare(records: pa.Table) -> pa.ChunkedArray:
    """Which records have a rare column: those stand apart, as in the files of the table."""
    rare = [pc.is_valid(records[name]) for name in OFFSET_RECORDS.rare if name in records.column_names]
    mask = rare[0]
    for one in rare[1:]:
        mask = pc.or_(mask, one)
    return mask
