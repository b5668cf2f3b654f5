"""The data source for other people's Spark jobs: the same records as the walk gives."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from assets.catalog import TABLES
from assets.catalog.raw.records import SOURCE
from parsers.spark import SCHEMA, KafkaSegments
from tests.assets.conftest import incident, spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["incident", "spark"]
PARTITION = "__consumer_offsets-16"
RECORDS = 3013


@pytest.mark.parametrize("is_named", [False, True])
def test_the_records_of_a_log_directory(spark: SparkSession, incident: Path, tmp_path: Path, *, is_named: bool) -> None:
    """Every record once, and where it was found; the cluster is what the option names, whatever its files say."""
    shutil.copytree(incident / PARTITION, tmp_path / "logs" / PARTITION)
    if is_named:
        Path(tmp_path / "logs" / "meta.properties").write_text("cluster.id=c9\n")
    spark.dataSource.register(KafkaSegments)
    frame = spark.read.format("kafka_segments").option("cluster", "c").load(str(tmp_path / "logs"))
    rows = frame.select("cluster", "log_partition", "log_offset", "group_id", "offset_commit.offset").collect()
    assert sorted(row.log_offset for row in rows) == list(range(RECORDS))
    assert {(row.cluster, row.log_partition) for row in rows} == {("c", 16)}
    assert sum(row.offset is not None for row in rows) > RECORDS // 2


def test_a_place_must_be_named(spark: SparkSession) -> None:
    """Without one there is nothing to read."""
    spark.dataSource.register(KafkaSegments)
    with pytest.raises(Exception, match="no place was named"):
        spark.read.format("kafka_segments").load().collect()


def test_columns_are_those_of_the_archive() -> None:
    """Who reads both finds the same names and types; only the archive has to say that a dump told it."""
    archived = {field.name: field.type for field in TABLES["raw.offset_records"].schema if field.name != SOURCE}
    assert {field.name: field.type for field in SCHEMA if field.name != "path"} == archived
