"""A Spark session for the tests of the assets, started once. Only what all of them share stands here."""

from __future__ import annotations

import os
import sys
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyspark.sql import SparkSession

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """A small local session: configured like the real one where that changes results, else for tables of ten rows."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.default.parallelism", "1")
        .config("spark.sql.codegen.wholeStage", "false")
        .config("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
        .getOrCreate()
    )
    yield session
    session.stop()


@pytest.fixture(scope="session")
def incident(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The log directory of the recorded incident, unpacked once; tests copy what they change."""
    archive = Path(__file__).parents[2] / "dagster_project" / "demo" / "incident-4.1.tar.xz"
    folder = tmp_path_factory.mktemp("incident")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    return folder / "data"
