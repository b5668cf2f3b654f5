"""MirrorMaker 2 and a worker of Connect, started here and now, and a fail-over: the tables say what members read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.broker.book import Book
from tests.broker.maven import UnavailableError, jars
from tests.broker.releases import CONNECT
from tests.mirror.comparison import compare
from tests.mirror.record import record
from tests.mirror.recorded import truth, unpack

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.slow
def test_groups_that_fail_over_read_what_was_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The scenario of the recording, played anew: where MirrorMaker writes its syncs differs from time to time."""
    try:
        jars(CONNECT)
    except UnavailableError as error:
        pytest.skip(str(error))
    scratch, recording = tmp_path / "scratch", tmp_path / "recording"
    scratch.mkdir()
    recording.mkdir()
    monkeypatch.chdir(scratch)
    record(scratch, recording)
    logs, book = unpack(tmp_path / "logs", recording), Book(tmp_path / "warehouse")
    book.run(*logs)
    assert "ahead" in compare(book, logs, truth(recording)["failover"])
    assert book.query("SELECT count(*) FROM mart.connect_source_rewinds WHERE connector = 'lines'") == [(2,)]
