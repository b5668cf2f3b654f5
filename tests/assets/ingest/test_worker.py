"""What a worker makes of files that can't be read: a file's own trouble is kept, a store's is complained of."""

from __future__ import annotations

import errno
import shutil
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from types import SimpleNamespace
from typing import Final

import pytest

from assets.ingest.ingest import RAW, _folders, ranges_of
from assets.ingest.plan import Sources, plan
from assets.ingest.work_units import FileRange, OffsetRange, WorkUnit
from assets.ingest.worker import Outcome, read_work_unit
from assets.storage.warehouse import Warehouse
from parsers import io_retry
from parsers.errors import WarehouseError
from parsers.sources import resolve
from tests.parsers.wavering import SLOW_DOWN, Wavering

PARTITION: Final = "__consumer_offsets-16"
FILE: Final = "00000000000000000000.log"
TRIES: Final = 1 + len(io_retry.WAITS_S)


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Wavering:
    """A store that nobody waits for."""
    monkeypatch.setattr("parsers.io_retry.time", SimpleNamespace(sleep=lambda _: None))
    return Wavering()


@pytest.fixture
def share(tmp_path: Path, incident: Path, store: Wavering, monkeypatch: pytest.MonkeyPatch) -> WorkUnit:
    """One share: an offsets partition and a data partition of the incident, planned, and then put behind the store."""
    for partition in (PARTITION, "audit-0"):
        shutil.copytree(incident / partition, tmp_path / "logs" / partition)
    warehouse = Warehouse(str(tmp_path / "warehouse"))
    ranges = ranges_of(plan(warehouse, Sources((str(tmp_path / "logs"),), "c")).reads, (), {})
    monkeypatch.setattr("parsers.sources.resolve", store.place)
    return WorkUnit(tuple((one, {}) for one in ranges), _folders(warehouse), datetime.now(timezone.utc))


def rows(outcome: Outcome, name: str) -> int:
    """Rows that were written for a table."""
    return sum(file.rows for table, file in outcome.files if table == name)


def test_a_store_that_recovers_leaves_no_trace(share: WorkUnit, store: Wavering) -> None:
    """Errors and half answers in between change nothing in what is kept."""
    undisturbed = read_work_unit(share, "undisturbed")
    store.answers = [SLOW_DOWN, SLOW_DOWN, 100, 0, SLOW_DOWN]
    outcome = read_work_unit(share, "disturbed")
    assert outcome.complaints == ()
    assert {name: rows(outcome, name) for name in RAW} == {name: rows(undisturbed, name) for name in RAW}
    assert store.answers == []


def test_a_store_that_fails_is_complained_of(share: WorkUnit, store: Wavering) -> None:
    """It sets nothing aside and accounts for nothing, so that the next run reads the file; other files are read."""
    store.answers = [SLOW_DOWN] * TRIES
    outcome = read_work_unit(share, "part")
    (complaint,) = outcome.complaints
    assert "SLOW_DOWN" in complaint
    assert FILE in complaint
    assert rows(outcome, "raw.quarantine") == 0
    assert rows(outcome, "raw.segments") == 1


def test_a_file_that_is_gone_is_set_aside(share: WorkUnit) -> None:
    """That is a finding, and no trouble of the store; nor is it of the run's making, which ends well."""
    shutil.rmtree(share.ranges[0][0].segment.path.rpartition("/")[0])
    outcome = read_work_unit(share, "part")
    assert (outcome.complaints, outcome.unreadable) == ((), ())
    assert (rows(outcome, "raw.quarantine"), rows(outcome, "raw.segments")) == (1, 1)


def test_a_file_that_is_there_and_can_not_be_read_is_told_of(share: WorkUnit, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is set aside as well, but nobody may take the run for one that read everything."""
    monkeypatch.setattr("parsers.sources.resolve", resolve)
    segment = Path(share.ranges[0][0].segment.path)
    segment.unlink()
    segment.mkdir()
    outcome = read_work_unit(share, "part")
    assert outcome.complaints == ()
    (unreadable,) = outcome.unreadable
    assert str(segment) in unreadable
    assert (rows(outcome, "raw.quarantine"), rows(outcome, "raw.segments")) == (1, 1)


@pytest.mark.parametrize("error", [SLOW_DOWN, FileNotFoundError(errno.ENOENT, "gone")])
def test_what_was_unpacked_is_read_whole_or_not_at_all(share: WorkUnit, store: Wavering, error: OSError) -> None:
    """An archive is known by any of its files: had one of them been left out, no run would ever read it."""
    packed = [(_as_member(span), archived) for span, archived in share.ranges]
    store.answers = [error] * TRIES
    with pytest.raises(WarehouseError, match=r"unpacked from logs\.tar!/.*; nothing of this run was kept"):
        read_work_unit(replace(share, ranges=tuple(packed)), "part")


def _as_member(span: OffsetRange) -> OffsetRange:
    """The range as if its file were the copy of one in an archive."""
    ((stretch,),) = span.copies
    assert isinstance(stretch, FileRange)
    segment = replace(stretch.segment, path=f"logs.tar!/{stretch.segment.path}", copy=stretch.segment.path)
    return replace(span, copies=((replace(stretch, file=replace(stretch.file, segment=segment)),),))
