"""Readers are never disturbed: while runs add, swap the DuckDB file and tidy, they see whole states and no error."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pytest

from assets.duckdb import database
from assets.ingest.ingest import ingest
from assets.ingest.plan import Sources, plan
from assets.maintenance.compact_files import look, tidy
from assets.reconstruct.reconstruct import replay
from assets.storage.warehouse import Warehouse
from tests.assets.inline import inline
from tests.assets.reader import ask

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
SEGMENTS = ROOT / "tests" / "bytes" / "dump"
PARTS = ("features-4.1/__consumer_offsets-0", "features-4.1/__consumer_offsets-7")
LATEST_ANSWER_S = 120
"""Longer than any machine needs for an answer; the waiting ends when it is there."""


class Reader:
    """A process that reads all the time."""

    def __init__(self, how: str, path: Path, stop: Path) -> None:
        """Start it."""
        self.answers: list[list[int]] = []
        call = [sys.executable, "-m", "tests.assets.reader", how, str(path), str(stop)]
        self._process = subprocess.Popen(
            call, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8"
        )

    def next(self) -> list[int]:
        """Its next new answer, or what went wrong."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, self.end()
        self.answers.append(json.loads(line))
        return self.answers[-1]

    def end(self) -> str:
        """Wait until it ends; what it said of trouble."""
        rest, errors = self._process.communicate(timeout=LATEST_ANSWER_S)
        self.answers += [json.loads(line) for line in rest.splitlines()]
        return errors


@pytest.fixture
def warehouse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Warehouse:
    """A warehouse whose DuckDB file has views alone, so that a reader depends on every file of every table."""
    monkeypatch.setattr("assets.duckdb.database.COPIED_ROWS_MOST", -1)
    monkeypatch.setattr("assets.maintenance.compact_files.FEWEST_FILES", 2)
    return Warehouse(str(tmp_path / "warehouse"))


def states(warehouse: Warehouse, logs: Path) -> Iterator[list[int]]:
    """Runs that each find one partition more, with a tidying between them; what stands in the file after each step."""
    for part in PARTS:
        shutil.copytree(SEGMENTS / part, logs / Path(part).name)
        yield refreshed(warehouse, logs)
        orphan = Path(warehouse.table_url("core.commits")) / "of-a-dead-run.parquet"
        orphan.touch()
        for file in Path(warehouse.url).rglob("*.parquet"):
            os.utime(file, (1, 1))  # written long ago, and no leftover before now
        tidied(warehouse)
        assert not orphan.exists()
        refreshed(warehouse, logs)
        tidied(warehouse)


def tidied(warehouse: Warehouse) -> None:
    """Merge, and delete what nobody wrote or showed for an hour."""
    tidy(warehouse, look(warehouse, datetime.now(timezone.utc) - timedelta(hours=1)))


def refreshed(warehouse: Warehouse, logs: Path) -> list[int]:
    """One run: read, replay, and the file built anew and swapped in."""
    ingest(inline, warehouse, plan(warehouse, Sources((str(logs),), "c")))
    replay(inline, warehouse)
    database.build(warehouse)
    with duckdb.connect(str(warehouse.duckdb_path), read_only=True) as connection:
        return ask(connection)


def test_readers_see_whole_states_and_no_error(warehouse: Warehouse, tmp_path: Path) -> None:
    """One who keeps what was opened sees that state for ever; who opens anew sees each state, and none between them."""
    steps, stop = states(warehouse, tmp_path / "logs"), tmp_path / "stop"
    counts = [next(steps)]
    staying, fresh = (Reader(how, warehouse.duckdb_path, stop) for how in ("kept", "fresh"))
    assert (staying.next(), fresh.next()) == (counts[0], counts[0])
    for state in steps:
        assert state not in counts
        counts.append(state)
        assert fresh.next() == state
    stop.touch()
    assert (staying.end(), fresh.end()) == ("", "")
    assert (staying.answers, fresh.answers) == ([counts[0]], counts)
    assert all(records == different for records, different, *_ in counts)
    assert len(counts) == len(PARTS)
