"""The assets of the pipeline and the job that refreshes them.

Put here what a refresh is made of. All that Dagster's UI loads is in `dagster_project.definitions`. The same steps run
without Dagster in `dagster_project.plain_run`.
"""

from __future__ import annotations

from typing import Final

import dagster as dg

from assets.asset_specs import asset_of
from assets.graph import STEPS

JOB_NAME: Final = "refresh"
ASSETS: Final = tuple(map(asset_of, STEPS))
REFRESH: Final = dg.define_asset_job(
    JOB_NAME,
    selection=dg.AssetSelection.all().without_checks(),
    description="Read what is new and rebuild every table that it changes; each step judges the tables that it writes.",
)
