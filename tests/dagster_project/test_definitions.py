"""That Dagster loads the whole graph as it is meant to be, described throughout."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Final

import dagster as dg
import pytest

from assets.catalog import TABLES
from assets.catalog.table import Origin
from assets.marts import TRANSFORMS
from assets.materialize import model_reads
from dagster_project.definitions import build_definitions
from dagster_project.settings import Settings

REPO: Final = Path(__file__).resolve().parents[2]
DEFINITIONS: Final = build_definitions(Settings())
KEYS: Final = sorted(DEFINITIONS.resolve_all_asset_keys(), key=dg.AssetKey.to_user_string)
STEPS: Final = """\
core/assignments <- raw/offset_records
core/commits <- raw/external_commits, raw/log_offset_samples, raw/offset_records, raw/segments, raw/zookeeper_events
core/generations <- raw/offset_records
core/log_gaps <- raw/external_commits, raw/offset_records, raw/quarantine, raw/segments
core/members <- raw/offset_records, raw/zookeeper_events
core/ownership <- raw/offset_records, raw/zookeeper_events
core/quarantine <- raw/offset_records
core/record_compaction <- raw/offset_records
core/subscriptions <- raw/offset_records
core/transactions <- raw/offset_records
internal/recorded_group_states <- raw/offset_records, raw/zookeeper_events
internal/topic_id_names <- raw/offset_records
lagbook/duckdb <- {every table}
raw/batches <- nothing
raw/cluster_aliases <- nothing
raw/configurations <- raw/segments
raw/coordinator_events <- raw/segments
raw/diverged_batches <- nothing
raw/diverged_internal_records <- nothing
raw/diverged_records <- nothing
raw/external_commits <- raw/segments
raw/internal_records <- nothing
raw/log_offset_samples <- raw/external_commits, raw/offset_records, raw/segments
raw/offset_records <- nothing
raw/quarantine <- nothing
raw/retired_ranges <- nothing
raw/segments <- nothing
raw/zookeeper_events <- raw/segments
"""
"""What steps read that are neither models nor transforms, and the reconstruction: their edges are declared by hand."""

each_asset = pytest.mark.parametrize("key", KEYS, ids=dg.AssetKey.to_user_string)


def _inputs(key: dg.AssetKey) -> list[str]:
    return sorted(dep.asset_key.to_user_string() for dep in DEFINITIONS.get_assets_def(key).get_asset_spec(key).deps)


def _is_derived(key: dg.AssetKey) -> bool:
    table = TABLES.get(".".join(key.path))
    return table is not None and table.origin in {Origin.MODEL, Origin.TRANSFORM}


def test_edges_of_steps_are_as_they_were_agreed() -> None:
    """One line per asset; a change here is a change of the graph, and meant."""
    tables = ", ".join(sorted(name.replace(".", "/") for name in TABLES))
    steps = (key for key in KEYS if not _is_derived(key))
    lines = (f"{key.to_user_string()} <- {', '.join(_inputs(key)) or 'nothing'}\n" for key in steps)
    assert "".join(lines) == STEPS.replace("{every table}", tables)


@pytest.mark.parametrize("key", [*filter(_is_derived, KEYS)], ids=dg.AssetKey.to_user_string)
def test_edges_of_a_derived_table_are_what_it_reads(key: dg.AssetKey) -> None:
    """What the UI shows is what the model or the transform reads, and nothing else."""
    name = ".".join(key.path)
    reads = TRANSFORMS[name].reads - {name} if name in TRANSFORMS else model_reads(TABLES[name])
    assert _inputs(key) == sorted(read.replace(".", "/") for read in reads)


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
    assert DEFINITIONS.resolve_schedule_def("weekly").job_name == "check_all"
    steps = {node.name for node in DEFINITIONS.resolve_job_def("check_all").nodes}
    assert steps == {
        *(f"check_{name.replace('.', '_')}" for name in TABLES),
        "mart__incidents_no_incident_is_open",
        "mart__basis_newest_record_is_recent",
    }
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
