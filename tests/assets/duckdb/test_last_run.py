"""The record of the last run: written whole, read back, and a sentence when it is none."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest

from assets.catalog import TABLES
from assets.duckdb import last_run
from assets.duckdb.last_run import FILE, LastRun
from assets.storage.warehouse import Warehouse
from parsers.errors import WarehouseError

if TYPE_CHECKING:
    from pathlib import Path

STARTED = datetime(2026, 11, 18, 2, 30, 0, 123456, tzinfo=timezone.utc)
FAILED = LastRun(STARTED, STARTED + timedelta(minutes=1), "core.commits failed: no space left")


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    """Also one of a run that has not ended; without any there is none, and nothing else is left in the folder."""
    warehouse = Warehouse(str(tmp_path))
    assert last_run.read(warehouse) is None
    for run in (LastRun(STARTED), FAILED):
        last_run.write(warehouse, run)
        assert last_run.read(warehouse) == run
    assert [entry.name for entry in tmp_path.iterdir()] == [FILE]


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"started_at": 1, "ended_at": null, "failure": null}'])
def test_a_record_that_is_none_is_a_sentence(tmp_path: Path, text: str) -> None:
    """It names the file."""
    (tmp_path / FILE).write_text(text)
    with pytest.raises(WarehouseError, match=rf"{FILE} can't be read as the record of a run"):
        last_run.read(Warehouse(str(tmp_path)))


def test_an_idle_run_replaces_a_record_that_is_none(tmp_path: Path) -> None:
    """Else no run over an unchanged warehouse would end well again."""
    (tmp_path / FILE).write_text("{")
    last_run.write_nothing_new(Warehouse(str(tmp_path)), STARTED, None)
    run = last_run.read(Warehouse(str(tmp_path)))
    assert run is not None
    assert (run.started_at, run.failure) == (STARTED, None)


def test_a_refused_run_is_on_record_where_something_was_read_before(tmp_path: Path) -> None:
    """A mistyped call makes no warehouse; in one that is there it is what the last run came to."""
    warehouse = Warehouse(str(tmp_path / "wh"))
    last_run.write_refusal(warehouse, STARTED, "/kafka: there is no such file or directory")
    assert not (tmp_path / "wh").exists()
    warehouse.append(TABLES["raw.segments"], (), {})
    last_run.write_refusal(warehouse, STARTED, "/kafka: there is no such file or directory")
    run = last_run.read(warehouse)
    assert run is not None
    assert (run.started_at, run.failure) == (STARTED, "/kafka: there is no such file or directory")


def test_an_idle_run_clears_the_record_of_a_failed_one(tmp_path: Path) -> None:
    """After one that ended well the record stays as it is: nothing has changed."""
    warehouse = Warehouse(str(tmp_path))
    last_run.write(warehouse, FAILED)
    last_run.write_nothing_new(warehouse, STARTED + timedelta(hours=1), None)
    run_after_success = last_run.read(warehouse)
    last_run.write_nothing_new(warehouse, STARTED + timedelta(hours=2), None)
    assert run_after_success is not None
    assert run_after_success.failure is None
    assert last_run.read(warehouse) == run_after_success
