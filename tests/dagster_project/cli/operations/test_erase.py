"""`lagbook tidy --erase-group`: shows what it would take, does it with --yes, and keeps the group out."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Final

import duckdb
import pytest

from dagster_project.cli.operations.demo import unpack
from tests.whole_run import whole_run

if TYPE_CHECKING:
    from pathlib import Path

    from tests.dagster_project.cli.conftest import Lagbook

GROUP: Final = "admin-reset"
PARTITIONS: Final = ("__consumer_offsets-13", "__consumer_offsets-17")


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """The partition of the group, and another one."""
    recorded, folder = unpack(tmp_path), tmp_path / "logs"
    folder.mkdir()
    for name in PARTITIONS:
        shutil.move(recorded / name, folder)
    return folder


def groups(warehouse: Path) -> set[str]:
    """The groups of the DuckDB file."""
    with duckdb.connect(str(warehouse / "lagbook.duckdb"), read_only=True) as connection:
        return {name for (name,) in connection.sql("SELECT DISTINCT group_id FROM core.commits").fetchall()}


def test_a_group_is_erased_with_yes_alone_and_stays_out(lagbook: Lagbook, logs: Path, tmp_path: Path) -> None:
    """A whole run afterwards holds to every rule, and every command answers without the group."""
    warehouse = tmp_path / "wh"
    place = ("--warehouse", str(warehouse))
    assert whole_run(warehouse, [logs]).exit_code == 0
    before = groups(warehouse)
    shown = lagbook("tidy", "--erase-group", GROUP, *place)
    assert shown.exit_code == 0, shown.stderr
    assert "raw.offset_records" in shown.stdout
    assert "Nothing was changed. It can't be undone: --yes." in shown.stdout
    assert groups(warehouse) == before
    done = lagbook("tidy", "--erase-group", GROUP, "--yes", *place)
    assert f"Erased {GROUP}." in done.stdout
    assert not (warehouse / "lagbook.duckdb").exists()
    again = whole_run(warehouse, [logs])
    assert again.exit_code == 0, again.output
    assert "0 failed" in again.output
    assert groups(warehouse) == before - {GROUP}
    assert lagbook("describe", GROUP, *place).exit_code == 2
    assert "No raw table has a row about" in lagbook("tidy", "--erase-group", GROUP, *place).stdout


def test_what_is_no_warehouse_or_was_not_erased_is_refused(lagbook: Lagbook, tmp_path: Path) -> None:
    """In one sentence, and nothing is written."""
    nothing = lagbook("tidy", "--erase-group", GROUP, "--yes", "--warehouse", str(tmp_path / "nothing"))
    assert nothing.exit_code == 2
    assert "is no warehouse" in nothing.stderr
    assert not (tmp_path / "nothing").exists()
    both = lagbook("tidy", "--erase-group", GROUP, "--readmit-group", GROUP, "--warehouse", str(tmp_path))
    assert both.exit_code == 2
    assert "give one" in both.stderr
