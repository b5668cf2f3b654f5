"""Each line of a broker's text log is kept once, whatever file it stands in and however often that is read."""

from __future__ import annotations

import gzip
import lzma
import shutil
from pathlib import Path
from typing import Any

import pyarrow.dataset as ds
import pytest

from assets.catalog import TABLES
from assets.ingest.broker_files.coordinator_events import COORDINATOR_LOG, keep_lines
from assets.ingest.plan import Sources, plan
from assets.raw import read_coordinator_logs
from assets.storage.warehouse import Warehouse
from parsers.errors import SourceError
from tests.assets.steps.toy_runs import run_context

FORMATS = {".tar.xz": "xztar", ".tar": "tar", ".zip": "zip"}


def line(second: int, group: str = "billing", broker: int = 1) -> str:
    """A line of Kafka 3.9."""
    return (
        f"[2026-11-18 12:00:{second:02},000] INFO [GroupCoordinator {broker}]: Stabilized group {group} generation 3 "
        "(__consumer_offsets-4) with 2 members (kafka.coordinator.group.GroupCoordinator)\n"
    )


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    """An empty warehouse."""
    return Warehouse(str(tmp_path / "warehouse"))


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A log of three lines, two of which say the same at the same time."""
    path = tmp_path / "logs" / "server.log"
    path.parent.mkdir()
    path.write_text(line(1) + line(2) + line(2))
    return path


def sources(log: Path, cluster: str | None = None) -> Sources:
    """The folder of a log."""
    return Sources((str(log.parent),), cluster)


def events(warehouse: Warehouse) -> list[dict[str, Any]]:
    """All rows, in the order of the logs."""
    rows: list[dict[str, Any]] = (
        ds.dataset(warehouse.files(COORDINATOR_LOG), schema=TABLES[COORDINATOR_LOG].schema)
        .to_table()
        .sort_by([("logged_at", "ascending"), ("repeat", "ascending")])
        .to_pylist()
    )
    return rows


def test_a_line_is_kept_with_its_place(warehouse: Warehouse, log: Path) -> None:
    """What it says, where it stands, and how often it stood there before at this time."""
    assert keep_lines(warehouse, sources(log, "mine")).rows_new == 3
    first, *again = events(warehouse)
    assert (first["cluster"], first["broker_id"], first["log_partition"], first["event"]) == (
        "mine",
        1,
        4,
        "members_joined",
    )
    assert (first["group_id"], first["generation"], first["member_count"]) == ("billing", 3, 2)
    assert (first["path"], first["line"]) == (str(log), 1)
    assert [(row["line"], row["repeat"]) for row in again] == [(2, 0), (3, 1)]


def test_a_known_log_is_not_read_again(warehouse: Warehouse, log: Path) -> None:
    """Nothing is committed; when it has grown, only what is new is."""
    keep_lines(warehouse, sources(log))
    version = warehouse.version(COORDINATOR_LOG)
    assert keep_lines(warehouse, sources(log)).logs_read == 0
    assert warehouse.version(COORDINATOR_LOG) == version
    log.write_text(log.read_text() + line(3))
    assert keep_lines(warehouse, sources(log)).rows_new == 1


def test_a_log_that_was_rotated_and_packed_is_the_same(warehouse: Warehouse, log: Path) -> None:
    """Its lines stay where they were seen first; another broker's equal lines are others."""
    keep_lines(warehouse, sources(log))
    (log.parent / "server.log.2026-11-18-12.gz").write_bytes(gzip.compress(log.read_bytes()))
    log.write_text(line(4) + line(1, broker=2))
    assert keep_lines(warehouse, sources(log)).rows_new == 2
    assert len(events(warehouse)) == 5


def test_a_log_that_is_broken_holds_up_no_other(warehouse: Warehouse, log: Path) -> None:
    """It is named; the rest is kept."""
    (log.parent / "server.log.1.gz").write_bytes(b"no gzip")
    done = keep_lines(warehouse, sources(log))
    assert done.rows_new == 3
    (complaint,) = done.complaints
    assert complaint.startswith(f"{log.parent / 'server.log.1.gz'}: the text can't be read")


def test_a_place_with_text_logs_alone_is_a_place_to_read(warehouse: Warehouse, log: Path, tmp_path: Path) -> None:
    """Named as a folder or as a file; a place with nothing at all stays a mistake."""
    for place in (log.parent, log):
        assert plan(warehouse, Sources((str(place),))).unreadable == ()
    (tmp_path / "empty").mkdir()
    with pytest.raises(SourceError, match="no segment"):
        plan(warehouse, Sources((str(tmp_path / "empty"),)))


def test_the_step_says_what_it_read(warehouse: Warehouse, log: Path) -> None:
    """And without a log the table is there, and empty."""
    for places, rows in (((), 0), ((str(log),), 3)):
        (result,) = read_coordinator_logs(run_context(warehouse, Sources(places)))
        assert (result.facts["lagbook/rows_new"], result.facts["dagster/row_count"]) == (rows, rows)


@pytest.mark.parametrize("ending", [".tar.xz", ".tar", ".zip"])
def test_logs_in_an_archive_are_read_where_they_lie(warehouse: Warehouse, log: Path, ending: str) -> None:
    """Packed or not, and once: an unchanged archive is not gone through again, a broken one holds up none."""
    (log.parent / "server.log.1.gz").write_bytes(gzip.compress(line(3).encode()))
    (log.parent / "server.log.2.xz").write_bytes(lzma.compress(line(4).encode()))
    (log.parent / "other.log").write_text(line(5))
    packed = Path(
        shutil.make_archive(str(log.parent.parent / "kafka"), FORMATS[ending], log.parent.parent, log.parent.name)
    )
    broken = packed.with_name(f"broken{ending}")
    broken.write_bytes(packed.read_bytes()[:600])
    named = Sources((str(broken), str(packed)), "c9")
    assert keep_lines(warehouse, named).rows_new == 5
    assert {(row["cluster"], row["path"].partition("!/")[2]) for row in events(warehouse)} == {
        ("c9", f"logs/{name}") for name in ("server.log", "server.log.1.gz", "server.log.2.xz")
    }
    version = warehouse.version(COORDINATOR_LOG)
    assert keep_lines(warehouse, Sources((str(packed),), "c9")).rows_new == 0
    assert warehouse.version(COORDINATOR_LOG) == version
    assert keep_lines(warehouse, sources(log, "c9")).rows_new == 0
