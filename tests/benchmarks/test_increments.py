"""Whole runs are measured as they are: the first reads all but the ends of the logs, the second these."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from assets.storage.warehouse import Warehouse
from benchmarks import increments
from benchmarks.ingest import make
from benchmarks.tree import watched
from tests.whole_run import whole_run

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.tree import Work


@pytest.mark.slow
def test_each_run_reads_what_the_one_before_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The commits of the three runs are all that were made up, and the row has a cell for each head."""
    rows: list[int] = []

    def run(logs: Path, warehouse: Path) -> Work:
        """Run in this process."""

        def work() -> int:
            result = whole_run(warehouse, [logs])
            assert result.exit_code == 0, result.output
            rows.append(Warehouse(str(warehouse)).row_count("raw.offset_records"))
            return rows[-1]

        return watched(work)

    monkeypatch.setattr(increments, "run", run)
    works = increments.measure(make(tmp_path, 2_000, 20_000), tmp_path / "warehouse")
    first, more, nothing = rows
    assert 0 < first < more == nothing >= 2_000
    assert len(increments.cells(0.002, works)) == len(increments.HEADS)
