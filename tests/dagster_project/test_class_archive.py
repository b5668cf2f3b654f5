"""That Java takes Spark's classes from the archive, and starts without it where it is of something else."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from dagster_project import class_archive
from dagster_project.class_archive import archive_path, java_options, make
from dagster_project.java import find_java
from parsers.errors import LagbookError

if TYPE_CHECKING:
    from pathlib import Path

    from dagster_project.java import Java

START = """
import sys
from dagster_project.spark_session import start_session
session = start_session("local[1]", sys.argv[1])
print("counted", session.range(3).count())
session.stop()
"""


@pytest.fixture
def prefix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installation without an archive, in a folder with a space."""
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "an installation"))
    return tmp_path


def start(options: str) -> str:
    """What a session with these options of Java prints."""
    done = subprocess.run([sys.executable, "-c", START, options], check=True, capture_output=True, text=True)
    return done.stdout


def test_java_takes_spark_from_the_archive_of_this_installation() -> None:
    """`make setup` made it."""
    java = find_java()
    if not archive_path(java).is_file():
        pytest.skip("there is no archive: `python -m dagster_project.class_archive` makes it")
    assert takes_spark_from_archive(java)


@pytest.mark.slow
@pytest.mark.usefixtures("prefix")
def test_an_archive_is_made_and_used() -> None:
    """Without the file there is no option."""
    java = find_java()
    assert java_options(java) == ""
    assert make(java) == archive_path(java)
    assert takes_spark_from_archive(java)


def takes_spark_from_archive(java: Java) -> bool:
    """Whether Spark's own classes come out of the file."""
    lines = start(f"{java_options(java)} -Xlog:class+load").splitlines()
    context = next(line for line in lines if " org.apache.spark.SparkContext source: " in line)
    assert "counted 3" in lines
    return context.endswith("source: shared objects file (top)")


@pytest.mark.usefixtures("prefix")
@pytest.mark.slow
def test_an_archive_of_something_else_is_passed_over_in_silence() -> None:
    """A session starts as without one."""
    java = find_java()
    archive_path(java).parent.mkdir(parents=True)
    archive_path(java).write_bytes(b"of another Java" * 1000)
    assert start(java_options(java)).splitlines() == ["counted 3"]


def test_what_spark_can_not_archive_is_said(prefix: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reason, and nothing is left behind."""
    monkeypatch.setattr(class_archive, "MAKE", "raise SystemExit('no room')")
    with pytest.raises(LagbookError, match="was not made: no room"):
        make(find_java())
    assert [path.name for path in prefix.rglob("*") if path.is_file()] == []
