"""The resources of the assets: Spark, the warehouse and the sources, from the settings.

Put here how a resource is made and let go. Where the settings come from is `dagster_project.settings`, what is done
with a resource belongs in `assets`.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

import dagster as dg

from assets.ingest.plan import Sources
from assets.spark.lazy_spark import LazySpark
from dagster_project.run_records import run_record
from dagster_project.spark_session import start_session

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from typing import Any

    from assets.storage.warehouse import Warehouse
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


def _warehouse_resource(settings: Settings) -> dg.ResourceDefinition:
    """The warehouse of one run, whose beginning and end are recorded in it."""

    def warehouse_of_run(context: dg.InitResourceContext) -> Iterator[Warehouse]:
        warehouse = settings.open_warehouse()
        with run_record(warehouse, context, settings.wait_s):
            yield warehouse

    return dg.ResourceDefinition(warehouse_of_run)


def resources(settings: Settings) -> dict[str, Any]:
    """The resources by name; each run and each evaluation of the sensor has its own warehouse."""
    return {
        "spark": SparkResource(master=settings.spark_master),
        "warehouse": _warehouse_resource(settings),
        "sources": Sources(settings.logs, settings.cluster, settings.live, settings.unpacking, settings.configs),
    }
