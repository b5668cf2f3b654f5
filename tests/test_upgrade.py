"""A warehouse that the last commit before made is read on by this tree: nothing is lost, and nothing is read twice."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Final

import duckdb
import pytest

from dagster_project.cli.operations.demo import unpack
from tests.whole_run import whole_run

ROOT: Final = Path(__file__).parents[1]
PARTITIONS: Final = ("__consumer_offsets-7", "__consumer_offsets-13")
RUN: Final = """
import sys
from pathlib import Path
from tests.whole_run import whole_run
warehouse, logs = map(Path, sys.argv[1:])
result = whole_run(warehouse, [logs])
print(result.output)
sys.exit(result.exit_code)
"""
COMPARED: Final = (
    "FROM raw.offset_records",
    "FROM core.commits",
    "FROM core.ownership",
    "FROM mart.replays",
    "FROM mart.lag_now",
)


@pytest.fixture
def tree_before(tmp_path: Path) -> Path:
    """The tree of the last commit before this one, out of git's history."""
    words = (
        "git",
        "-C",
        str(ROOT),
        "archive",
        "HEAD~1",
        "assets",
        "dagster_project",
        "expectations",
        "parsers",
        "tests",
    )
    try:
        done = subprocess.run(words, capture_output=True, check=False)
    except FileNotFoundError:
        pytest.skip("git is not installed, so there is no tree of an earlier commit")
    if done.returncode:
        pytest.skip(f"git has no commit before this one: {done.stderr.decode(errors='replace').strip()[-200:]}")
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        archive.extractall(tmp_path / "before", filter="data")
    return tmp_path / "before"


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """Two partitions of the demo's recording."""
    recorded, folder = unpack(tmp_path), tmp_path / "logs"
    folder.mkdir()
    for name in (*PARTITIONS, "meta.properties"):
        (recorded / name).rename(folder / name)
    return folder


def _rows(warehouse: Path, question: str) -> list[str]:
    with duckdb.connect(str(warehouse / "lagbook.duckdb"), read_only=True) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        names = [name for name, *_ in connection.sql(f"DESCRIBE {question}").fetchall()]
        columns = ", ".join(sorted(names))
        return sorted(map(str, connection.sql(f"SELECT {columns} FROM ({question})").fetchall()))  # noqa: S608 - questions of this file


@pytest.mark.slow
def test_a_warehouse_of_the_last_commit_is_read_on(tree_before: Path, logs: Path, tmp_path: Path) -> None:
    """It reads half of the logs before, all of them afterwards; the rows are those of a warehouse that is all new."""
    old, new, later = tmp_path / "old", tmp_path / "new", tmp_path / "later"
    later.mkdir()
    (logs / PARTITIONS[1]).rename(later / PARTITIONS[1])
    environment = {**os.environ, "PYTHONPATH": str(tree_before)}
    words = (sys.executable, "-c", RUN, str(old), str(logs))
    run_before = subprocess.run(words, cwd=tree_before, env=environment, capture_output=True, text=True, check=False)
    assert run_before.returncode == 0, run_before.stdout + run_before.stderr
    (later / PARTITIONS[1]).rename(logs / PARTITIONS[1])
    upgraded, fresh = whole_run(old, [logs]), whole_run(new, [logs])
    assert (upgraded.exit_code, fresh.exit_code) == (0, 0), upgraded.output
    assert "1 known" in upgraded.output
    for question in COMPARED:
        assert _rows(old, question) == _rows(new, question), question
