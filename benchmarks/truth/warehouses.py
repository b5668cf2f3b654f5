"""A warehouse of log directories with the tables that a scoreboard reads: made by the assets, without checks and Spark.

How it is made and opened belongs here. Which log directories it is made of is in `captures`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from unittest.mock import patch

import dagster as dg

from assets import core, marts, raw
from assets.duckdb import database
from assets.storage.warehouse import Warehouse
from dagster_project.resources import resources
from dagster_project.settings import Settings
from tests.assets.inline import inline

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import duckdb

TABLES: Final = ("raw.offset_records", "core.commits", "mart.replays", "mart.skips", "mart.findings", "mart.incidents")
_ASSETS: Final = [*raw.ASSETS, *core.ASSETS, *marts.ASSETS]
_NEEDED: Final = dg.AssetSelection.assets(["mart", "incidents"]).upstream().required_multi_asset_neighbors()
_QUIET: Final[dict[str, Any]] = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


def read(warehouse: Path, logs: Sequence[Path], cluster: str) -> None:
    """Read log directories into a warehouse as `lagbook run` does, and refresh what incidents are made of."""
    warehouse.mkdir(parents=True, exist_ok=True)
    given = resources(Settings(tuple(map(str, logs)), str(warehouse), cluster))
    inlined = patch("dagster_project.resources.start_session", lambda _: inline())
    with inlined, dg.DagsterInstance.ephemeral() as instance:
        dg.materialize(_ASSETS, resources=given, instance=instance, selection=_NEEDED, run_config=_QUIET)


def connect(warehouse: Path) -> duckdb.DuckDBPyConnection:
    """A connection to the tables of a warehouse."""
    return database.in_memory(Warehouse(str(warehouse)), TABLES)
