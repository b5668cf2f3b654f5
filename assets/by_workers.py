"""Tables of a warehouse in a store, read and written by Spark's Python workers: only they reach it, Java does not.

Put here how whole columns pass between such files and a DataFrame. What is computed belongs in `assets.transforms`.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql.pandas.types import from_arrow_type
from pyspark.sql.types import StructField, StructType

from assets.data_files import DataFile, as_one, describe_file, locate
from assets.tables import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from assets.tables import Table

BATCH_ROWS: Final = 32 * 1024
"""What passes between Python and Java at once."""


def spark_schema(table: Table) -> StructType:
    """The table's columns as Spark types; Spark can't prove that a column has no NULL, so it isn't asked to."""
    return StructType([StructField(column.name, from_arrow_type(column.type)) for column in table.columns])


def read_by_workers(spark: SparkSession, table: Table, files: Sequence[str]) -> DataFrame:
    """The rows of the files: a task for each."""
    name, paths = table.full_name, list(files)

    def read(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for number in (number for batch in batches for number in batch.column(0).to_pylist()):
            yield from as_one([paths[number]], TABLES[name].schema).to_batches(batch_size=BATCH_ROWS)

    return spark.range(0, len(paths), 1, len(paths)).mapInArrow(read, spark_schema(table))


def write_by_workers(rows: DataFrame, table: Table, folder: str) -> list[DataFile]:
    """Write the rows, a file for each task that has any; a task that is tried again writes another file."""
    name = table.full_name

    def write(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from pyspark import TaskContext  # noqa: PLC0415 - it is there in the worker only

        task = TaskContext.get()
        path = f"{folder}/part-{task.partitionId():05d}-{task.taskAttemptId()}.parquet"  # type: ignore[union-attr]
        said = [json.dumps(asdict(file)) for file in _written(batches, TABLES[name], path)]
        yield pa.record_batch([pa.array(said, pa.string())], names=["said"])

    return [DataFile(**json.loads(row.said)) for row in rows.mapInArrow(write, "said string").collect()]


def _written(batches: Iterable[pa.RecordBatch], table: Table, path: str) -> Iterator[DataFile]:
    """Write rows into one file, unless there are none."""
    system, name = locate(path)
    filled = (batch for batch in batches if batch.num_rows)
    first = next(filled, None)
    if first is None:
        return
    with pq.ParquetWriter(name, table.schema, filesystem=system, compression="zstd") as writer:
        for batch in (first, *filled):
            writer.write_batch(batch.cast(table.schema))
    yield describe_file(path)
