"""The assets about rebalances: one short function per table, each made from the ones before it.

Put here which inputs and which model make a table. What they compute belongs in `assets.models`.
"""

from __future__ import annotations

from typing import Final

import dagster as dg

from assets.asset_specs import result, table_asset
from assets.materialize import by_keeping, by_model
from assets.storage.warehouse import Warehouse
from assets.transforms.marts.observed_generations import MODELS, what_if

SPANS_OF: Final = ("internal.recorded_group_states", "core.generations", "core.members", "core.ownership")
CHANGES_OF: Final = ("core.members", "internal.rebalance_spans", "raw.coordinator_events")
MOVES_OF: Final = (
    "core.ownership",
    "internal.rebalance_spans",
    "core.generations",
    "core.group_states",
    "core.topics",
    "mart.member_changes",
)
REBALANCES_OF: Final = (
    "internal.rebalance_spans",
    "core.group_states",
    "core.members",
    "core.ownership",
    "mart.member_changes",
    "mart.partition_moves",
)
COUNTED: Final = ("mart.rebalances", "mart.member_changes")
STORMS_OF: Final = (*COUNTED, "core.members")
ASKED: Final = ("internal.recorded_group_states", "core.generations", "core.members", "core.topics")
KINDS: Final = {"duckdb", "parquet"}

Store = dg.ResourceParam[Warehouse]
Result = dg.MaterializeResult[None]


@table_asset("internal.rebalance_spans", deps=SPANS_OF, kinds=KINDS)
def internal_rebalance_spans(warehouse: Store) -> Result:
    """Make internal.rebalance_spans."""
    return result(warehouse, by_model(warehouse, "internal.rebalance_spans", SPANS_OF))


@table_asset("mart.member_changes", deps=CHANGES_OF, kinds=KINDS)
def mart_member_changes(warehouse: Store) -> Result:
    """Make mart.member_changes."""
    return result(warehouse, by_model(warehouse, "mart.member_changes", CHANGES_OF))


@table_asset("mart.partition_moves", deps=MOVES_OF, kinds=KINDS)
def mart_partition_moves(warehouse: Store) -> Result:
    """Make mart.partition_moves."""
    return result(warehouse, by_model(warehouse, "mart.partition_moves", MOVES_OF))


@table_asset("mart.rebalances", deps=REBALANCES_OF, kinds=KINDS)
def mart_rebalances(warehouse: Store) -> Result:
    """Make mart.rebalances."""
    return result(warehouse, by_model(warehouse, "mart.rebalances", REBALANCES_OF))


@table_asset("mart.rebalance_storms", deps=STORMS_OF, kinds=KINDS)
def mart_rebalance_storms(warehouse: Store) -> Result:
    """Make mart.rebalance_storms."""
    return result(warehouse, by_model(warehouse, "mart.rebalance_storms", STORMS_OF))


@table_asset("mart.churn", deps=COUNTED, kinds=KINDS)
def mart_churn(warehouse: Store) -> Result:
    """Make mart.churn."""
    return result(warehouse, by_model(warehouse, "mart.churn", COUNTED))


@table_asset("mart.assignor_what_if", deps=ASKED, kinds={"python", "parquet"})
def mart_assignor_what_if(warehouse: Store) -> Result:
    """Make mart.assignor_what_if."""
    return result(warehouse, by_keeping(warehouse, "mart.assignor_what_if", ASKED, what_if, MODELS))


ASSETS: Final = (
    internal_rebalance_spans,
    mart_member_changes,
    mart_partition_moves,
    mart_rebalances,
    mart_rebalance_storms,
    mart_churn,
    mart_assignor_what_if,
)
