"""Spark's part in a run, played in this process: tasks one after the other, at once, with no session to start.

Only for tests of what a run keeps, which is the same wherever its tasks run; that Spark runs them is tested elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pyarrow as pa

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class _Numbers:
    """What `spark.range` gives, as far as a run uses it."""

    numbers: range
    work: Any = None

    def mapInArrow(self, work: Any, _schema: str) -> _Numbers:  # noqa: ANN401, N802 - Spark's name
        """Take the work of a task."""
        return _Numbers(self.numbers, work)

    def collect(self) -> list[SimpleNamespace]:
        """Do it for each number."""
        given = (pa.record_batch([pa.array([number])], names=["id"]) for number in self.numbers)
        batches = (batch for one in given for batch in self.work(iter([one])))
        return [SimpleNamespace(**row) for batch in batches for row in batch.to_pylist()]


class _Session:
    sparkContext = SimpleNamespace(defaultParallelism=2)  # noqa: N815 - Spark's name

    def range(self, start: int, end: int, step: int, _tasks: int) -> _Numbers:
        """Numbers, one for each task."""
        return _Numbers(range(start, end, step))

    def stop(self) -> None:
        """Nothing was started."""


def inline() -> SparkSession:
    """A session that is none."""
    return cast("SparkSession", _Session())
