"""A run of all steps in this process, without Dagster: a command is done before Dagster would have been put together.

Put here what such a run works with. The steps and their order are those of `assets`, as in Dagster's UI.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Final

from assets.duckdb.engine import shared_engine
from assets.graph import STEPS
from assets.steps.in_order import run_in_order
from assets.steps.step import RunContext
from dagster_project.rules.judging import reading
from dagster_project.rules.table_results import results_of_table
from dagster_project.run_records import run_record

if TYPE_CHECKING:
    from assets.spark.lazy_spark import LazySpark
    from dagster_project.cli.progress import Follower
    from dagster_project.settings import Settings

LOG: Final = logging.getLogger("lagbook")
"""What steps say beside their facts; without a handler warnings go to stderr, which is the log file of a run."""


def run_all(settings: Settings, spark: LazySpark, follower: Follower) -> None:
    """Bring every table up to date; what becomes of each step is the follower's."""
    warehouse = settings.open_warehouse()
    record = run_record(warehouse, settings.wait_s, lambda: follower.outcome.failure, LOG.warning)
    with record, shared_engine(warehouse), reading() as connection:
        rules = partial(results_of_table, warehouse, connection)
        run_in_order(STEPS, RunContext(warehouse, settings.sources, spark, rules, LOG), follower)
