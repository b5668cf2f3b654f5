"""What groups read again, some partitions of the offsets topic after the other.

Put here how the models of mart.replays get what they read: `ownership_ends`, the ends of ownership, `handovers`, the
same with the commits before them, which bisection finds in an index of commits, and `reset_turns`, `reset_commits` and
`reset_runs`, what became of keys that were set back. The models judge.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pyarrow as pa

from assets import models
from assets.catalog import TABLES
from assets.catalog.table import TIMESTAMP
from assets.duckdb import session
from assets.storage.parquet_files import READ_AT_ONCE
from assets.transforms.declaration import Transform
from assets.transforms.marts.commit_index import CommitIndex
from assets.transforms.marts.handovers import handovers
from assets.transforms.marts.lag_counts import UNKNOWN
from assets.transforms.marts.reset_histories import ResetHistories, reset_histories

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

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
MODELS: Final = (
    *("ownership_ends", "replay_keys", "replay_commits", "replay_reset_keys", "replay_group_states"),
    *(*STEPS, "replays"),
)
COLUMNS: Final = TABLES["mart.replays"].column_names
GOAL_COLUMNS: Final = ("key", "begins", "goal")


def replays(connection: duckdb.DuckDBPyConnection) -> Iterator[pa.RecordBatch]:
    """The rows of mart.replays, a piece at a time, so that what has to be sorted is bounded."""
    for _ in session.each(connection, PIECES):
        yield from replays_of_piece(connection)


def replays_of_piece(connection: duckdb.DuckDBPyConnection) -> Iterator[pa.RecordBatch]:
    """The rows of the partitions that variables name; of all, where there are none."""
    ownership_ends = connection.sql(models.select("ownership_ends")).to_arrow_table()
    index = _commit_index(connection, ownership_ends)
    connection.register("handovers", handovers(ownership_ends, index))
    for name, rows in _reset_histories(connection, index)._asdict().items():
        connection.register(f"reset_{name}", rows)
    for model in STEPS:
        connection.execute(f"CREATE OR REPLACE TEMP TABLE {model} AS {models.select(model)}")
    for claims in connection.sql(models.select("replays")).to_arrow_reader(READ_AT_ONCE):
        yield with_recovery_times(claims, index)


def _commit_index(connection: duckdb.DuckDBPyConnection, ownership_ends: pa.Table) -> CommitIndex:
    """The commits of all keys of which replays may tell."""
    connection.register("ownership_ends", ownership_ends)
    connection.execute(f"CREATE OR REPLACE TEMP TABLE replay_keys AS {models.select('replay_keys')}")
    connection.unregister("ownership_ends")
    ((keys,),) = connection.sql("SELECT coalesce(max(key) + 1, 0) FROM replay_keys").fetchall()
    return CommitIndex.of(connection.sql(models.select("replay_commits")).to_arrow_table(), keys)


def _reset_histories(connection: duckdb.DuckDBPyConnection, index: CommitIndex) -> ResetHistories:
    """What became of the keys that were set back."""
    connection.execute(f"CREATE OR REPLACE TEMP TABLE replay_reset_keys AS {models.select('replay_reset_keys')}")
    reset_keys = connection.sql("FROM replay_reset_keys").to_arrow_table()
    group_states = connection.sql(models.select("replay_group_states")).to_arrow_table()
    return reset_histories(index, reset_keys, group_states)


def with_recovery_times(claims: pa.RecordBatch, index: CommitIndex) -> pa.RecordBatch:
    """Claims with `to_time`, when a commit reached the offset that the group had come to before: the goal."""
    key, begins, goal = (claims[name].to_numpy() for name in GOAL_COLUMNS)
    to_time = index.passing_times(key, begins, goal)
    times = pa.array(to_time, TIMESTAMP, mask=to_time == UNKNOWN)
    return claims.append_column("to_time", times).select(list(COLUMNS))


TRANSFORM: Final = Transform(replays, MODELS, (PIECES,))
