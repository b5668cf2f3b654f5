"""A query of Spark that reads a topic, and whose sink writes down each batch that it processed: a process to be killed.

Starting it and reading what it wrote belongs here. What is done with it is in the tests.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from dagster_project.java import find_java
from tests.broker.jvm import Program
from tests.broker.spark_connector import connector
from tests.broker.waiting import wait_until

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SLOW: Final = "slow"
PROCESSED: Final = "processed.jsonl"


class Processed(NamedTuple):
    """A range of a partition that the sink processed in a batch, half-open."""

    batch: int
    topic: str
    partition: int
    from_offset: int
    to_offset: int


def start(bootstrap: str, topic: str, folder: Path, *, a_batch: int, batch_that_hangs: int = -1) -> Program:
    """Start the query, with its checkpoint and what its sink writes in a folder; one batch may hang in the sink."""
    jars = ",".join(map(str, connector()))
    folder.mkdir(parents=True, exist_ok=True)
    words = [bootstrap, topic, str(folder), str(a_batch), str(batch_that_hangs), jars]
    environment = {**os.environ, "JAVA_HOME": str(find_java().home), "PYTHONPATH": str(Path(__file__).parents[2])}
    return Program(
        [sys.executable, "-m", "tests.broker.spark_query", *words], folder / "out", folder / "err", environment
    )


def processed(folder: Path) -> list[Processed]:
    """What the sink processed, in order; a batch that it began stands there once for each time."""
    file = folder / PROCESSED
    lines = file.read_text().splitlines() if file.exists() else []
    return [Processed(*json.loads(line)) for line in lines]


def wait_for(program: Program, folder: Path, batch: int, *, complete: bool) -> None:
    """Wait until the sink processed a batch, and where that is asked for until Spark wrote that it is complete."""
    commit = folder / "checkpoint" / "commits" / str(batch)

    def happened() -> bool:
        is_there = commit.exists() if complete else any(one.batch == batch for one in processed(folder))
        return is_there or not program.running

    wait_until(happened, f"batch {batch}")
    if not program.running:
        raise RuntimeError(f"the query ended: {(folder / 'err').read_text(errors='replace')[-3000:]}")


def _run(bootstrap: str, topic: str, place: str, a_batch: str, *rest: str) -> None:
    from pyspark.sql import SparkSession  # noqa: PLC0415 - tests that start the query need no Spark themselves

    folder, batch_that_hangs, jars = Path(place), int(rest[0]), rest[1]
    builder = SparkSession.builder.master("local[1]").config("spark.jars", jars).config("spark.ui.enabled", "false")
    spark = builder.config("spark.driver.host", "127.0.0.1").config("spark.driver.memory", "512m").getOrCreate()
    options = {
        "kafka.bootstrap.servers": bootstrap,
        "subscribe": topic,
        "startingOffsets": "earliest",
        "maxOffsetsPerTrigger": a_batch,
    }

    def write_down(records: DataFrame, batch: int) -> None:
        ranges = records.groupBy("topic", "partition").agg({"offset": "min", "*": "count"}).collect()
        with (folder / PROCESSED).open("a") as file:
            for topic_name, partition, first, count in sorted(_fields(row.asDict()) for row in ranges):
                file.write(json.dumps([batch, topic_name, partition, first, first + count]) + "\n")
        if batch == batch_that_hangs:
            time.sleep(3600)

    stream = spark.readStream.format("kafka").options(**options).load()
    query = stream.writeStream.foreachBatch(write_down).option("checkpointLocation", str(folder / "checkpoint"))
    query.start().awaitTermination()


def _fields(row: dict[str, object]) -> tuple[str, int, int, int]:
    return str(row["topic"]), *(int(str(row[name])) for name in ("partition", "min(offset)", "count(1)"))  # type: ignore[return-value]


if __name__ == "__main__":
    _run(*sys.argv[1:])
