"""The mart layer of the graph: an asset for every table that answers a question, and the DuckDB file with all tables.

The assets of tables that transforms make are here as well, those of the layers `core` and `internal` among them.

Put here which transform makes a table that no model makes. What a table is stands in `assets.catalog`, what is computed
in `assets.transforms` and `assets.models`, and a table's inputs follow from these.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

import dagster as dg

from assets import models
from assets.asset_specs import OWNERS, model_asset, transform_asset
from assets.catalog import TABLES
from assets.catalog.table import Origin
from assets.duckdb import database
from assets.storage.warehouse import Warehouse
from assets.transforms.internal_records import connect, mirror, quarantine
from assets.transforms.marts import commit_sums, lag, observed_generations, replays, snapshots, status
from assets.transforms.shares import share_states

if TYPE_CHECKING:
    from assets.transforms.declaration import AnyTransform

TRANSFORMS: Final[dict[str, AnyTransform]] = {
    commit_sums.FULL_NAME: commit_sums.TRANSFORM,
    "core.share_states": share_states.TRANSFORM,
    "internal.offset_snapshots": snapshots.TRANSFORM,
    "mart.lag": lag.TRANSFORM,
    "mart.group_status": status.TRANSFORM,
    "mart.replays": replays.TRANSFORM,
    "mart.assignor_what_if": observed_generations.TRANSFORM,
    "core.mirror_checkpoints": mirror.CHECKPOINTS,
    "core.mirror_offset_syncs": mirror.OFFSET_SYNCS,
    "core.connect_source_offsets": connect.SOURCE_OFFSETS,
    "core.internal_quarantine": quarantine.QUARANTINE,
}


@dg.asset(
    key=["lagbook", "duckdb"],
    deps=[dg.AssetKey(name.split(".")) for name in TABLES],
    group_name="lagbook",
    owners=OWNERS,
    kinds={"duckdb"},
    code_version=models.fingerprint(),
    description="The file that people query: every table with its comments, and macros that answer for any instant.",
)
def lagbook_duckdb(warehouse: dg.ResourceParam[Warehouse]) -> dg.MaterializeResult[None]:
    """Build lagbook.duckdb beside the old one and swap it in, unless it shows these tables already."""
    started = time.monotonic()
    unchanged = database.is_current(warehouse)
    rows = {} if unchanged else database.build(warehouse)
    return dg.MaterializeResult(
        metadata={
            "dagster/uri": str(warehouse.duckdb_path),
            "lagbook/rows": rows,
            "lagbook/bytes": warehouse.duckdb_path.stat().st_size,
            "lagbook/seconds": round(time.monotonic() - started, 3),
            "lagbook/unchanged": unchanged,
        }
    )


ASSETS: Final = (
    *(model_asset(table) for table in TABLES.values() if table.layer == "mart" and table.origin is Origin.MODEL),
    *(transform_asset(TABLES[name], transform) for name, transform in TRANSFORMS.items()),
    lagbook_duckdb,
)
