"""How a core or mart table is made: from the current commit of its inputs, whole, and only when one of them changed.

Put here the two ways of making one (Spark over DataFrames, DuckDB over a model). What is computed belongs in
`assets.transforms` and `assets.models`.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Final

import pyarrow.parquet as pq
from pyspark.sql.pandas.types import from_arrow_type
from pyspark.sql.types import StructField, StructType

from assets import models
from assets.archive import files_below, locate
from assets.database import create_macros, in_memory
from assets.tables import TABLES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from assets.archive import Warehouse
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
    folder = warehouse.new_folder(table)
    shaped = transform(*frames).to(spark_schema(table))
    shaped.write.parquet(folder, compression="zstd")
    return _replaced(warehouse, table, folder, inputs)


def by_model(warehouse: Warehouse, full_name: str, names: Sequence[str] = MACRO_TABLES) -> Made:
    """Make a mart by its SELECT, on DuckDB; one over the macros' tables may use the macros."""
    table, inputs = TABLES[full_name], inputs_of(warehouse, names)
    if warehouse.is_current(table, inputs):
        return Made(table, warehouse.row_count(full_name), unchanged=True)
    folder = warehouse.new_folder(table)
    warehouse.make_folder(folder)
    with in_memory(warehouse, names) as connection:
        if names == MACRO_TABLES:
            create_macros(connection)
        _write(connection.sql(models.select(table.name)).fetch_arrow_reader(), table, f"{folder}/rows.parquet")
    return _replaced(warehouse, table, folder, inputs)


def read(spark: SparkSession, warehouse: Warehouse, table: Table) -> DataFrame:
    """The table as it is now."""
    files, schema = warehouse.files(table.full_name), spark_schema(table)
    return spark.read.schema(schema).parquet(*files) if files else spark.createDataFrame([], schema)


def spark_schema(table: Table) -> StructType:
    """The table's columns as Spark types; Spark can't prove that a column has no NULL, so it isn't asked to."""
    return StructType([StructField(column.name, from_arrow_type(column.type)) for column in table.columns])


def _write(reader: pa.RecordBatchReader, table: Table, path: str) -> None:
    system, name = locate(path)
    with pq.ParquetWriter(name, table.schema, filesystem=system, compression="zstd") as writer:
        for batch in reader:
            writer.write_batch(batch.cast(table.schema))


def _replaced(warehouse: Warehouse, table: Table, folder: str, inputs: Mapping[str, int | str | None]) -> Made:
    files = [file for file in files_below(folder) if file.rows]
    warehouse.replace(table, files, inputs)
    return Made(table, sum(file.rows for file in files), unchanged=False)
