"""What the raw assets say of themselves when there is nothing to read, and when a cluster does not answer."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

import dagster as dg
import pytest

from assets.ingest.live.access import Access
from assets.ingest.plan import Sources
from assets.raw import raw_log_offset_samples
from assets.storage.warehouse import Warehouse
from dagster_project.resources import rules_of_silent_run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("live", [None, Access("127.0.0.1:1")])
def test_samples_hold_nothing_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, live: Access | None) -> None:
    """Without a cluster, or with one that is away, the table is there and empty, and what stands on it goes on."""
    monkeypatch.setattr("assets.ingest.live.patience.time", SimpleNamespace(sleep=lambda _: None))
    warehouse = Warehouse(str(tmp_path))
    rules = dg.ResourceDefinition(rules_of_silent_run, required_resource_keys={"warehouse"})
    resources = {"warehouse": warehouse, "sources": Sources((), live=live), "rules": rules}
    done = dg.materialize([raw_log_offset_samples], resources=resources, selection=["raw/log_offset_samples"])
    (metadata,) = (
        materialization.metadata for materialization in done.asset_materializations_for_node("raw_log_offset_samples")
    )
    assert (metadata["lagbook/partitions"].value, metadata["lagbook/rows_new"].value) == (0, 0)
    assert metadata["lagbook/unchanged"].value is True
    assert {"dagster/row_count", "lagbook/seconds"} <= metadata.keys()
    assert warehouse.version("raw.log_offset_samples") == 0
