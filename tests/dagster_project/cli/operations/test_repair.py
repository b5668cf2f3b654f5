"""`lagbook repair`: shown first, done when asked, and a sentence where there is nothing to repair."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from assets.ingest.ingest import ingest
from assets.ingest.plan import Sources, plan
from assets.storage import lease
from assets.storage.lease import writer_lease
from assets.storage.warehouse import Warehouse
from tests.assets.inline import inline

if TYPE_CHECKING:
    from tests.dagster_project.cli.conftest import Lagbook

LOG = Path(__file__).resolve().parents[3] / "bytes" / "dump" / "features-4.1" / "__consumer_offsets-7"

PARTITION = "c\\x1b[2J __consumer_offsets-7, offsets 0 to "


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """A partition's log."""
    shutil.copytree(LOG, tmp_path / "logs" / LOG.name)
    return tmp_path / "logs"


@pytest.fixture
def damaged(logs: Path, tmp_path: Path) -> Path:
    """A warehouse whose file with the largest part of the records is gone; the file."""
    warehouse = Warehouse(str(tmp_path / "wh"))
    ingest(inline, warehouse, plan(warehouse, Sources((str(logs),), "c\x1b[2J")))
    file = Path(max(warehouse.file_list("raw.offset_records"), key=lambda file: file.size_bytes).uri)
    file.unlink()
    return file


def test_what_would_be_done_is_shown_first(lagbook: Lagbook, damaged: Path, tmp_path: Path) -> None:
    """The file, the offsets that are read again, and exit code 1; with --yes it is done, and nothing is left to do."""
    call = ("repair", "--warehouse", str(tmp_path / "wh"))
    for _look in range(2):
        shown = lagbook(*call)
        assert shown.exit_code == 1
        assert f"damaged: {str(damaged)[:90]}" in shown.stdout
        assert f"read again by the next run with these logs: {PARTITION}" in shown.stdout
        assert shown.stdout.endswith("Nothing was touched: --yes does it.\n")
    doctor = lagbook("doctor", "--warehouse", str(tmp_path / "wh"))
    assert doctor.stdout.count("the file is gone; see `lagbook repair`") == 1
    done = lagbook(*call, "--yes")
    assert done.exit_code == 0
    assert "Done; `lagbook run` makes the tables again." in done.stdout
    assert lagbook(*call).stdout == "Nothing is damaged.\n"


def test_what_is_lost_is_called_so(lagbook: Lagbook, damaged: Path, logs: Path, tmp_path: Path) -> None:
    """The log is gone as well: with --json each stretch has its offsets, and says that its file is not there."""
    shutil.rmtree(logs)
    call = ("repair", "--warehouse", str(tmp_path / "wh"))
    assert f"LOST, unless a copy of the log is read: {PARTITION}" in lagbook(*call).stdout
    report = json.loads(lagbook(*call, "--json").stdout)
    assert report["damaged"] == [{"table": "raw.offset_records", "path": str(damaged), "reason": "the file is gone"}]
    (stretch,) = report["to_read_again"]
    assert (stretch["partition"], stretch["from_offset"], stretch["is_path_there"]) == (7, 0, False)
    assert stretch["to_offset"] > 0


def test_a_run_refuses_to_go_on_over_a_loss(lagbook: Lagbook, damaged: Path, logs: Path, tmp_path: Path) -> None:
    """It would say that nothing is new: instead it names the file and the command."""
    shutil.rmtree(logs)
    logs.mkdir()
    result = lagbook("run", "--logs", str(logs), "--warehouse", str(tmp_path / "wh"))
    assert result.exit_code == 2
    assert f"lagbook: {damaged}: the file is gone" in result.stderr
    assert "`lagbook repair` shows what is lost" in result.stderr


def test_a_lease_that_can_not_be_read_is_dropped_first(lagbook: Lagbook, damaged: Path, tmp_path: Path) -> None:
    """Nobody could take it, and so nothing would ever be repaired."""
    place = Warehouse(str(tmp_path / "wh"))
    with writer_lease(place, 0):
        pass
    (first, *_others) = sorted(Path(place.table_url(lease.FULL_NAME), "_delta_log").glob("*.json"))
    first.write_bytes(first.read_bytes()[:100])
    call = ("repair", "--warehouse", place.url)
    assert {one["table"] for one in json.loads(lagbook(*call, "--json").stdout)["damaged"]} == {
        "raw.offset_records",
        lease.FULL_NAME,
    }
    assert not damaged.exists()
    assert lagbook(*call, "--yes").exit_code == 0
    assert lagbook(*call).stdout == "Nothing is damaged.\n"


def test_a_place_without_tables_is_no_warehouse(lagbook: Lagbook, tmp_path: Path) -> None:
    """There is nothing to repair, and nothing is made."""
    result = lagbook("repair", "--warehouse", str(tmp_path / "none"))
    assert result.exit_code == 2
    assert "is no warehouse: it has no table" in result.stderr
    assert not (tmp_path / "none").exists()
