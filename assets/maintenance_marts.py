"""The mart assets of upkeep: how groups commit, what expires or is left behind, what the offsets topic costs.

Put here which inputs make such a table. What they compute belongs in `assets.models`; answers about what happened are
in `assets.marts`.
"""

from __future__ import annotations

from typing import Final

from assets.asset_specs import result, table_asset
from assets.marts import BY_DUCKDB, Result, Store
from assets.materialize import MACRO_TABLES, by_model

COUNTED: Final = ("raw.batches", "raw.segments", "raw.retired_ranges")
COMMITS: Final = ("core.commits", "raw.offset_records")
OPEN: Final = ("core.transactions", "raw.offset_records", "raw.batches", "raw.segments", "mart.offsets_now")
STANDING: Final = ("mart.offsets_now", "mart.lag_now")
FORECAST: Final = (
    *MACRO_TABLES,
    *COUNTED,
    "core.subscriptions",
    "mart.open_transactions",
    "raw.configurations",
    *STANDING,
)
LEFT: Final = (*MACRO_TABLES, "mart.expiry_forecast", *STANDING)
BILLED: Final = ("raw.offset_records", "raw.segments", "core.commits", "core.members")
CLEANED: Final = ("raw.offset_records", "raw.segments", "mart.open_transactions")


@table_asset("mart.commit_cadence", deps=COMMITS, kinds=BY_DUCKDB)
def mart_commit_cadence(warehouse: Store) -> Result:
    """Make mart.commit_cadence."""
    return result(warehouse, by_model(warehouse, "mart.commit_cadence", COMMITS))


@table_asset("mart.open_transactions", deps=OPEN, kinds=BY_DUCKDB)
def mart_open_transactions(warehouse: Store) -> Result:
    """Make mart.open_transactions."""
    return result(warehouse, by_model(warehouse, "mart.open_transactions", OPEN))


@table_asset("mart.expiry_forecast", deps=FORECAST, kinds=BY_DUCKDB)
def mart_expiry_forecast(warehouse: Store) -> Result:
    """Make mart.expiry_forecast."""
    return result(warehouse, by_model(warehouse, "mart.expiry_forecast", FORECAST))


@table_asset("mart.stale_offsets", deps=LEFT, kinds=BY_DUCKDB)
def mart_stale_offsets(warehouse: Store) -> Result:
    """Make mart.stale_offsets."""
    return result(warehouse, by_model(warehouse, "mart.stale_offsets", LEFT))


@table_asset("mart.offsets_topic_usage", deps=BILLED, kinds=BY_DUCKDB)
def mart_offsets_topic_usage(warehouse: Store) -> Result:
    """Make mart.offsets_topic_usage."""
    return result(warehouse, by_model(warehouse, "mart.offsets_topic_usage", BILLED))


@table_asset("mart.offsets_topic_compaction", deps=CLEANED, kinds=BY_DUCKDB)
def mart_offsets_topic_compaction(warehouse: Store) -> Result:
    """Make mart.offsets_topic_compaction."""
    return result(warehouse, by_model(warehouse, "mart.offsets_topic_compaction", CLEANED))


ASSETS: Final = (
    mart_commit_cadence,
    mart_open_transactions,
    mart_expiry_forecast,
    mart_stale_offsets,
    mart_offsets_topic_usage,
    mart_offsets_topic_compaction,
)
