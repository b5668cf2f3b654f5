"""What Dagster shows of a table and of a step that fails."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING

import dagster as dg

from assets import models
from assets.asset_specs import Results, RuleResults, in_sentences, model_asset
from assets.catalog import TABLES
from assets.materialize import model_reads
from assets.storage.warehouse import Warehouse
from dagster_project.cli.progress import Follower
from dagster_project.refresh import ASSETS
from parsers.errors import SourceError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TABLE = TABLES["mart.incidents"]


class NoRules:
    """Judges nothing."""

    def results(self, _full_name: str) -> RuleResults:
        """Nothing to say."""
        return RuleResults({})


def test_a_materialization_has_numbers_that_dagster_plots(tmp_path: Path) -> None:
    """Rows, bytes and seconds, of each run."""
    warehouse = Warehouse(str(tmp_path))
    for name in model_reads(TABLE):
        warehouse.replace(TABLES[name], [], {})
    done = dg.materialize([model_asset(TABLE)], resources={"warehouse": warehouse, "rules": NoRules()})
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


def test_a_source_that_fails_is_a_sentence_before_it_is_a_trace() -> None:
    """In Dagster's pages, and in what `lagbook run` prints."""

    @dg.multi_asset(specs=[dg.AssetSpec("read")])
    @in_sentences
    def read() -> Results:
        raise SourceError("/logs/broker1 is not there")
        yield

    follower = Follower(lambda _line: None, lambda _step: None)
    with dg.DagsterInstance.ephemeral() as instance:
        done = dg.materialize([read], raise_on_error=False, instance=instance)
        for entry in _entries(instance, done.run_id):
            follower(entry)
    (failure,) = (event for event in done.all_events if event.is_step_failure)
    data = failure.step_failure_data
    assert data.user_failure_data is not None
    assert data.user_failure_data.description == "/logs/broker1 is not there"
    assert [one.reason for one in follower.outcome.failures] == ["/logs/broker1 is not there"]


def _entries(instance: dg.DagsterInstance, run_id: str) -> Iterator[dg.EventLogEntry]:
    yield from instance.all_logs(run_id)
