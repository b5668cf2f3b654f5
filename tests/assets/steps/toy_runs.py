"""What a step works with in a test: a warehouse, no rules, and Spark that nobody starts."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from assets.ingest.plan import Sources
from assets.spark.lazy_spark import LazySpark
from assets.steps.step import RuleResults, RunContext

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from assets.steps.step import TableRules
    from assets.storage.warehouse import Warehouse


def no_rules(_full_name: str) -> RuleResults:
    """Nothing to say of any table."""
    return RuleResults({})


def run_context(warehouse: Warehouse, sources: Sources | None = None, rules: TableRules | None = None) -> RunContext:
    """The context of a run that reads no segment."""
    log = logging.getLogger(__name__)
    return RunContext(warehouse, sources or Sources(()), LazySpark(_no_session), rules or no_rules, log)


def _no_session() -> SparkSession:
    message = "nothing here needs Spark"
    raise AssertionError(message)
