"""Everything that Dagster loads, by name.

Put names together here and nothing else. What a name stands for is said in the module it comes from.
"""

from __future__ import annotations

import dagster as dg

from dagster_project.automation import CHECK_ALL, EVERY_FIVE_MINUTES, HOURLY, NEW_SEGMENTS, WEEKLY
from dagster_project.checks import CHECKS
from dagster_project.refresh import ASSETS, REFRESH
from dagster_project.resources import resources
from dagster_project.retention import daily_tidy, tidy
from dagster_project.settings import Settings


def build_definitions(settings: Settings) -> dg.Definitions:
    """The assets with their checks and automation, wired to the places that the settings name."""
    return dg.Definitions(
        assets=ASSETS,
        asset_checks=CHECKS,
        jobs=[REFRESH, CHECK_ALL, tidy],
        schedules=[HOURLY, EVERY_FIVE_MINUTES, WEEKLY, daily_tidy],
        sensors=[NEW_SEGMENTS],
        resources=resources(settings),
        executor=dg.in_process_executor,
    )


defs = build_definitions(Settings.from_environment())
