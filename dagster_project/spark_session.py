"""How a Spark session of Lagbook's is configured and started.

Put here settings of Spark, and how a run has a session.
"""

from __future__ import annotations

import os
import re
import sys
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from assets.spark.lazy_spark import LazySpark
from dagster_project import class_archive
from dagster_project.java import find_java
from parsers.errors import LagbookError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa
    from pyspark.sql import SparkSession

LOGGING: Final = Path(__file__).with_name("log4j2.properties")
ATTEMPTS: Final = 4
_LOCAL_THREADS: Final = re.compile(r"local(?:\[(\*|\d+)\])?")
LOOPBACK: Final = "127.0.0.1"
SHORT_LIVED: Final = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""For a Java that plans and hands out work, which Python does: a run is over before better code has paid for itself."""
EVERYWHERE: Final = {
    "spark.app.name": "lagbook",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
}
"""Settings that results depend on."""

JAVA_OPTIONS: Final = "spark.driver.extraJavaOptions"
LOCAL: Final = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    JAVA_OPTIONS: f"{SHORT_LIVED} -Dlog4j2.configurationFile={LOGGING.as_uri()}",
    "spark.driver.memory": "2g",
    "spark.driver.host": LOOPBACK,
    "spark.driver.bindAddress": LOOPBACK,
    "spark.sql.shuffle.partitions": "16",
}
"""A session inside this process: quiet, reachable from this machine only, and not cut into slices for a cluster."""


@contextmanager
def spark_of(master: str, *, is_needed_soon: bool = False) -> Iterator[LazySpark]:
    """The session of a run: it starts now where it is needed soon, else with its first use, and ends with the run."""
    spark = LazySpark(partial(start_session, master))
    if is_needed_soon:
        spark.begin()
    try:
        yield spark
    finally:
        spark.stop()


def local_settings(java_options: str) -> dict[str, str]:
    """The settings of a session inside this process, whose Java gets these options besides its own."""
    return {**LOCAL, JAVA_OPTIONS: f"{LOCAL[JAVA_OPTIONS]} {java_options}".rstrip()}


def master_with_retries(master: str) -> str:
    """The master with as many attempts for each task as a cluster gives it; a local one has one by itself."""
    threads = _LOCAL_THREADS.fullmatch(master)
    return f"local[{threads[1] or 1},{ATTEMPTS}]" if threads else master


def start_session(master: str, java_options: str | None = None) -> SparkSession:
    """Start a session in this process (`local[*]`), on a cluster, or on a Spark Connect server (`sc://`).

    A Java in this process gets these options besides; without any it uses its archive of classes, if there is one.
    """
    from pyspark.sql import SparkSession

    is_local, settings = master.startswith("local"), EVERYWHERE
    if master.startswith("sc://"):
        builder = SparkSession.builder.remote(master)
    else:
        java = find_java()
        os.environ["JAVA_HOME"] = str(java.home)
        builder = SparkSession.builder.master(master_with_retries(master))
    if is_local:
        os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": LOOPBACK}
        settings = {
            **EVERYWHERE,
            **local_settings(class_archive.java_options(java) if java_options is None else java_options),
        }
    for name, value in settings.items():
        builder = builder.config(name, value)
    try:
        session = builder.getOrCreate()
    except ImportError as error:
        message = f"{master} can't be spoken to: {error}; install what is missing with: pip install 'lagbook[connect]'"
        raise LagbookError(message) from error
    if is_local:
        _start_workers(session)
    return session


def _start_workers(session: SparkSession) -> None:
    """Start the Python workers of a session in this process, each of which takes as long as Java to be ready.

    If they don't start, the first task that needs one fails, and the failure names its piece of work.
    """
    from py4j.protocol import Py4JError  # type: ignore[import-untyped]
    from pyspark.errors import PySparkException

    count = session.sparkContext.defaultParallelism
    with suppress(Py4JError, PySparkException):
        session.range(0, count, 1, count).mapInArrow(_load_worker, "id bigint").collect()


def _load_worker(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """No rows, from a worker that has then loaded what it needs to read logs."""
    import assets.ingest.worker  # noqa: F401 - here, not in the driver

    for batch in batches:
        yield batch.slice(0, 0)
