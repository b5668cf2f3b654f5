"""The job `refresh` with what it needs and nothing else: a run of the command line loads no check, schedule or sensor.

Put here what a refresh is made of. All that Dagster's UI loads is in `dagster_project.definitions`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import dagster as dg

from assets import core, marts, raw
from dagster_project.resources import resources

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from dagster_project.settings import Settings

JOB_NAME: Final = "refresh"
ASSETS: Final = (*raw.ASSETS, *core.ASSETS, *marts.ASSETS)
REFRESH: Final = dg.define_asset_job(
    JOB_NAME,
    selection=dg.AssetSelection.all().without_checks(),
    description="Read what is new and rebuild every table that it changes; each step judges the tables that it writes.",
)


def refresh_job(settings: Settings, others: Mapping[str, Any] | None = None) -> dg.JobDefinition:
    """The job, wired to the places that the settings name; `others` are resources to take instead of its own."""
    definitions = dg.Definitions(
        assets=ASSETS,
        jobs=[REFRESH],
        resources={**resources(settings), **(others or {})},
        executor=dg.in_process_executor,
    )
    return definitions.resolve_job_def(JOB_NAME)
