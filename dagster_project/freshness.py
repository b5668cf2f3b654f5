"""How old the tables may become before Dagster calls them stale: those of what was read, and the file that is asked.

Put here which assets have a policy. The hours are `stale_hours` of lagbook.toml.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

import dagster as dg

if TYPE_CHECKING:
    from collections.abc import Sequence

KEYS: Final = (dg.AssetKey(["raw", "segments"]), dg.AssetKey(["lagbook", "duckdb"]))
_WARN_SHARE: Final = 0.5


def with_freshness(assets: Sequence[dg.AssetsDefinition], stale_hours: float) -> list[dg.AssetsDefinition]:
    """The assets; some fail to be fresh when no run has looked at them for so long, and warn after half of it."""
    stale = timedelta(hours=stale_hours)
    policy = dg.FreshnessPolicy.time_window(fail_window=stale, warn_window=stale * _WARN_SHARE)

    def fresh(spec: dg.AssetSpec) -> dg.AssetSpec:
        return spec.replace_attributes(freshness_policy=policy) if spec.key in KEYS else spec

    return list(dg.map_asset_specs(fresh, assets))
