"""That Dagster loads the whole graph as it is meant to be, described throughout."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import dagster as dg
import pytest

from assets.catalog import TABLES
from dagster_project.definitions import build_definitions
from dagster_project.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

REPO: Final = Path(__file__).resolve().parents[2]
DEFINITIONS: Final = build_definitions(Settings())
KEYS: Final = sorted(DEFINITIONS.resolve_all_asset_keys(), key=dg.AssetKey.to_user_string)
GRAPH: Final = """\
core/assignments <- raw/offset_records
core/commits <- raw/log_offset_samples, raw/offset_records, raw/segments
core/generations <- raw/offset_records
core/group_states <- internal/recorded_group_states, raw/coordinator_events
core/log_end_bounds <- core/commits, core/log_ends, internal/batch_index, raw/log_offset_samples
core/log_ends <- raw/batches, raw/diverged_batches, raw/log_offset_samples, raw/segments
core/log_gaps <- raw/offset_records, raw/quarantine, raw/segments
core/members <- raw/offset_records
core/ownership <- raw/offset_records
core/quarantine <- raw/offset_records
core/subscriptions <- raw/offset_records
core/topics <- internal/topic_id_names, raw/log_offset_samples, raw/segments
core/transactions <- raw/offset_records
internal/batch_index <- core/log_ends, raw/batches, raw/diverged_batches, raw/log_offset_samples
internal/commits_after_gaps <- core/commits
internal/group_partitions <- core/commits
internal/offset_snapshots <- core/commits, core/log_gaps, internal/commits_after_gaps, raw/segments
internal/rebalance_spans <- core/generations, core/members, core/ownership, internal/recorded_group_states
internal/recorded_group_states <- raw/offset_records
internal/topic_id_names <- raw/offset_records
lagbook/duckdb <- {every table}
mart/assignor_what_if <- core/generations, core/members, core/topics, internal/recorded_group_states
mart/basis <- core/log_ends, mart/offsets_now, raw/offset_records, raw/retired_ranges, raw/segments
mart/churn <- mart/member_changes, mart/rebalances
mart/commit_cadence <- core/commits, raw/offset_records
mart/expiry_forecast <- core/commits, core/generations, core/group_states, core/log_end_bounds, core/log_ends, \
core/log_gaps, core/members, core/ownership, core/subscriptions, core/topics, internal/batch_index, \
internal/commits_after_gaps, internal/group_partitions, internal/offset_snapshots, mart/lag_now, mart/offsets_now, \
mart/open_transactions, raw/batches, raw/configurations, raw/retired_ranges, raw/segments
mart/findings <- core/commits, core/group_states, core/log_end_bounds, core/log_ends, core/log_gaps, \
mart/expiry_forecast, mart/group_status, mart/lag_now, mart/log_divergence, mart/offsets_now, \
mart/offsets_topic_compaction, mart/open_transactions, mart/producer_duplicates, mart/rebalance_storms, \
mart/rebalances, mart/replays, mart/skips, mart/stale_offsets, raw/segments
mart/group_status <- core/commits, core/log_end_bounds, internal/batch_index, internal/offset_snapshots
mart/incidents <- mart/findings
mart/lag <- core/commits, core/log_end_bounds, core/log_ends, internal/batch_index, internal/offset_snapshots
mart/lag_now <- core/commits, core/generations, core/group_states, core/log_end_bounds, core/log_ends, core/log_gaps, \
core/members, core/ownership, core/topics, internal/batch_index, internal/commits_after_gaps, \
internal/group_partitions, internal/offset_snapshots, raw/segments
mart/log_coverage <- raw/retired_ranges, raw/segments
mart/log_divergence <- core/commits, core/generations, core/group_states, core/log_end_bounds, core/log_ends, \
core/log_gaps, core/members, core/ownership, core/topics, internal/batch_index, internal/commits_after_gaps, \
internal/group_partitions, internal/offset_snapshots, raw/batches, raw/diverged_batches, raw/diverged_records, \
raw/log_offset_samples, raw/offset_records, raw/segments
mart/member_changes <- core/members, internal/rebalance_spans, raw/coordinator_events
mart/not_excluded <- core/commits, core/ownership, core/transactions, mart/basis, mart/log_divergence, mart/replays, \
mart/skips, raw/segments
mart/offsets_now <- core/commits, core/generations, core/group_states, core/log_end_bounds, core/log_ends, \
core/log_gaps, core/members, core/ownership, core/topics, internal/batch_index, internal/commits_after_gaps, \
internal/group_partitions, internal/offset_snapshots
mart/offsets_topic_compaction <- mart/open_transactions, raw/offset_records, raw/segments
mart/offsets_topic_usage <- core/commits, core/members, raw/offset_records, raw/segments
mart/open_transactions <- core/transactions, mart/offsets_now, raw/batches, raw/offset_records, raw/segments
mart/owner_conflicts <- core/ownership
mart/partition_moves <- core/generations, core/group_states, core/ownership, core/topics, internal/rebalance_spans, \
mart/member_changes
mart/producer_duplicates <- raw/batches
mart/rebalance_storms <- core/members, mart/member_changes, mart/rebalances
mart/rebalances <- core/group_states, core/members, core/ownership, internal/rebalance_spans, mart/member_changes, \
mart/partition_moves
mart/replays <- core/commits, core/generations, core/group_states, core/log_end_bounds, core/log_ends, core/log_gaps, \
core/members, core/ownership, core/topics, internal/batch_index, internal/commits_after_gaps, \
internal/group_partitions, internal/offset_snapshots, mart/skips, raw/batches, raw/configurations, \
raw/coordinator_events, raw/diverged_batches
mart/skips <- core/commits, core/generations, core/group_states, core/log_end_bounds, core/log_ends, core/log_gaps, \
core/members, core/ownership, core/topics, internal/batch_index, internal/commits_after_gaps, \
internal/group_partitions, internal/offset_snapshots, raw/batches, raw/configurations, raw/coordinator_events, \
raw/retired_ranges, raw/segments
mart/stale_offsets <- core/commits, core/generations, core/group_states, core/log_end_bounds, core/log_ends, \
core/log_gaps, core/members, core/ownership, core/topics, internal/batch_index, internal/commits_after_gaps, \
internal/group_partitions, internal/offset_snapshots, mart/expiry_forecast, mart/lag_now, mart/offsets_now
raw/batches <- nothing
raw/configurations <- raw/segments
raw/coordinator_events <- raw/segments
raw/diverged_batches <- nothing
raw/diverged_records <- nothing
raw/log_offset_samples <- raw/offset_records
raw/offset_records <- nothing
raw/quarantine <- nothing
raw/retired_ranges <- nothing
raw/segments <- nothing
"""

each_asset = pytest.mark.parametrize("key", KEYS, ids=dg.AssetKey.to_user_string)


def _lines() -> Iterator[str]:
    for key in KEYS:
        deps = sorted(
            dep.asset_key.to_user_string() for dep in DEFINITIONS.get_assets_def(key).get_asset_spec(key).deps
        )
        yield f"{key.to_user_string()} <- {', '.join(deps) or 'nothing'}\n"


def test_graph_is_as_it_was_agreed() -> None:
    """One line per asset; a change here is a change of the graph, and meant."""
    tables = ", ".join(sorted(name.replace(".", "/") for name in TABLES))
    assert "".join(_lines()) == GRAPH.replace("{every table}", tables)


@each_asset
def test_asset_is_described(key: dg.AssetKey) -> None:
    """The catalogue shows layer, kinds, owners and a sentence for each."""
    spec = DEFINITIONS.get_assets_def(key).get_asset_spec(key)
    assert spec.group_name == key.path[0]
    assert spec.kinds
    assert spec.owners
    assert spec.description
    assert spec.description.endswith(".")


@pytest.mark.parametrize("full_name", TABLES)
def test_every_table_is_an_asset_with_its_columns(full_name: str) -> None:
    """What is described once is what the catalogue shows."""
    key = dg.AssetKey(full_name.split("."))
    schema = DEFINITIONS.get_assets_def(key).get_asset_spec(key).metadata["dagster/column_schema"]
    assert tuple(column.name for column in schema.columns) == TABLES[full_name].column_names


def test_job_schedule_and_sensor_are_there() -> None:
    """What the UI offers to start and to switch on."""
    refresh = DEFINITIONS.resolve_job_def("refresh")
    assert set(refresh.asset_layer.executable_asset_keys) == set(KEYS)
    assert DEFINITIONS.resolve_schedule_def("hourly").job_name == "refresh"
    assert DEFINITIONS.resolve_schedule_def("every_five_minutes").job_name == "refresh"
    assert DEFINITIONS.resolve_sensor_def("new_segments").job_name == "refresh"


def test_definitions_take_their_places_from_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What the UI loads is what the variables name."""
    monkeypatch.setenv("LAGBOOK_WAREHOUSE", str(tmp_path))
    resources = build_definitions(Settings.from_environment()).resources or {}
    with (
        resources["warehouse"](dg.build_init_resource_context()) as first,
        resources["warehouse"](dg.build_init_resource_context()) as second,
    ):
        assert first.url == second.url == str(tmp_path)
        assert first is not second


def test_dg_finds_nothing_to_complain_of() -> None:
    """`dg check defs` loads the code location as the UI does."""
    dg_command = str(Path(sys.executable).with_name("dg"))
    checked = subprocess.run(
        [dg_command, "check", "defs"], cwd=REPO, capture_output=True, text=True, check=False, timeout=120
    )
    assert checked.returncode == 0, checked.stderr + checked.stdout
