"""What the raw assets say of themselves when there is nothing to read, and when a cluster does not answer."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from assets.ingest.live.access import Access
from assets.ingest.plan import Sources
from assets.raw import sample_log_offsets
from assets.storage.warehouse import Warehouse
from tests.assets.steps.toy_runs import run_context

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("live", [None, Access("127.0.0.1:1")])
def test_samples_hold_nothing_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, live: Access | None) -> None:
    """Without a cluster, or with one that is away, the table is there and empty, and what stands on it goes on."""
    monkeypatch.setattr("assets.ingest.live.patience.time", SimpleNamespace(sleep=lambda _: None))
    warehouse = Warehouse(str(tmp_path))
    (result,) = sample_log_offsets(run_context(warehouse, Sources((), live=live)))
    assert (result.facts["lagbook/partitions"], result.facts["lagbook/rows_new"]) == (0, 0)
    assert result.facts["lagbook/unchanged"] is True
    assert {"dagster/row_count", "lagbook/seconds"} <= result.facts.keys()
    assert warehouse.version("raw.log_offset_samples") == 0
