"""That a session is configured for where it runs. Whether it works is tested with the assets and in the UI."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from dagster_project import class_archive, spark_session
from dagster_project.java import Java
from dagster_project.spark_session import EVERYWHERE, local_settings, master_with_retries, start_session
from parsers.errors import LagbookError
from tests.assets.inline import inline


class Builder:
    """Stands for Spark's builder and notes what it is told."""

    def __init__(self) -> None:
        """Nothing has been told yet."""
        self.settings: dict[str, str] = {}

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - the builder's methods
        """Note `master(...)` and `remote(...)` under their own names."""

        def tell(value: str) -> Builder:
            self.settings[name] = value
            return self

        return tell

    def config(self, name: str, value: str) -> Builder:
        """Note a setting."""
        self.settings[name] = value
        return self

    def getOrCreate(self) -> SparkSession:  # noqa: N802 - Spark's name for it
        """Give a session that does its tasks here."""
        return inline()


@pytest.fixture
def builder(monkeypatch: pytest.MonkeyPatch) -> Builder:
    """A builder that starts nothing, and an environment that is put back."""
    builder_of_test = Builder()
    monkeypatch.setattr(SparkSession, "builder", builder_of_test)
    monkeypatch.setattr(spark_session, "find_java", lambda: Java(Path("/a/java"), 17, complete=True))
    for name in ("JAVA_HOME", "PYSPARK_PYTHON"):
        monkeypatch.setenv(name, "elsewhere")
    return builder_of_test


def test_local_session_is_quiet_and_uses_this_python(builder: Builder) -> None:
    """Workers run on the Python that has Lagbook, the JVM on a Java that fits, and nothing is open to others."""
    start_session("local[2]")
    options = class_archive.java_options(Java(Path("/a/java"), 17, complete=True))
    assert builder.settings == {"master": "local[2,4]", **EVERYWHERE, **local_settings(options)}
    assert os.environ["PYSPARK_PYTHON"] == sys.executable
    assert Path(os.environ["JAVA_HOME"]) == Path("/a/java")


@pytest.mark.parametrize(
    ("master", "given"),
    [
        ("local", "local[1,4]"),
        ("local[*]", "local[*,4]"),
        ("local[3]", "local[3,4]"),
        ("local[3,1]", "local[3,1]"),
        ("local-cluster[1,1,512]", "local-cluster[1,1,512]"),
        ("spark://m:7077", "spark://m:7077"),
    ],
)
def test_a_local_task_is_tried_as_often_as_on_a_cluster(master: str, given: str) -> None:
    """Unless the master says how often, or is no local one."""
    assert master_with_retries(master) == given


def test_cluster_keeps_its_own_sizes(builder: Builder) -> None:
    """On a cluster only what results depend on is set."""
    start_session("spark://master:7077")
    assert builder.settings == {"master": "spark://master:7077", **EVERYWHERE}
    assert os.environ["PYSPARK_PYTHON"] == "elsewhere"


def test_connect_needs_no_java(builder: Builder) -> None:
    """A Spark Connect server is spoken to without a JVM of ours."""
    start_session("sc://spark:15002")
    assert builder.settings == {"remote": "sc://spark:15002", **EVERYWHERE}
    assert os.environ["JAVA_HOME"] == "elsewhere"


def test_what_connect_needs_is_named(builder: Builder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python speaks to a server by packages that Spark itself does not ask for."""

    def lacking(_: Builder) -> None:
        raise ImportError("grpcio-status >= 1.76.0 must be installed")

    monkeypatch.setattr(Builder, "getOrCreate", lacking)
    with pytest.raises(LagbookError, match=r"sc://spark:15002 .*grpcio-status.*lagbook\[connect\]"):
        start_session("sc://spark:15002")
    assert builder.settings["remote"] == "sc://spark:15002"
