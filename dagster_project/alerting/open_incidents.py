"""The check of mart/incidents that warns while incidents are open: grave enough, and acknowledged by nobody.

Put here how they are shown as a check. `lagbook audit --ack` takes an incident out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import dagster as dg

from assets.duckdb.database import in_memory
from assets.storage.warehouse import Warehouse
from dagster_project.cli.questions.marks import dealt_with, read_marks
from dagster_project.cli.terminal import plural
from dagster_project.deployment.alerts import Alerts
from dagster_project.notifications.wording import markdown_list
from dagster_project.severities import and_worse

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

INCIDENTS: Final = "mart.incidents"
CHECK: Final = "no_incident_is_open"
MOST: Final = 50
"""Incidents that the list of the check has."""
_DESCRIPTION: Final = (
    "No incident of the severity of lagbook.toml or worse is open; `lagbook audit --ack ID` is for those dealt with."
)
_GRAVE: Final = """
    SELECT incident_id, severity, title FROM mart.incidents WHERE list_contains($severities, severity) ORDER BY rank
"""

Row = dict[str, Any]


def read_open_incidents(warehouse: Warehouse, severity: str) -> list[Row]:
    """The incidents of this severity or worse that nobody has acknowledged, the worst first."""
    with in_memory(warehouse, [INCIDENTS]) as connection:
        cursor = connection.execute(_GRAVE, {"severities": list(and_worse(severity))})
        names = [column[0] for column in cursor.description or ()]
        rows = [dict(zip(names, values, strict=True)) for values in cursor.fetchall()]
    closed = dealt_with(read_marks(warehouse), rows)
    return [row for row in rows if row["incident_id"] not in closed]


def evaluate(warehouse: Warehouse, alerts: Alerts) -> dg.AssetCheckEvaluation:
    """The check as an event of the step that writes the table."""
    severity = alerts.severity
    rows = read_open_incidents(warehouse, severity)
    return dg.AssetCheckEvaluation(
        asset_key=dg.AssetKey(INCIDENTS.split(".")),
        check_name=CHECK,
        passed=not rows,
        severity=dg.AssetCheckSeverity.WARN,
        description=_sentence(rows, severity),
        metadata=_metadata(rows, severity),
        blocking=False,
    )


@dg.asset_check(asset=INCIDENTS.split("."), name=CHECK, description=_DESCRIPTION)
def no_incident_is_open(
    warehouse: dg.ResourceParam[Warehouse], alerts: dg.ResourceParam[Alerts]
) -> dg.AssetCheckResult:
    """Look for open incidents."""
    rows = read_open_incidents(warehouse, alerts.severity)
    return dg.AssetCheckResult(
        passed=not rows,
        severity=dg.AssetCheckSeverity.WARN,
        description=_sentence(rows, alerts.severity),
        metadata=_metadata(rows, alerts.severity),
    )


def _sentence(rows: Sequence[Row], severity: str) -> str:
    if not rows:
        return f"No incident of severity {severity} or worse is open."
    return f"{plural(len(rows), 'open incident')} of severity {severity} or worse, the worst {rows[0]['severity']}."


def _metadata(rows: Sequence[Row], severity: str) -> Mapping[str, dg.MetadataValue[Any]]:
    more = f"\n- ... and {len(rows) - MOST:,} more" if len(rows) > MOST else ""
    return {
        "lagbook/open_incidents": dg.MetadataValue.int(len(rows)),
        "lagbook/from_severity": dg.MetadataValue.text(severity),
        "lagbook/incidents": dg.MetadataValue.md(markdown_list(rows[:MOST]) + more),
    }


OPEN_INCIDENTS: Final = no_incident_is_open
