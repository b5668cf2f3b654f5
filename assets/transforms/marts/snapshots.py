"""The offset store at the instants of a grid: stores that stay stand in their files, those that are missing are made.

Put here how the models of internal.offset_snapshots come together. What a store is, what it rests on, and which commits
are enough to read for it is said in these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from assets import models
from assets.storage.parquet_files import READ_AT_ONCE
from assets.transforms.declaration import TransformWithFrontiers

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb
    import pyarrow as pa

MODELS: Final = ("snapshot_seeds", "snapshot_news", "offset_snapshots")
UNIT: Final = ("cluster", "log_partition", "group_id")
READ_TO: Final = """
    SET VARIABLE read_to = (SELECT make_timestamptz(last_us // step_us * step_us) FROM snapshot_times)
"""
READ_FROM: Final = """
    SET VARIABLE read_from = (
        SELECT make_timestamptz(min((epoch_us(from_at) + step_us - 1) // step_us - 1) * any_value(step_us))
        FROM frontiers CROSS JOIN snapshot_times
    )
"""
COUNTED_FROM: Final = """
    SET VARIABLE counted_from = (
        SELECT min(counted_from)
        FROM snapshot_seeds SEMI JOIN snapshot_news USING (cluster, group_id, topic, partition)
    )
"""
STEPS_FROM: Final = """
    SET VARIABLE steps_from = (
        SELECT make_timestamptz(min(seed_step * step_us))
        FROM snapshot_seeds SEMI JOIN snapshot_news USING (cluster, group_id, topic, partition)
        CROSS JOIN snapshot_times
    )
"""
"""Between what something is read at all, as constants by which DuckDB leaves out what lies before and behind."""


def snapshots(connection: duckdb.DuckDBPyConnection) -> Iterator[pa.RecordBatch]:
    """The rows of internal.offset_snapshots from the frontiers on."""
    for bound in (READ_FROM, READ_TO):
        connection.execute(bound)
    for name in ("snapshot_seeds", "snapshot_news"):
        connection.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS {models.select(name)}")
    for bound in (COUNTED_FROM, STEPS_FROM):
        connection.execute(bound)
    yield from connection.sql(models.select("offset_snapshots")).to_arrow_reader(READ_AT_ONCE)


TRANSFORM: Final = TransformWithFrontiers(
    snapshots, MODELS, UNIT, "snapshot_frontiers", "snapshot_digests", ("snapshot_times",), "core.commits"
)
