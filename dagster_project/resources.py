"""The resources of the assets: Spark, the warehouse and the sources, from the settings.

Put here how a resource is made and let go. Where the settings come from is `dagster_project.settings`, what is done
with a resource belongs in `assets`.
"""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from functools import partial
from typing import TYPE_CHECKING

import dagster as dg

from assets.spark.lazy_spark import LazySpark
from dagster_project.deployment.alerts import declared_alerts
from dagster_project.places import Places
from dagster_project.run_records import run_record
from dagster_project.spark_session import start_session

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping
    from typing import Any

    from assets.asset_specs import RuleResults
    from assets.storage.warehouse import Warehouse
    from dagster_project.deployment.alerts import Alerts
    from dagster_project.settings import Settings


class SparkResource(dg.ConfigurableResource[LazySpark]):
    """A Spark session that starts on first use and is stopped when the run ends."""

    master: str

    @contextmanager
    def yield_for_execution(self, context: dg.InitResourceContext) -> Generator[LazySpark]:  # noqa: ARG002
        """Hand out the session to be, for as long as the run lasts."""
        spark = LazySpark(partial(start_session, self.master))
        try:
            yield spark
        finally:
            spark.stop()


@contextmanager
def spark_ahead(settings: Settings) -> Iterator[dict[str, LazySpark]]:
    """The resource of a session that starts now, for a run that is known to need it, while the run is put together."""
    spark = LazySpark(partial(start_session, settings.spark_master))
    spark.begin()
    try:
        yield {"spark": spark}
    finally:
        spark.stop()


class RunRules:
    """Judges the tables of one run; Great Expectations and DuckDB are loaded for the first of them."""

    def __init__(self, warehouse: Warehouse, stack: ExitStack, alerts: Alerts | None) -> None:
        """Take the run's warehouse, what is closed at its end, and what is warned of; None: news become no events."""
        self._warehouse, self._stack, self._alerts = warehouse, stack, alerts
        self._results: Callable[[str], RuleResults] | None = None

    def results(self, full_name: str) -> RuleResults:
        """What its rules say of a table as it stands."""
        if self._results is None:
            # Loading Great Expectations takes two seconds, which pass while Spark works.
            from dagster_project.checks import results_of_table  # noqa: PLC0415
            from dagster_project.rules.judging import reading  # noqa: PLC0415

            connection = self._stack.enter_context(reading(self._warehouse))
            self._results = partial(results_of_table, self._warehouse, connection, alerts=self._alerts)
        return self._results(full_name)


def rules_of_run(context: dg.InitResourceContext) -> Iterator[RunRules]:
    """The rules of one run's tables."""
    with ExitStack() as stack:
        yield RunRules(context.resources.warehouse, stack, context.resources.alerts)


def rules_of_silent_run(context: dg.InitResourceContext) -> Iterator[RunRules]:
    """The rules of a run whose events are forgotten with it: what is broken stands in the tables' metadata."""
    with ExitStack() as stack:
        yield RunRules(context.resources.warehouse, stack, None)


def _warehouse_resource(places: Places) -> dg.ResourceDefinition:
    """The warehouse of one run, whose beginning and end are recorded in it."""

    def warehouse_of_run(context: dg.InitResourceContext) -> Iterator[Warehouse]:
        settings = places.settings_of(_tags(context))
        warehouse = settings.open_warehouse()
        with run_record(warehouse, context, settings.wait_s):
            yield warehouse

    return dg.ResourceDefinition(warehouse_of_run)


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
