"""A warehouse of log directories with the tables that a scoreboard reads: made by the steps, without rules and Spark.

How it is made and opened belongs here. Which log directories it is made of is in `captures`.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from assets.duckdb import database
from assets.graph import STEPS
from assets.spark.lazy_spark import LazySpark
from assets.steps.in_order import in_order, run_in_order
from assets.steps.step import RuleResults, RunContext
from assets.storage.warehouse import Warehouse
from dagster_project.settings import Settings
from tests.assets.inline import inline

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    import duckdb

    from assets.steps.step import Step, TableResult

TABLES: Final = ("raw.offset_records", "core.commits", "mart.replays", "mart.skips", "mart.findings", "mart.incidents")


class _Strict:
    """Raises what goes wrong."""

    def take_start(self, _step: str) -> None:
        """Nothing to do."""

    def take_table(self, _step: str, _result: TableResult) -> None:
        """Nothing to do."""

    def take_error(self, _step: str, error: Exception) -> None:
        """Raise it."""
        raise error


def read(warehouse: Path, logs: Sequence[Path], cluster: str) -> None:
    """Read log directories into a warehouse as `lagbook run` does, and refresh what incidents are made of."""
    warehouse.mkdir(parents=True, exist_ok=True)
    given = Settings(tuple(map(str, logs)), str(warehouse), cluster)
    log = logging.getLogger(__name__)
    run = RunContext(given.open_warehouse(), given.sources, LazySpark(inline), lambda _table: RuleResults({}), log)
    run_in_order(_steps_for({"mart.incidents"}), run, _Strict())


def _steps_for(names: set[str]) -> list[Step]:
    """The steps that make these tables, and those before them."""
    needed, steps = set(names), []
    for step in reversed(in_order(STEPS)):
        if needed & step.reads.keys():
            steps.append(step)
            needed.update(*step.reads.values())
    return steps


def connect(warehouse: Path) -> AbstractContextManager[duckdb.DuckDBPyConnection]:
    """A connection to the tables of a warehouse."""
    return database.in_memory(Warehouse(str(warehouse)), TABLES)
