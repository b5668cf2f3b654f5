"""Recorded logs in a warehouse of their own, made without starting Spark: raw and core tables, and marts by models.

Put here how they come to be. What must be found in them belongs in the tests.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from assets.catalog import TABLES
from assets.duckdb import database
from assets.ingest.broker_files.configurations import keep_configurations
from assets.ingest.ingest import ingest
from assets.ingest.plan import Sources, plan
from assets.materialize import from_model
from assets.reconstruct.reconstruct import replay
from assets.steps.table_steps import from_any_transform
from assets.storage.warehouse import Warehouse
from assets.transforms.marts import commit_sums
from tests.assets.inline import inline

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import duckdb

MODELS: Final = (
    "core.group_states",
    "core.topics",
    "core.log_ends",
    "mart.offsets_now",
    "mart.lag_now",
    "mart.commit_cadence",
    "mart.open_transactions",
    "mart.expiry_forecast",
    "mart.stale_offsets",
    "mart.offsets_topic_usage",
    "mart.offsets_topic_compaction",
    "mart.log_coverage",
    "mart.skips",
)
"""Each behind those that it is made from."""


def warehouse_of(logs: Sequence[Path], folder: Path, cluster: str | None = None) -> Warehouse:
    """Read the logs in one run, and make every table that Spark is not needed for."""
    warehouse = Warehouse(str(folder))
    for table in TABLES.values():
        warehouse.begin(table)
    read(warehouse, logs, cluster)
    return warehouse


def read(warehouse: Warehouse, logs: Sequence[Path], cluster: str | None = None) -> None:
    """A run over logs: what is new of them, and all that follows from it."""
    sources = Sources(tuple(map(str, logs)), cluster)
    ingest(inline, warehouse, plan(warehouse, sources))
    replay(inline, warehouse)
    keep_configurations(warehouse, sources)
    from_any_transform(warehouse, TABLES[commit_sums.FULL_NAME], commit_sums.TRANSFORM)
    for name in MODELS:
        from_model(warehouse, TABLES[name])


@contextmanager
def opened(warehouse: Warehouse) -> Iterator[duckdb.DuckDBPyConnection]:
    """Every table and macro."""
    with database.in_memory(warehouse, TABLES) as connection:
        database.create_macros(connection)
        yield connection
