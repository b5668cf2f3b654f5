"""What Dagster shows of a table and of a step that fails."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import dagster as dg

from assets import models
from assets.asset_specs import asset_of, op_name, step_name
from assets.catalog import TABLES
from assets.graph import STEPS
from assets.ingest.plan import Sources
from assets.materialize import model_reads
from assets.steps.step import Results, RunContext, Step
from assets.steps.table_steps import model_step
from assets.storage.warehouse import Warehouse
from dagster_project.refresh import ASSETS
from dagster_project.run_events import failure_of
from parsers.errors import SourceError
from tests.assets.steps.toy_runs import no_rules

if TYPE_CHECKING:
    from pathlib import Path

TABLE = TABLES["mart.incidents"]


def materialize(step: Step, warehouse: Warehouse, **options: Any) -> dg.ExecuteInProcessResult:  # noqa: ANN401 - Dagster's
    """Run the asset of a step in Dagster."""
    resources = {"warehouse": warehouse, "rules": no_rules, "sources": Sources(()), "spark": None}
    return dg.materialize([asset_of(step)], resources=resources, selection=dg.AssetSelection.all(), **options)


def test_a_materialization_has_numbers_that_dagster_plots(tmp_path: Path) -> None:
    """Rows, bytes and seconds, of each run."""
    warehouse = Warehouse(str(tmp_path))
    for name in model_reads(TABLE):
        warehouse.replace(TABLES[name], [], {})
    done = materialize(model_step(TABLE), warehouse)
    (event,) = done.get_asset_materialization_events()
    metadata = event.step_materialization_data.materialization.metadata
    numbers = {name: value.value for name, value in metadata.items() if isinstance(value.value, (int, float))}
    assert {"dagster/row_count", "lagbook/bytes", "lagbook/seconds"} <= set(numbers)
    assert numbers["dagster/row_count"] == 0
    assert numbers["lagbook/seconds"] > 0


def test_the_version_of_the_code_is_that_of_the_sql() -> None:
    """Of a table that SQL makes, with the macros it calls; of others that of the release, and what it looks up by."""
    versions = {".".join(spec.key.path): spec.code_version for one in ASSETS for spec in one.specs}
    assert versions["mart.incidents"] == models.fingerprint("incidents")
    assert versions["lagbook.duckdb"] == models.fingerprint()
    assert versions["raw.segments"] == versions["core.commits"] == version("lagbook")
    transform = versions["mart.replays"]
    assert transform is not None
    assert transform.startswith(f"{version('lagbook')}-")
    assert None not in versions.values()


def test_dagster_has_the_names_of_the_steps() -> None:
    """Back and forth: what failed is called the same in the UI, in a notification and on the terminal."""
    assert [step_name(asset.op.name) for asset in ASSETS] == [step.name for step in STEPS]
    assert op_name("mart.incidents") == "mart__incidents"


def test_a_source_that_fails_is_a_sentence_before_it_is_a_trace(tmp_path: Path) -> None:
    """In Dagster's pages, and in what a notification says."""

    def read(_run: RunContext) -> Results:
        raise SourceError("/logs/broker1 is not there")
        yield

    step = Step("raw.segments", {"raw.segments": frozenset()}, frozenset(), read)
    with dg.DagsterInstance.ephemeral() as instance:
        done = materialize(step, Warehouse(str(tmp_path)), raise_on_error=False, instance=instance)
        assert failure_of(instance, done.run_id) == "raw.segments failed: /logs/broker1 is not there"
    (failure,) = (event for event in done.all_events if event.is_step_failure)
    data = failure.step_failure_data
    assert data.user_failure_data is not None
    assert data.user_failure_data.description == "/logs/broker1 is not there"
