"""The check of mart/basis: how old the newest record is."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import dagster as dg
import pytest

from dagster_project.alerting.newest_record import NEWEST_RECORD, evaluate
from dagster_project.deployment.alerts import Alerts

if TYPE_CHECKING:
    from assets.storage.warehouse import Warehouse
    from tests.dagster_project.conftest import Fill


def basis(cluster: str, partition: int, age_hours: float | None, topic: str = "__consumer_offsets") -> dict[str, Any]:
    """A partition whose newest record is so old."""
    newest = None if age_hours is None else datetime.now(timezone.utc) - timedelta(hours=age_hours)
    return {"cluster": cluster, "topic": topic, "partition": partition, "newest_record_at": newest}


def verdict(warehouse: Warehouse, stale_hours: float = 24) -> dg.AssetCheckResult:
    """What the check says."""
    result = NEWEST_RECORD(warehouse=warehouse, alerts=Alerts(stale_hours=stale_hours))
    assert isinstance(result, dg.AssetCheckResult)
    return result


def test_a_cluster_is_as_old_as_its_newest_record(fill: Fill, warehouse: Warehouse) -> None:
    """Not as its oldest partition, nor as its data topics."""
    fill("mart.basis", [basis("c1", 0, 2), basis("c1", 1, 200), basis("c1", 0, 0, topic="orders")])
    assert (verdict(warehouse).passed, verdict(warehouse, 1).passed) == (True, False)
    assert verdict(warehouse).metadata["lagbook/newest_record_age_seconds"].value == pytest.approx(7_200, abs=60)


def test_one_old_cluster_is_a_warning(fill: Fill, warehouse: Warehouse) -> None:
    """Which is named, whatever it is called; so is one whose records have no time."""
    fill("mart.basis", [basis("new", 0, 1), basis("<b>\x1b[2J", 0, 30), basis("unknown", 0, None)])
    result = verdict(warehouse)
    assert (result.passed, result.severity) == (False, dg.AssetCheckSeverity.WARN)
    assert result.description == "Cluster unknown has no record of the last 24 hours, as have 1 more clusters."
    lines = str(result.metadata["lagbook/clusters"].value).split("\n")
    assert lines[0] == "- unknown: unknown"
    assert lines[1].startswith("- &lt;b\\>\\\\x1b\\[2J: ")


def test_nothing_read_is_nothing_stale(fill: Fill, warehouse: Warehouse) -> None:
    """An empty warehouse is the affair of the freshness policy."""
    fill("mart.basis", [])
    assert verdict(warehouse).passed


def test_the_step_that_writes_the_table_says_the_same(fill: Fill, warehouse: Warehouse) -> None:
    """As an event of the check."""
    fill("mart.basis", [basis("c1", 0, 30)])
    event, result = evaluate(warehouse, Alerts()), verdict(warehouse)
    assert (event.passed, event.description) == (result.passed, result.description)
