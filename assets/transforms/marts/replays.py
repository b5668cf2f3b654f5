"""What groups read again, some partitions of the offsets topic after the other.

Put here how the models of mart.replays get what they read: `ownership_ends`, the ends of ownership, `handovers`, the
same with the commits before them, which bisection finds in an index of commits, and `new_reset_commits` and
`new_reset_runs`, what became of keys that were set back. Of all three it is remembered what earlier runs looked up: a
run reads the new commits, and all of those keys only of which something else is new, too. The models judge.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assets import models
from assets.arrays.columns import flags
from assets.catalog import TABLES
from assets.catalog.memory import HANDOVER_COMMITS, RESET_COMMITS, RESET_RUNS, SEARCHED_PARTITIONS
from assets.catalog.table import TIMESTAMP
from assets.duckdb import session
from assets.storage.parquet_files import READ_AT_ONCE
from assets.transforms.declaration import EARLIER, EARLIER_ROWS, LATER, NEW_ROWS, TransformWithLookups
from assets.transforms.marts.commit_index import CommitIndex
from assets.transforms.marts.handovers import handovers, with_later_repeats
from assets.transforms.marts.lag_counts import UNKNOWN
from assets.transforms.marts.reset_histories import reset_histories

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

    from assets.catalog import Table
    from parsers.words import Int64Array

PIECES: Final = """
    SELECT min(log_partition) AS from_partition, max(log_partition) AS to_partition
    FROM (
        SELECT log_partition, (sum(rows) OVER (ORDER BY log_partition) - rows // 2) // 4000000 AS piece
        FROM (SELECT log_partition, sum(commits + removals) AS rows FROM internal.committed_partitions GROUP BY ALL)
    )
    GROUP BY piece
    ORDER BY piece
"""
"""Partitions of the offsets topic that have some four million commits together; each is where its middle lies."""
STEPS: Final = (
    *("replay_owner_ends", "replay_reset_causes", "replay_logs", "replay_batches", "replay_log_ends", "replay_bounds"),
    *("replay_former_owners", "replay_handovers", "replay_resets", "replay_reset_claims"),
)
"""The models below the last one, in the order in which they build on each other, each a table while a piece is made."""
LOOKUPS: Final = (
    *("replay_keys", "replay_reset_keys", "replay_group_states", "replay_earlier_ends", "replay_searched_keys"),
)
"""What is looked up, likewise."""
HISTORIES: Final = ("replay_reset_commits", "replay_reset_runs")
MEMORY: Final = (SEARCHED_PARTITIONS, HANDOVER_COMMITS, RESET_COMMITS, RESET_RUNS)
MODELS: Final = (
    *("replay_partitions", "ownership_ends", *LOOKUPS, "replay_commits", "replay_new_ends", "replay_earlier_handovers"),
    *("replay_reset_starts", *HISTORIES, *STEPS, "replays", *(one.name for one in MEMORY)),
)
TABLE: Final = TABLES["mart.replays"]
OPEN_KEYS: Final = """
    SELECT *, TRUE AS is_whole, -9223372036854775808 AS from_position FROM replay_keys SEMI JOIN open_keys USING (key)
"""
SEARCHED_FROM: Final = "SET VARIABLE searched_from = (SELECT min(from_position) FROM replay_searched_keys)"
"""A constant by which DuckDB leaves out what lies before."""
GOAL_COLUMNS: Final = ("key", "begins", "goal")
ALWAYS: Final = int(np.iinfo(np.int64).max)


def replays(connection: duckdb.DuckDBPyConnection) -> Iterator[pa.RecordBatch]:
    """The rows of mart.replays, a piece at a time, so that what has to be sorted is bounded."""
    begin(connection)
    for _ in session.each(connection, PIECES):
        yield from replays_of_piece(connection)
    _remember(connection, SEARCHED_PARTITIONS)


def replays_of_all(connection: duckdb.DuckDBPyConnection) -> Iterator[pa.RecordBatch]:
    """The same, where nothing is remembered."""
    forget(connection)
    return replays(connection)


def forget(connection: duckdb.DuckDBPyConnection) -> None:
    """Create what is found where nothing is remembered."""
    memory = {f"{EARLIER}{one.name}": one for one in MEMORY}
    for name, table in {NEW_ROWS: TABLES[TRANSFORM.searched], EARLIER_ROWS: TABLE, **memory}.items():
        connection.register(f"no_{name}", table.schema.empty_table())
        connection.execute(f"CREATE OR REPLACE TEMP VIEW {name} AS FROM no_{name}")


def begin(connection: duckdb.DuckDBPyConnection) -> None:
    """Create what all pieces share: up to where each partition was searched, and what the next run will remember."""
    _create(connection, "replay_partitions")
    for one in MEMORY:
        _create_empty(connection, f"{LATER}{one.name}", one)


def _create_empty(connection: duckdb.DuckDBPyConnection, name: str, table: Table) -> None:
    connection.register("no_rows", table.schema.empty_table())
    connection.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS FROM no_rows")
    connection.unregister("no_rows")


def replays_of_piece(connection: duckdb.DuckDBPyConnection) -> Iterator[pa.RecordBatch]:
    """The rows of the partitions that variables name; of all, where there are none."""
    index = look_up(connection)
    connection.register("handovers", _handovers(connection, index))
    _look_up_resets(connection, index)
    for model in (*HISTORIES, *STEPS):
        _create(connection, model)
    for one in (HANDOVER_COMMITS, RESET_COMMITS, RESET_RUNS):
        _remember(connection, one)
    claims = connection.sql(models.select("replays")).to_arrow_table()
    times = pa.array(_recovery_times(connection, claims, index))
    rows = claims.append_column("to_time", pc.if_else(pc.equal(times, UNKNOWN), None, times).cast(TIMESTAMP))
    yield from rows.select(list(TABLE.column_names)).to_batches(READ_AT_ONCE)


def look_up(connection: duckdb.DuckDBPyConnection) -> CommitIndex:
    """Find out whose commits are to be looked up, and read these."""
    connection.register("ownership_ends", connection.sql(models.select("ownership_ends")).to_arrow_table())
    for model in LOOKUPS:
        _create(connection, model)
    return _commit_index(connection)


def _create(connection: duckdb.DuckDBPyConnection, model: str) -> None:
    """Make a table of a model."""
    connection.execute(f"CREATE OR REPLACE TEMP TABLE {model} AS {models.select(model)}")


def _remember(connection: duckdb.DuckDBPyConnection, one: Table) -> None:
    """Add rows to what the next run is to remember."""
    connection.execute(f"INSERT INTO {LATER}{one.name} BY NAME {models.select(one.name)}")


def _commit_index(connection: duckdb.DuckDBPyConnection) -> CommitIndex:
    """The commits that are looked up."""
    ((keys,),) = connection.sql("SELECT coalesce(max(key) + 1, 0) FROM replay_keys").fetchall()
    connection.execute(SEARCHED_FROM)
    return CommitIndex.of(connection.sql(models.select("replay_commits")).to_arrow_table(), keys)


def _handovers(connection: duckdb.DuckDBPyConnection, index: CommitIndex) -> pa.Table:
    """The ends of ownership with the commits before them: looked up, or remembered."""
    ends = connection.sql(models.select("replay_new_ends")).to_arrow_table()
    new = handovers(ends, index)
    new = new.filter(new["is_new"]).drop_columns(["is_new"])
    earlier = connection.sql(models.select("replay_earlier_handovers")).to_arrow_table()
    return pa.concat_tables([new, with_later_repeats(earlier, index).select(new.column_names).cast(new.schema)])


def _look_up_resets(connection: duckdb.DuckDBPyConnection, index: CommitIndex) -> None:
    """Register what became of the keys that were set back."""
    starts = connection.sql(models.select("replay_reset_starts")).to_arrow_table()
    states = connection.sql("FROM replay_group_states ORDER BY grp, log_offset").to_arrow_table()
    for name, rows in reset_histories(index, starts, states)._asdict().items():
        connection.register(f"new_reset_{name}", rows)


def _recovery_times(connection: duckdb.DuckDBPyConnection, claims: pa.Table, index: CommitIndex) -> Int64Array:
    """When a commit reached the offset that the group had come to before each claim: the goal; UNKNOWN where none did.

    What is remembered of the same goal stays; else new commits may have reached it. Of a goal of which nothing is
    remembered, as new facts set another one, all commits of its key are looked up.
    """
    asks = [claims[name].to_numpy() for name in GOAL_COLUMNS]
    key, begins, _goal = asks
    whole = connection.sql("SELECT key FROM replay_searched_keys WHERE is_whole").to_arrow_table()["key"].to_numpy()
    is_whole = np.isin(key, whole)
    remembered = claims["earlier_time"].cast(pa.int64()).fill_null(UNKNOWN).to_numpy()
    times = np.where(is_whole | (remembered == UNKNOWN), index.passing_times(*asks), remembered)
    first = np.append(index.positions, ALWAYS)[np.where(index.high > index.low, index.low, index.positions.size)]
    is_open = ~is_whole & ~flags(claims["has_earlier_goal"]) & (begins < first[key])
    if is_open.any():
        connection.register("open_keys", pa.table({"key": np.unique(key[is_open])}))
        connection.execute(f"CREATE OR REPLACE TEMP TABLE replay_searched_keys AS {OPEN_KEYS}")
        times[is_open] = _commit_index(connection).passing_times(*(column[is_open] for column in asks))
    return times


TRANSFORM: Final = TransformWithLookups(replays, MODELS, MEMORY, "core.commits", (PIECES,))
