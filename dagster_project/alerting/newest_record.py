"""The check of mart/basis that warns when the newest record that was read of a cluster is old.

Put here how age is measured and shown. How old is too old is `stale_hours` of lagbook.toml.
"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, Final

import dagster as dg

from assets.duckdb.database import create_macros, in_memory
from assets.storage.warehouse import Warehouse
from dagster_project.cli.terminal import brief, markdown
from dagster_project.cli.times import show_length, show_second
from dagster_project.deployment.alerts import Alerts

if TYPE_CHECKING:
    from collections.abc import Mapping

BASIS: Final = "mart.basis"
CHECK: Final = "newest_record_is_recent"
MOST: Final = 50
_NEWEST: Final = "SELECT cluster, newest_at FROM _newest_of('read_records') ORDER BY newest_at NULLS FIRST, cluster"
_READ: Final = """
    CREATE TEMP VIEW read_records AS
    SELECT cluster, newest_record_at AS effective_at FROM mart.basis WHERE topic = '__consumer_offsets'
"""

Newest = dict[str, "datetime | None"]


def read_newest(warehouse: Warehouse) -> Newest:
    """The time of the newest record of each cluster, the oldest first; NULL where no record has a time."""
    with in_memory(warehouse, [BASIS, "raw.segments"]) as connection:
        create_macros(connection)
        connection.execute(_READ)
        return dict(connection.execute(_NEWEST).fetchall())


def evaluate(warehouse: Warehouse, alerts: Alerts) -> dg.AssetCheckEvaluation:
    """The check as an event of the step that writes the table."""
    newest, now = read_newest(warehouse), datetime.now(timezone.utc)
    return dg.AssetCheckEvaluation(
        asset_key=dg.AssetKey(BASIS.split(".")),
        check_name=CHECK,
        passed=not stale_clusters(newest, now, alerts),
        severity=dg.AssetCheckSeverity.WARN,
        description=_sentence(newest, now, alerts),
        metadata=_metadata(newest, now),
        blocking=False,
    )


@dg.asset_check(
    asset=BASIS.split("."),
    name=CHECK,
    description="The newest record of each cluster is no older than `stale_hours` of lagbook.toml.",
)
def newest_record_is_recent(
    warehouse: dg.ResourceParam[Warehouse], alerts: dg.ResourceParam[Alerts]
) -> dg.AssetCheckResult:
    """Look at the newest records."""
    newest, now = read_newest(warehouse), datetime.now(timezone.utc)
    return dg.AssetCheckResult(
        passed=not stale_clusters(newest, now, alerts),
        severity=dg.AssetCheckSeverity.WARN,
        description=_sentence(newest, now, alerts),
        metadata=_metadata(newest, now),
    )


def stale_clusters(newest: Newest, now: datetime, alerts: Alerts) -> list[str]:
    """The clusters whose newest record is older than allowed, or has no time."""
    oldest = now - timedelta(hours=alerts.stale_hours)
    return [cluster for cluster, at in newest.items() if at is None or at < oldest]


def _sentence(newest: Newest, now: datetime, alerts: Alerts) -> str:
    stale = stale_clusters(newest, now, alerts)
    if not stale:
        return f"The newest record of each cluster is at most {alerts.stale_hours:g} hours old."
    more = f", as have {len(stale) - 1} more clusters" if len(stale) > 1 else ""
    return f"Cluster {brief(stale[0])} has no record of the last {alerts.stale_hours:g} hours{more}."


def _metadata(newest: Newest, now: datetime) -> Mapping[str, dg.MetadataValue[Any]]:
    """The newest record of all, in numbers that Dagster plots, and a list of the clusters."""
    times = [at for at in newest.values() if at is not None]
    lines = [f"- {markdown(brief(cluster))}: {_age(at, now)}" for cluster, at in list(newest.items())[:MOST]]
    values: dict[str, dg.MetadataValue[Any]] = {"lagbook/clusters": dg.MetadataValue.md("\n".join(lines))}
    if times:
        values["lagbook/newest_record_at"] = dg.MetadataValue.timestamp(max(times))
        values["lagbook/newest_record_age_seconds"] = dg.MetadataValue.float(
            round((now - max(times)).total_seconds(), 1)
        )
    return values


def _age(at: datetime | None, now: datetime) -> str:
    return "unknown" if at is None else f"{show_second(at)}, {show_length((now - at).total_seconds())} ago"


NEWEST_RECORD: Final = newest_record_is_recent
