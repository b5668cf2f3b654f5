"""Work on Spark's workers: one task per piece of it, from each of which a little JSON comes back, never rows.

Put here how tasks are run. What they do belongs in the workers of `assets.ingest` and `assets.reconstruct`.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from assets.spark.task_failures import in_task, of_tasks
from parsers.errors import WarehouseError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pyspark.sql import SparkSession

PROBE_ROWS: Final = 100_000
"""More than any cluster has cores."""


def file_name(number: int, attempt: int) -> str:
    """A name for the files of a piece: two attempts at it never write over each other."""
    return f"part-{number:05d}-{attempt}"


def run_tasks(
    spark: SparkSession, names: Sequence[str], work: Callable[[int, int], dict[str, Any]]
) -> list[dict[str, Any]]:
    """The answers of `work` for each piece, in their order; `work` takes the numbers of the piece and of the attempt.

    `names` are the pieces' names in errors. Each piece needs exactly one answer: a missing answer is an error, since it
    would look like an empty one.
    """
    count, mask = len(names), _umask()
    if not count:
        return []

    def run_pieces(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Do the pieces of one task; a row with the answer of each."""
        from pyspark import TaskContext  # noqa: PLC0415 - a run that finds nothing new needs no Spark

        os.umask(mask)
        task = TaskContext.get()
        attempt = 0 if task is None else task.taskAttemptId()
        for number in (number for batch in batches for number in batch.column(0).to_pylist()):
            # A task that is tried again, or twice at once, must not write over the files of the other attempt.
            with in_task(names[number]):
                answer = json.dumps(work(number, attempt))
            yield pa.record_batch([pa.array([number]), pa.array([answer], pa.string())], names=["number", "answer"])

    with of_tasks(names.__getitem__):
        rows = spark.range(0, count, 1, count).mapInArrow(run_pieces, "number bigint, answer string").collect()
    return gather([(row.number, row.answer) for row in rows], count)


def _umask() -> int:
    """What this process takes from the modes of new files, which its workers take too; reading it sets it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def parallelism(spark: SparkSession) -> int:
    """How many tasks Spark runs at once; of a Connect server, the number of partitions of a generated range."""
    context = getattr(spark, "sparkContext", None)
    if context is not None:
        return int(context.defaultParallelism)
    return spark.range(PROBE_ROWS).selectExpr("spark_partition_id()").distinct().count()


def gather(answers: Sequence[tuple[int, str]], count: int) -> list[dict[str, Any]]:
    """The answers in the order of the pieces; an error unless each piece has exactly one."""
    ordered = sorted(answers)
    answered = [number for number, _answer in ordered]
    if answered != list(range(count)):
        raise WarehouseError(f"{count} tasks were given to Spark, answers came from {answered}: nothing was kept")
    return [json.loads(answer) for _number, answer in ordered]
