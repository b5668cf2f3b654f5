"""The check of mart/incidents."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import dagster as dg
import pytest

from assets.duckdb import audit_marks
from dagster_project.alerting.open_incidents import OPEN_INCIDENTS, evaluate
from dagster_project.deployment.alerts import Alerts

if TYPE_CHECKING:
    from assets.storage.warehouse import Warehouse
    from tests.dagster_project.conftest import Fill

HOSTILE = "group <script>alert(1)</script> [x](http://evil) `y` | **z** \x1b[2J never read 5 offsets"


def row(number: int, severity: str, title: str = "group a never read 5 offsets") -> dict[str, Any]:
    """An incident."""
    return {"cluster": "c1", "incident_id": f"{number:012x}", "rank": number, "severity": severity, "title": title}


def verdict(warehouse: Warehouse, severity: str) -> dg.AssetCheckResult:
    """What the check says when somebody starts it by hand."""
    result = OPEN_INCIDENTS(warehouse=warehouse, alerts=Alerts(severity))
    assert isinstance(result, dg.AssetCheckResult)
    return result


def test_open_incidents_are_a_warning(fill: Fill, warehouse: Warehouse) -> None:
    """Those of the severity or worse, the worst first, until somebody acknowledges them."""
    fill("mart.incidents", [row(1, "critical"), row(2, "high"), row(3, "medium")])
    result = verdict(warehouse, "high")
    assert (result.passed, result.severity) == (False, dg.AssetCheckSeverity.WARN)
    assert result.description == "2 open incidents of severity high or worse, the worst critical."
    assert [one.passed for one in (verdict(warehouse, "low"), verdict(warehouse, "critical"))] == [False, False]
    for number, severity in ((1, "critical"), (2, "high")):
        audit_marks.acknowledge(warehouse, f"{number:012x}", severity, None)
    assert verdict(warehouse, "high").passed
    assert not verdict(warehouse, "medium").passed


def test_an_acknowledged_incident_that_became_graver_is_open(fill: Fill, warehouse: Warehouse) -> None:
    """Somebody dealt with what it was then."""
    audit_marks.acknowledge(warehouse, f"{1:012x}", "high", None)
    fill("mart.incidents", [row(1, "critical")])
    assert not verdict(warehouse, "high").passed


def test_the_list_has_no_markup_of_strangers(fill: Fill, warehouse: Warehouse) -> None:
    """Names stand in Markdown as they are, and nothing that they hold acts."""
    fill("mart.incidents", [row(1, "critical", HOSTILE), row(2, "high")])
    result = verdict(warehouse, "high")
    lines = str(result.metadata["lagbook/incidents"].value).split("\n")
    assert len(lines) == 2
    assert lines[0].startswith("- **critical** `000000000001` group &lt;script>".replace(">", "\\>"))
    assert re.search(r"<|(?<!\\)[\]*]|\x1b|(?<!\\)`", lines[0].partition("` ")[2]) is None


def test_many_incidents_are_counted_and_the_worst_listed(fill: Fill, warehouse: Warehouse) -> None:
    """A page of Dagster's holds no thousands."""
    fill("mart.incidents", [row(number, "high") for number in range(1, 1_001)])
    result = verdict(warehouse, "high")
    lines = str(result.metadata["lagbook/incidents"].value).split("\n")
    assert (len(lines), lines[-1]) == (51, "- ... and 950 more")
    assert result.metadata["lagbook/open_incidents"].value == 1_000


@pytest.mark.parametrize("rows", [[], [row(1, "high")]])
def test_the_step_that_writes_the_table_says_the_same(
    fill: Fill, warehouse: Warehouse, rows: list[dict[str, Any]]
) -> None:
    """As an event of the check, so that nobody has to start it."""
    fill("mart.incidents", rows)
    event, result = evaluate(warehouse, Alerts("high")), verdict(warehouse, "high")
    assert (event.passed, event.description, event.metadata) == (result.passed, result.description, result.metadata)
    assert (event.check_name, event.blocking) == ("no_incident_is_open", False)
