"""Recorded logs in a warehouse of their own, made without starting Spark: raw and core tables, and marts by models.

Put here how they come to be. What must be found in them belongs in the tests.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from assets.catalog import TABLES
from assets.core import LOG_ENDS, STATES, TOPICS
from assets.duckdb import database
from assets.ingest.broker_files.configurations import keep_configurations
from assets.ingest.ingest import ingest
from assets.ingest.plan import Sources, plan
from assets.maintenance_marts import BILLED, CLEANED, COMMITS, FORECAST, LEFT, OPEN
from assets.marts import LAGS_NOW, READS, SKIPPED
from assets.materialize import by_model
from assets.reconstruct.reconstruct import replay
from assets.storage.warehouse import Warehouse
from tests.assets.inline import inline

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import duckdb

MODELS: Final = {
    "mart.commit_cadence": COMMITS,
    "mart.open_transactions": OPEN,
    "mart.expiry_forecast": FORECAST,
    "mart.stale_offsets": LEFT,
    "mart.offsets_topic_usage": BILLED,
    "mart.offsets_topic_compaction": CLEANED,
    "mart.log_coverage": READS,
    "mart.skips": SKIPPED,
}


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
    by_model(warehouse, "core.group_states", STATES)
    by_model(warehouse, "core.topics", TOPICS)
    by_model(warehouse, "core.log_ends", LOG_ENDS)
    by_model(warehouse, "mart.offsets_now")
    by_model(warehouse, "mart.lag_now", LAGS_NOW)
    for name, inputs in MODELS.items():
        by_model(warehouse, name, inputs)


def opened(warehouse: Warehouse) -> duckdb.DuckDBPyConnection:
    """Every table and macro."""
    connection = database.in_memory(warehouse, TABLES)
    database.create_macros(connection)
    return connection
