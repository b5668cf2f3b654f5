"""The steps of the mart layer: one for every table that answers a question, and one for the file with all tables.

The steps of tables that transforms make are here as well, those of the layers `core` and `internal` among them.

Put here which transform makes a table that no model makes. What a table is stands in `assets.catalog`, what is computed
in `assets.transforms` and `assets.models`, and a table's inputs follow from these.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from assets import models
from assets.catalog import TABLES
from assets.catalog.table import Origin
from assets.duckdb import database
from assets.steps.step import SECONDS, UNCHANGED, URI, Results, RunContext, Step, TableResult
from assets.steps.table_steps import model_step, transform_step
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


DUCKDB_FILE: Final = "lagbook.duckdb"


def build_duckdb_file(run: RunContext) -> Results:
    """Build lagbook.duckdb beside the old one and swap it in, unless it shows these tables already."""
    started, warehouse = time.monotonic(), run.warehouse
    unchanged = database.is_current(warehouse)
    rows = {} if unchanged else database.build(warehouse)
    facts = {
        URI: str(warehouse.duckdb_path),
        "lagbook/rows": rows,
        "lagbook/bytes": warehouse.duckdb_path.stat().st_size,
        SECONDS: round(time.monotonic() - started, 3),
        UNCHANGED: unchanged,
    }
    yield TableResult(DUCKDB_FILE, facts)


STEPS: Final = (
    *(model_step(table) for table in TABLES.values() if table.layer == "mart" and table.origin is Origin.MODEL),
    *(transform_step(TABLES[name], transform) for name, transform in TRANSFORMS.items()),
    Step(
        DUCKDB_FILE,
        {DUCKDB_FILE: frozenset(TABLES)},
        frozenset({"duckdb"}),
        build_duckdb_file,
        models.fingerprint,
        "The file that people query: every table with its comments, and macros that answer for any instant.",
    ),
)
