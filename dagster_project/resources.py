"""The resources of the assets: Spark, the warehouse and the sources, from the settings.

Put here how a resource is made and let go. Where the settings come from is `dagster_project.settings`, what is done
with a resource belongs in `assets`.
"""

from __future__ import annotations

import logging
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from typing import TYPE_CHECKING

import dagster as dg

from assets.duckdb.engine import shared_engine
from assets.spark.lazy_spark import LazySpark
from dagster_project.checks import results_of_table
from dagster_project.deployment.alerts import declared_alerts
from dagster_project.places import Places
from dagster_project.rules.judging import reading
from dagster_project.run_events import CHECK_JOB, failure_of
from dagster_project.run_records import run_record
from dagster_project.spark_session import spark_of

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping
    from typing import Any

    from assets.steps.step import TableRules
    from assets.storage.warehouse import Warehouse
    from dagster_project.settings import Settings


class SparkResource(dg.ConfigurableResource[LazySpark]):
    """A Spark session that starts on first use and is stopped when the run ends."""

    master: str

    @contextmanager
    def yield_for_execution(self, context: dg.InitResourceContext) -> Generator[LazySpark]:  # noqa: ARG002
        """Hand out the session to be, for as long as the run lasts."""
        with spark_of(self.master) as spark:
            yield spark


def rules_of_run(context: dg.InitResourceContext) -> Iterator[TableRules]:
    """What judges one run's tables; news are events of Dagster's."""
    warehouse = context.resources.warehouse
    with reading() as connection:
        yield partial(results_of_table, warehouse, connection, alerts=context.resources.alerts)


def _warehouse_resource(places: Places) -> dg.ResourceDefinition:
    """The warehouse of one run, whose beginning and end are recorded in it."""

    def warehouse_of_run(context: dg.InitResourceContext) -> Iterator[Warehouse]:
        settings = places.settings_of(_tags(context))
        warehouse = settings.open_warehouse()
        with _record(warehouse, context, settings.wait_s), shared_engine(warehouse):
            yield warehouse

    return dg.ResourceDefinition(warehouse_of_run)


def _record(warehouse: Warehouse, context: dg.InitResourceContext, wait_s: float) -> AbstractContextManager[None]:
    """The record of a run; a look, such as a sensor's or that of a check, has none."""
    run, instance = context.run, context.instance
    if run is None or instance is None or run.job_name == CHECK_JOB:
        return nullcontext()
    warn = context.log.warning if context.log else logging.getLogger(__name__).warning
    return run_record(warehouse, wait_s, partial(failure_of, instance, run.run_id), warn)


def _tags(context: dg.InitResourceContext) -> Mapping[str, str]:
    return {} if context.run is None else context.run.tags


def resources(settings: Settings, clusters: Mapping[str, Settings] | None = None) -> dict[str, Any]:
    """The resources by name; each run has its own warehouse, that of its cluster where there are several."""
    places = Places(clusters or {None: settings})
    return {
        "spark": SparkResource(master=settings.spark_master),
        "places": places,
        "warehouse": _warehouse_resource(places),
        "alerts": dg.ResourceDefinition(lambda _context: declared_alerts()),
        "read_alerts": declared_alerts,
        "rules": dg.ResourceDefinition(rules_of_run, required_resource_keys={"warehouse", "alerts"}),
        "sources": dg.ResourceDefinition(lambda context: places.settings_of(_tags(context)).sources),
    }
