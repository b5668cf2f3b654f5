"""The mart assets: one short function per answer, and the DuckDB file that holds them all.

Put here which inputs and which transform or model make a table. What they compute belongs in `assets.transforms` and
`assets.models`.
"""

from __future__ import annotations

from typing import Final

import dagster as dg

from assets import rebalance_marts
from assets.asset_specs import OWNERS, result, table_asset
from assets.catalog import TABLES
from assets.duckdb import database
from assets.materialize import MACRO_TABLES, by_model, by_python
from assets.storage.warehouse import Warehouse
from assets.transforms.marts.lag import lag
from assets.transforms.marts.replays import MODELS as REPLAY_MODELS
from assets.transforms.marts.replays import replays
from assets.transforms.marts.status import group_status

OWNERS_OF: Final = ("core.ownership",)
READS: Final = ("raw.segments", "raw.retired_ranges")
SKIPPED: Final = (
    *(*MACRO_TABLES, "raw.batches", "raw.segments", "raw.retired_ranges"),
    *("raw.coordinator_events", "raw.configurations"),
)
COPIES: Final = (
    *("raw.segments", "raw.offset_records", "raw.batches", "raw.log_offset_samples"),
    *("raw.diverged_records", "raw.diverged_batches"),
)
PRODUCED: Final = ("raw.batches",)
REPLAYED: Final = (
    *(*MACRO_TABLES, "raw.batches", "raw.diverged_batches"),
    *("raw.segments", "raw.retired_ranges", "raw.coordinator_events", "raw.configurations", "mart.skips"),
)
FOUND_IN: Final = (
    *("mart.replays", "mart.skips", "mart.log_divergence", "mart.rebalances", "mart.rebalance_storms"),
    *("mart.lag_now", "mart.offsets_now", "mart.group_status", "mart.producer_duplicates"),
    *("mart.stale_offsets", "mart.expiry_forecast", "mart.open_transactions", "mart.offsets_topic_compaction"),
    *("core.commits", "core.group_states", "core.log_gaps", "core.log_ends", "core.log_end_bounds", "raw.segments"),
)
POSSIBLE: Final = (
    *("mart.replays", "mart.skips", "mart.log_divergence", "mart.basis"),
    *("core.ownership", "core.commits", "core.transactions", "raw.segments"),
)
RESTED_ON: Final = (*READS, "raw.offset_records", "core.log_ends", "mart.offsets_now")
FINDINGS: Final = ("mart.findings",)
LAGS_NOW: Final = (*MACRO_TABLES, "raw.segments")
JUDGED: Final = ("core.commits", "internal.offset_snapshots", "internal.batch_index", "core.log_end_bounds")
LAGGED: Final = (*JUDGED, "core.log_ends")
BY_DUCKDB: Final = {"duckdb", "parquet"}
LAG_MODELS: Final = ("lag_partitions", "lag_starts", "lag_reach", "lag_ends", "lag_points")
STATUS_MODELS: Final = ("status_partitions", "status_commits", "log_end_advances", "status_ends", "group_status")
BY_PYTHON: Final = {"python", "parquet"}

Store = dg.ResourceParam[Warehouse]
Result = dg.MaterializeResult[None]


@table_asset("mart.offsets_now", deps=MACRO_TABLES, kinds=BY_DUCKDB)
def mart_offsets_now(warehouse: Store) -> Result:
    """Make mart.offsets_now."""
    return result(warehouse, by_model(warehouse, "mart.offsets_now"))


@table_asset("mart.lag_now", deps=LAGS_NOW, kinds=BY_DUCKDB)
def mart_lag_now(warehouse: Store) -> Result:
    """Make mart.lag_now."""
    return result(warehouse, by_model(warehouse, "mart.lag_now", LAGS_NOW))


@table_asset("mart.lag", deps=LAGGED, kinds=BY_PYTHON)
def mart_lag(warehouse: Store) -> Result:
    """Make mart.lag."""
    return result(warehouse, by_python(warehouse, "mart.lag", LAGGED, lag, LAG_MODELS))


@table_asset("mart.group_status", deps=JUDGED, kinds=BY_PYTHON)
def mart_group_status(warehouse: Store) -> Result:
    """Make mart.group_status."""
    return result(warehouse, by_python(warehouse, "mart.group_status", JUDGED, group_status, STATUS_MODELS))


@table_asset("mart.replays", deps=REPLAYED, kinds=BY_PYTHON)
def mart_replays(warehouse: Store) -> Result:
    """Make mart.replays, some partitions of the offsets topic after the other."""
    return result(warehouse, by_python(warehouse, "mart.replays", REPLAYED, replays, REPLAY_MODELS))


@table_asset("mart.skips", deps=SKIPPED, kinds=BY_DUCKDB)
def mart_skips(warehouse: Store) -> Result:
    """Make mart.skips."""
    return result(warehouse, by_model(warehouse, "mart.skips", SKIPPED))


@table_asset("mart.log_divergence", deps=(*MACRO_TABLES, *COPIES), kinds=BY_DUCKDB)
def mart_log_divergence(warehouse: Store) -> Result:
    """Make mart.log_divergence."""
    return result(warehouse, by_model(warehouse, "mart.log_divergence", (*MACRO_TABLES, *COPIES)))


@table_asset("mart.producer_duplicates", deps=PRODUCED, kinds=BY_DUCKDB)
def mart_producer_duplicates(warehouse: Store) -> Result:
    """Make mart.producer_duplicates."""
    return result(warehouse, by_model(warehouse, "mart.producer_duplicates", PRODUCED))


@table_asset("mart.findings", deps=FOUND_IN, kinds=BY_DUCKDB)
def mart_findings(warehouse: Store) -> Result:
    """Make mart.findings."""
    return result(warehouse, by_model(warehouse, "mart.findings", FOUND_IN))


@table_asset("mart.incidents", deps=FINDINGS, kinds=BY_DUCKDB)
def mart_incidents(warehouse: Store) -> Result:
    """Make mart.incidents."""
    return result(warehouse, by_model(warehouse, "mart.incidents", FINDINGS))


@table_asset("mart.not_excluded", deps=POSSIBLE, kinds=BY_DUCKDB)
def mart_not_excluded(warehouse: Store) -> Result:
    """Make mart.not_excluded."""
    return result(warehouse, by_model(warehouse, "mart.not_excluded", POSSIBLE))


@table_asset("mart.owner_conflicts", deps=OWNERS_OF, kinds=BY_DUCKDB)
def mart_owner_conflicts(warehouse: Store) -> Result:
    """Make mart.owner_conflicts."""
    return result(warehouse, by_model(warehouse, "mart.owner_conflicts", OWNERS_OF))


@table_asset("mart.log_coverage", deps=READS, kinds=BY_DUCKDB)
def mart_log_coverage(warehouse: Store) -> Result:
    """Make mart.log_coverage."""
    return result(warehouse, by_model(warehouse, "mart.log_coverage", READS))


@table_asset("mart.basis", deps=RESTED_ON, kinds=BY_DUCKDB)
def mart_basis(warehouse: Store) -> Result:
    """Make mart.basis."""
    return result(warehouse, by_model(warehouse, "mart.basis", RESTED_ON))


@dg.asset(
    key=["lagbook", "duckdb"],
    deps=[dg.AssetKey(name.split(".")) for name in TABLES],
    group_name="lagbook",
    owners=OWNERS,
    kinds={"duckdb"},
    description="The file that people query: every table with its comments, and macros that answer for any instant.",
)
def lagbook_duckdb(warehouse: Store) -> Result:
    """Build lagbook.duckdb beside the old one and swap it in, unless it shows these tables already."""
    unchanged = database.is_current(warehouse)
    rows = {} if unchanged else database.build(warehouse)
    return dg.MaterializeResult(
        metadata={
            "dagster/uri": str(warehouse.duckdb_path),
            "lagbook/rows": rows,
            "lagbook/unchanged": unchanged,
        }
    )


ASSETS: Final = (
    mart_offsets_now,
    mart_lag_now,
    mart_lag,
    mart_group_status,
    *rebalance_marts.ASSETS,
    mart_replays,
    mart_skips,
    mart_log_divergence,
    mart_producer_duplicates,
    mart_findings,
    mart_incidents,
    mart_not_excluded,
    mart_owner_conflicts,
    mart_log_coverage,
    mart_basis,
    lagbook_duckdb,
)
