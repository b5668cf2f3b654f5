"""A DuckDB that has what the replay makes of log directories, without Spark: to be held against what brokers said."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from assets import models
from assets.catalog import TABLES
from assets.duckdb.database import begin, create_macros
from assets.transforms.coordinator import Coordinator
from assets.transforms.log_chunks import USUAL, Reader, replay_chunks
from assets.transforms.marts import commit_sums
from parsers.files.discovery import discover
from parsers.spark import SCHEMA, SegmentsReader
from parsers.text.coordinator.log import SCHEMA as COORDINATOR_LINES
from parsers.text.coordinator.log import read_coordinator_log
from tests.assets.rows import SUMS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from assets.transforms.projection import LogChunk, Tables


READ_BY_MACROS: Final = tuple(name for name in TABLES if name.startswith(("core.", "internal.")))


def database(logs: Sequence[Path], texts: Sequence[Path] = ()) -> duckdb.DuckDBPyConnection:
    """What all copies of the offsets topic of one cluster tell of its groups, and its coordinators' text logs."""
    connection = duckdb.connect()
    begin(connection)
    tables: dict[str, list[pa.Table]] = {name: [] for name in (*READ_BY_MACROS, *Coordinator.tables)}
    for partition, chunk in _chunks(logs):
        for name, rows in _replayed(chunk).items():
            tables[name].append(_with_place(rows, name, partition))
    for name, parts in tables.items():
        _create(connection, name, pa.concat_tables([_plain(name).empty_table(), *parts]))
    _create(connection, "raw.segments", _segments(logs))
    for name in ("raw.log_offset_samples", "raw.zookeeper_events"):
        _create(connection, name, _plain(name).empty_table())
    _create(connection, "raw.coordinator_events", _lines(texts))
    create_macros(connection)
    connection.execute(f"CREATE OR REPLACE TABLE core.topics AS {models.select('topics')}")
    connection.execute(f"CREATE OR REPLACE TABLE core.group_states AS {models.select('group_states')}")
    _create(connection, "earlier_sums", _plain(commit_sums.FULL_NAME).empty_table())
    connection.execute(f"CREATE OR REPLACE TABLE {commit_sums.FULL_NAME} AS {SUMS}")
    return connection


def _lines(texts: Sequence[Path]) -> pa.Table:
    """What coordinators wrote, as raw.coordinator_events has it."""
    lines = [pa.Table.from_batches(read_coordinator_log(str(text)), COORDINATOR_LINES) for text in texts]
    table = pa.concat_tables([COORDINATOR_LINES.empty_table(), *lines])
    rows = [{"cluster": "c", "repeat": 0, "path": "", **row} for row in table.to_pylist()]
    return pa.Table.from_pylist(rows, _plain("raw.coordinator_events"))


def _chunks(logs: Sequence[Path]) -> Iterator[tuple[int, LogChunk]]:
    """Each partition as one chunk, each record once, whichever copies have it."""
    readers = [SegmentsReader(str(log), "c") for log in logs]
    batches = [batch for reader in readers for part in reader.partitions() for batch in reader.read(part)]
    records = pa.Table.from_batches(batches, SCHEMA).set_column(0, "cluster", pa.array(["c"] * sum(map(len, batches))))
    for name in set(TABLES["raw.offset_records"].column_names) - set(records.column_names):
        kind = TABLES["raw.offset_records"].schema.field(name).type
        records = records.append_column(name, pa.nulls(records.num_rows, kind))
    for partition in pc.unique(records["log_partition"]).to_pylist():
        own = records.filter(pc.equal(records["log_partition"], partition)).sort_by("log_offset")
        own = own.filter(pc.fill_null(pc.not_equal(pc.pairwise_diff(own["log_offset"].combine_chunks()), 0), True))  # noqa: FBT003 - its value
        is_rare = pc.fill_null(pc.greater(own["record_type"], 1), fill_value=False)
        yield partition, Reader().chunk(own.filter(pc.invert(is_rare)).select([*USUAL]), own.filter(is_rare))


def _replayed(chunk: LogChunk) -> Tables:
    return replay_chunks(Coordinator.resume({}), [chunk])


def _with_place(rows: pa.Table, name: str, partition: int) -> pa.Table:
    """The rows with the columns that the replay adds."""
    for column, value in (("cluster", pa.scalar("c")), ("log_partition", pa.scalar(partition, pa.int32()))):
        rows = rows.append_column(column, pa.repeat(value, rows.num_rows))
    return rows.select(TABLES[name].column_names).cast(_plain(name))


def _plain(name: str) -> pa.Schema:
    return pa.schema([field.with_nullable(nullable=True) for field in TABLES[name].schema])


def _segments(logs: Sequence[Path]) -> pa.Table:
    """As much of raw.segments as tells the ids of topics."""
    segments = [one for log in logs for one in discover([str(log)], "c").segments if one.topic_id]
    rows = [{"cluster": "c", "topic": one.topic, "topic_id": one.topic_id} for one in segments]
    return pa.Table.from_pylist(rows, _plain("raw.segments"))


def _create(connection: duckdb.DuckDBPyConnection, name: str, rows: pa.Table) -> None:
    connection.register("computed_rows", rows)
    connection.execute(f"CREATE TABLE {name} AS FROM computed_rows")
    connection.unregister("computed_rows")
