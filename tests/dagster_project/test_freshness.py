"""Which assets may become stale."""

from __future__ import annotations

from datetime import timedelta

import dagster as dg

from dagster_project.freshness import with_freshness
from dagster_project.refresh import ASSETS


def test_what_was_read_and_the_file_become_stale() -> None:
    """A warning comes at half the time; no other asset has a policy."""
    specs = [spec for one in with_freshness(ASSETS, 3) for spec in one.specs]
    policies = {spec.key: spec.freshness_policy for spec in specs if spec.freshness_policy}
    assert set(policies) == {dg.AssetKey(["raw", "segments"]), dg.AssetKey(["lagbook", "duckdb"])}
    expected = dg.FreshnessPolicy.time_window(fail_window=timedelta(hours=3), warn_window=timedelta(hours=1.5))
    assert set(policies.values()) == {expected}
