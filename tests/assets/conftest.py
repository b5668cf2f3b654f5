"""A Spark session and a database for the tests of the assets. Only what several of them share stands here."""

from __future__ import annotations

import os
import sys
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyspark.sql import SparkSession

from assets.catalog import TABLES
from assets.models import MACROS, lineage
from assets.transforms.marts import commit_sums
from dagster_project.spark_session import SHORT_LIVED
from tests.assets.rows import copied, without_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """A small local session: configured like the real one where that changes results, else for tables of ten rows."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.extraJavaOptions", SHORT_LIVED)
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
    archive = Path(__file__).parents[2] / "tests" / "bytes" / "incident-4.1" / "data.tar.xz"
    folder = tmp_path_factory.mktemp("incident")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    return folder / "data"


@pytest.fixture(scope="session")
def every_table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every table without rows, and the macros, in a file that nobody changes."""
    return without_rows(tmp_path_factory.mktemp("every_table") / "lagbook.duckdb", TABLES)


@pytest.fixture(scope="session")
def read_by_macros(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tables that macros read, without rows, the sums of commits, and the macros, in a file that nobody changes."""
    names = sorted(frozenset([commit_sums.FULL_NAME]).union(*map(lineage.tables_of_macro, MACROS)) & TABLES.keys())
    return without_rows(tmp_path_factory.mktemp("read_by_macros") / "lagbook.duckdb", names)


@pytest.fixture
def database(read_by_macros: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """The tables that macros read, without rows, and the macros."""
    with copied(read_by_macros) as connection:
        yield connection
