"""Everything that Dagster loads, by name.

Put names together here and nothing else. What a name stands for is said in the module it comes from.
"""

from __future__ import annotations

import dagster as dg

from dagster_project.alerting.newest_record import NEWEST_RECORD
from dagster_project.alerting.open_incidents import OPEN_INCIDENTS
from dagster_project.alerting.sensors import FAILED_RUNS, NEW_INCIDENTS
from dagster_project.automation import CHECK_ALL, EVERY_FIVE_MINUTES, HOURLY, NEW_SEGMENTS, WEEKLY
from dagster_project.checks import CHECKS
from dagster_project.code_links import with_code_links
from dagster_project.deployment.alerts import declared_alerts
from dagster_project.deployment.clusters import declared_clusters
from dagster_project.freshness import with_freshness
from dagster_project.places import with_partitions
from dagster_project.refresh import ASSETS, REFRESH
from dagster_project.resources import resources
from dagster_project.retention import daily_tidy, tidy
from dagster_project.settings import Settings


def build_definitions(settings: Settings) -> dg.Definitions:
    """The assets with their checks and automation, wired to the places that the settings and lagbook.toml name."""
    clusters = {name: one.settings(settings) for name, one in declared_clusters().items()}
    assets = with_freshness(with_partitions(ASSETS, list(clusters)), declared_alerts().stale_hours)
    return dg.Definitions(
        assets=with_code_links(assets),
        asset_checks=[*CHECKS, OPEN_INCIDENTS, NEWEST_RECORD],
        jobs=[REFRESH, CHECK_ALL, tidy],
        schedules=[HOURLY, EVERY_FIVE_MINUTES, WEEKLY, daily_tidy],
        sensors=[NEW_SEGMENTS, NEW_INCIDENTS, FAILED_RUNS],
        resources=resources(settings, clusters),
        executor=dg.in_process_executor,
    )


defs = build_definitions(Settings.from_environment())
