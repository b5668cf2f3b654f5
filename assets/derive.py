"""How a core or mart table is made: from the current commit of its inputs, whole, and only when one of them changed.

Put here the ways of making one (Spark over DataFrames, DuckDB over a model, Python over rows). What is computed belongs
in `assets.transforms` and `assets.models`.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Final

import pyarrow.parquet as pq

from assets import models
from assets.by_workers import read_by_workers, spark_schema, write_by_workers
from assets.data_files import files_below, locate
from assets.database import create_macros, in_memory
from assets.tables import TABLES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import duckdb
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from assets.archive import Warehouse
    from assets.data_files import DataFile
    from assets.lazy_spark import LazySpark
    from assets.tables import Table

MACRO_TABLES: Final = (
    "core.commits",
    "core.generations",
    "core.members",
    "core.ownership",
    "core.group_states",
    "core.topics",
    "core.log_ends",
)
"""What the macros read."""


@dataclass(frozen=True, slots=True)
class Made:
    """What became of a table in this run."""

    table: Table
    rows: int
    unchanged: bool


def inputs_of(warehouse: Warehouse, names: Sequence[str]) -> dict[str, int | str | None]:
    """What a table would be made from now: the commit of each input, and the release that computes it."""
    return {**{name: warehouse.version(name) for name in names}, "lagbook": version("lagbook")}


def by_spark(
    spark: LazySpark, warehouse: Warehouse, full_name: str, names: Sequence[str], transform: Callable[..., DataFrame]
) -> Made:
    """Make a table by a transform of its inputs on Spark."""
    table, inputs = TABLES[full_name], inputs_of(warehouse, names)
    if warehouse.is_current(table, inputs):
        return Made(table, warehouse.row_count(full_name), unchanged=True)
    frames = [read(spark.session, warehouse, TABLES[name]) for name in names]
    shaped = transform(*frames).to(spark_schema(table))
    return _replaced(warehouse, table, _written(shaped, warehouse, table), inputs)


def by_model(warehouse: Warehouse, full_name: str, names: Sequence[str] = MACRO_TABLES) -> Made:
    """Make a mart by its SELECT, on DuckDB; it may use the macros that ask for none but its inputs."""
    table, inputs = TABLES[full_name], inputs_of(warehouse, names)
    if warehouse.is_current(table, inputs):
        return Made(table, warehouse.row_count(full_name), unchanged=True)
    folder = warehouse.new_folder(table)
    warehouse.make_folder(folder)
    with in_memory(warehouse, names) as connection:
        create_macros(connection)
        _write(connection.sql(models.select(table.name)).fetch_arrow_reader(), table, f"{folder}/rows.parquet")
    return _replaced(warehouse, table, files_below(folder), inputs)


def by_python(
    warehouse: Warehouse,
    full_name: str,
    names: Sequence[str],
    transform: Callable[[duckdb.DuckDBPyConnection, bool], Iterator[pa.RecordBatch]],
) -> Made:
    """Make a table by a transform that reads its inputs row after row; it may keep rows that this release made."""
    table, inputs = TABLES[full_name], inputs_of(warehouse, names)
    if warehouse.is_current(table, inputs):
        return Made(table, warehouse.row_count(full_name), unchanged=True)
    folder = warehouse.new_folder(table)
    warehouse.make_folder(folder)
    with in_memory(warehouse, [*names, full_name]) as connection:
        is_of_this_release = warehouse.note(full_name).get("inputs", {}).get("lagbook") == inputs["lagbook"]
        _write(transform(connection, is_of_this_release), table, f"{folder}/rows.parquet")
    return _replaced(warehouse, table, files_below(folder), inputs)


def read(spark: SparkSession, warehouse: Warehouse, table: Table) -> DataFrame:
    """The table as it is now."""
    files, schema = warehouse.files(table.full_name), spark_schema(table)
    if not files:
        return spark.createDataFrame([], schema)
    if warehouse.is_remote:
        return read_by_workers(spark, table, files)
    return spark.read.schema(schema).parquet(*files)


def _written(rows: DataFrame, warehouse: Warehouse, table: Table) -> list[DataFile]:
    """Write the rows to files that are not yet part of the table."""
    folder = warehouse.new_folder(table)
    if warehouse.is_remote:
        return write_by_workers(rows, table, folder)
    rows.write.parquet(folder, compression="zstd")
    return files_below(folder)


def _write(reader: Iterable[pa.RecordBatch], table: Table, path: str) -> None:
    system, name = locate(path)
    with pq.ParquetWriter(name, table.schema, filesystem=system, compression="zstd") as writer:
        for batch in reader:
            writer.write_batch(batch.cast(table.schema))


def _replaced(
    warehouse: Warehouse, table: Table, files: Sequence[DataFile], inputs: Mapping[str, int | str | None]
) -> Made:
    filled = [file for file in files if file.rows]
    warehouse.replace(table, filled, inputs)
    return Made(table, sum(file.rows for file in filled), unchanged=False)
