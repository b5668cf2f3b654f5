"""What a worker makes of files that can't be read: a file's own trouble is kept, a store's is complained of."""

from __future__ import annotations

import shutil
from datetime import datetime, timezone
from types import SimpleNamespace
from typing import TYPE_CHECKING, Final

import pytest

from assets.archive import Warehouse
from assets.ingesting.ingest import RAW, _folders, ranges_of
from assets.ingesting.plan import Sources, plan
from assets.ingesting.reading import Outcome, read_share
from assets.ingesting.reads import Share
from parsers import stores
from tests.parsers.wavering import SLOW_DOWN, Wavering

if TYPE_CHECKING:
    from pathlib import Path

PARTITION: Final = "__consumer_offsets-16"
FILE: Final = "00000000000000000000.log"
TRIES: Final = 1 + len(stores.WAITS_S)


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Wavering:
    """A store that nobody waits for."""
    monkeypatch.setattr("parsers.stores.time", SimpleNamespace(sleep=lambda _: None))
    return Wavering()


@pytest.fixture
def share(tmp_path: Path, incident: Path, store: Wavering, monkeypatch: pytest.MonkeyPatch) -> Share:
    """One share: an offsets partition and a data partition of the incident, planned, and then put behind the store."""
    for partition in (PARTITION, "audit-0"):
        shutil.copytree(incident / partition, tmp_path / "logs" / partition)
    warehouse = Warehouse(str(tmp_path / "warehouse"))
    ranges = ranges_of(plan(warehouse, Sources((str(tmp_path / "logs"),), "c")).reads, (), {})
    monkeypatch.setattr("parsers.sources.resolve", store.place)
    return Share(tuple((one, ()) for one in ranges), _folders(warehouse), datetime.now(timezone.utc))


def rows(outcome: Outcome, name: str) -> int:
    """Rows that were written for a table."""
    return sum(file.rows for table, file in outcome.files if table == name)


def test_a_store_that_recovers_leaves_no_trace(share: Share, store: Wavering) -> None:
    """Errors and half answers in between change nothing in what is kept."""
    undisturbed = read_share(share, "undisturbed")
    store.answers = [SLOW_DOWN, SLOW_DOWN, 100, 0, SLOW_DOWN]
    outcome = read_share(share, "disturbed")
    assert outcome.complaints == ()
    assert {name: rows(outcome, name) for name in RAW} == {name: rows(undisturbed, name) for name in RAW}
    assert store.answers == []


def test_a_store_that_fails_is_complained_of(share: Share, store: Wavering) -> None:
    """It sets nothing aside and accounts for nothing, so that the next run reads the file; other files are read."""
    store.answers = [SLOW_DOWN] * TRIES
    outcome = read_share(share, "part")
    (complaint,) = outcome.complaints
    assert "SLOW_DOWN" in complaint
    assert FILE in complaint
    assert rows(outcome, "raw.quarantine") == 0
    assert rows(outcome, "raw.segments") == 1


def test_a_file_that_is_gone_is_set_aside(share: Share) -> None:
    """That is a finding, and no trouble of the store."""
    shutil.rmtree(share.ranges[0][0].segment.path.rpartition("/")[0])
    outcome = read_share(share, "part")
    assert outcome.complaints == ()
    assert (rows(outcome, "raw.quarantine"), rows(outcome, "raw.segments")) == (1, 1)
