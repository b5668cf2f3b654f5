"""What groups read again, some partitions of the offsets topic after the other.

Put here how the model of mart.replays comes to its rows: the commits that it rests on are put in order once, and looked
up by bisection. What is claimed of them is said by the model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pyarrow as pa

from assets import models
from assets.catalog import TABLES
from assets.catalog.table import TIMESTAMP
from assets.duckdb import session
from assets.storage.parquet_files import READ_AT_ONCE
from assets.transforms.marts.commit_index import Trails
from assets.transforms.marts.handovers import handed_over
from assets.transforms.marts.lag_counts import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

PIECES: Final = """
    SELECT min(log_partition) AS from_partition, max(log_partition) AS to_partition
    FROM (
        SELECT log_partition, (sum(count(*)) OVER (ORDER BY log_partition) - count(*) // 2) // 4000000 AS piece
        FROM core.commits GROUP BY log_partition
    )
    GROUP BY piece
    ORDER BY piece
"""
"""Partitions of the offsets topic that have some four million commits together; each is where its middle lies."""
ENDINGS: Final = (
    "FROM _ownership_ends(from_log := getvariable('from_partition'), to_log := getvariable('to_partition'))"
)
HANDED_OVER: Final = (
    "CREATE OR REPLACE TEMP MACRO _handovers(from_log := NULL, to_log := NULL) AS TABLE FROM handed_over"
)
"""What the macro would say, as it was found by bisection."""
STEPS: Final = (
    *("replay_owner_ends", "replay_set_backs", "replay_logs", "replay_batches", "replay_log_ends", "replay_bounds"),
    *("replay_former_owners", "replay_handovers", "replay_resets", "replay_reset_claims"),
)
"""The models below the last one, in the order in which they build on each other, each a table while a piece is made."""
MODELS: Final = ("replay_keys", "replay_commits", *STEPS, "replays")
COLUMNS: Final = TABLES["mart.replays"].column_names
LOOKED_FOR: Final = ("key", "begins", "goal")


def replays(connection: duckdb.DuckDBPyConnection) -> Iterator[pa.RecordBatch]:
    """The rows of mart.replays, a piece at a time, so that what has to be sorted is bounded."""
    for _ in session.each(connection, PIECES):
        yield from replays_of_piece(connection)


def replays_of_piece(connection: duckdb.DuckDBPyConnection) -> Iterator[pa.RecordBatch]:
    """The rows of the partitions that variables name; of all, where there are none."""
    endings = connection.sql(ENDINGS).to_arrow_table()
    trails = _trails(connection, endings)
    connection.register("handed_over", handed_over(endings, trails))
    connection.execute(HANDED_OVER)
    for model in STEPS:
        connection.execute(f"CREATE OR REPLACE TEMP TABLE {model} AS {models.select(model)}")
    for claims in connection.sql(models.select("replays")).to_arrow_reader(READ_AT_ONCE):
        yield made_up_for(claims, trails)


def _trails(connection: duckdb.DuckDBPyConnection, endings: pa.Table) -> Trails:
    """The commits of all keys of which replays may tell."""
    connection.register("ended_owners", endings)
    connection.execute(f"CREATE OR REPLACE TEMP TABLE replay_keys AS {models.select('replay_keys')}")
    connection.unregister("ended_owners")
    ((keys,),) = connection.sql("SELECT coalesce(max(key) + 1, 0) FROM replay_keys").fetchall()
    return Trails.of(connection.sql(models.select("replay_commits")).to_arrow_table(), keys)


def made_up_for(claims: pa.RecordBatch, trails: Trails) -> pa.RecordBatch:
    """Claims with the time when the group had come again to where it was: their goals."""
    key, begins, goal = (claims[name].to_numpy() for name in LOOKED_FOR)
    to_time = trails.came_to(key, begins, goal)
    times = pa.array(to_time, TIMESTAMP, mask=to_time == UNKNOWN)
    return claims.append_column("to_time", times).select(list(COLUMNS))
