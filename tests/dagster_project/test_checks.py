"""That rules become checks: a broken critical rule stops what is built on the table, and an error is no verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import dagster as dg
import pytest
from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity

from assets.asset_specs import asset_of
from assets.catalog import TABLES
from assets.materialize import Materialization
from assets.steps.step import Results, RunContext, Step
from assets.steps.table_steps import results
from dagster_project.checks import CHECKS, table_checks
from dagster_project.deployment.alerts import Alerts
from dagster_project.resources import rules_of_run
from dagster_project.rules.check_cache import Memory, fingerprint, remember
from dagster_project.rules.declared_rules import RULES, name_of
from dagster_project.rules.rule_sql import in_sql
from dagster_project.rules.rules_in_sql import every_rule, rules_of
from dagster_project.rules.verdicts import HOLDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from assets.storage.warehouse import Warehouse
    from dagster_project.rules.rule import Rule
    from tests.dagster_project.conftest import Fill

    Check = Callable[[Warehouse], dg.ExecuteInProcessResult]

TABLE: Final = "mart.offsets_now"
ROW: Final[dict[str, Any]] = {
    "cluster": "c",
    "group_id": "g",
    "topic": "t",
    "partition": 0,
    "current_offset": 5,
    "is_known": True,
    "log_partition": 3,
    "log_offset": 7,
}
UNJUDGEABLE: Final = gxe.ExpectColumnValuesToBeBetween(
    column="group_id", min_value=0, severity=FailureSeverity.CRITICAL, meta={"name": "unjudgeable"}
)


def _written(run: RunContext) -> Results:
    """Stand for the step of the table, which the test has written."""
    yield from results(run, Materialization(TABLES[TABLE], run.warehouse.row_count(TABLE), unchanged=False), {})


offsets_now = asset_of(Step(TABLE, {TABLE: frozenset()}, frozenset(), _written))


@dg.asset(deps=[TABLE.split(".")])
def built_on_it() -> None:
    """Stand for what is built on the table."""


def _job(warehouse: Warehouse, selection: dg.AssetSelection, rules: Sequence[Rule]) -> dg.JobDefinition:
    definitions = dg.Definitions(
        assets=[offsets_now, built_on_it],
        asset_checks=[table_checks(TABLE, rules)],
        resources={
            "warehouse": warehouse,
            "rules": dg.ResourceDefinition(rules_of_run, required_resource_keys={"warehouse", "alerts"}),
            "alerts": Alerts(),
            "sources": None,
            "spark": None,
        },
        jobs=[dg.define_asset_job("job", selection=selection)],
    )
    return definitions.resolve_job_def("job")


def _run(warehouse: Warehouse) -> dg.ExecuteInProcessResult:
    """A refresh of the table, which judges it by what is new."""
    job = _job(warehouse, dg.AssetSelection.all().without_checks(), rules_of(TABLE))
    return job.execute_in_process(raise_on_error=False)


def _check(warehouse: Warehouse, rules: Sequence[Rule] = rules_of(TABLE)) -> dg.ExecuteInProcessResult:
    """The checks by themselves, which judge the whole table."""
    return _job(warehouse, dg.AssetSelection.all_asset_checks(), rules).execute_in_process(raise_on_error=False)


def _by_name(result: dg.ExecuteInProcessResult) -> dict[str, dg.AssetCheckEvaluation]:
    return {evaluation.check_name: evaluation for evaluation in result.get_asset_check_evaluations()}


def _materialized(result: dg.ExecuteInProcessResult) -> set[str]:
    return {event.asset_key.path[-1] for event in result.get_asset_materialization_events() if event.asset_key}


def _facts(result: dg.ExecuteInProcessResult) -> dict[str, object]:
    """What the table's materialization says of its rules."""
    for event in result.get_asset_materialization_events():
        if event.asset_key == dg.AssetKey(TABLE.split(".")):
            metadata = event.step_materialization_data.materialization.metadata
            return {name: value.value for name, value in metadata.items() if "rules" in name}
    return {}


def _metadata(evaluation: dg.AssetCheckEvaluation) -> dict[str, object]:
    return {name: value.value for name, value in evaluation.metadata.items()}


def _failures(result: dg.ExecuteInProcessResult) -> Iterable[str]:
    return [str(event.event_specific_data) for event in result.all_events if event.is_step_failure]


def test_every_rule_is_a_check() -> None:
    """What declarations and expectations say is what Dagster shows, critical rules blocking and no others."""
    shown = {(spec.asset_key.path[-1], spec.name): spec.blocking for checks in CHECKS for spec in checks.check_specs}
    listed = {
        (table.split(".")[1], name_of(rule)): rule.severity == FailureSeverity.CRITICAL
        for table, rules in RULES.items()
        for rule in rules
    }
    assert shown == listed


@pytest.mark.parametrize("check", [_run, _check])
def test_sound_table_passes(warehouse: Warehouse, fill: Fill, check: Check) -> None:
    """All checks are green the first time."""
    fill(TABLE, [ROW, {**ROW, "partition": 1}])
    result = check(warehouse)
    assert result.success
    assert {evaluation.passed for evaluation in _by_name(result).values()} == {True}
    assert set(_by_name(result)) == {name_of(rule) for rule in RULES[TABLE]}


@pytest.mark.parametrize("check", [_run, _check])
def test_broken_critical_rule_is_an_error(warehouse: Warehouse, fill: Fill, check: Check) -> None:
    """A key that comes twice is a failed check with an example."""
    fill(TABLE, [ROW, ROW])
    result = check(warehouse)
    broken = _by_name(result)["key_is_unique"]
    assert not result.success
    assert (broken.passed, broken.severity) == (False, dg.AssetCheckSeverity.ERROR)
    assert _metadata(broken)["lagbook/broken"] == 2
    assert "'group_id': 'g'" in str(_metadata(broken)["lagbook/examples"])
    assert _by_name(result)["offset_known"].passed


def test_broken_critical_rule_stops_what_comes_after_until_it_holds(warehouse: Warehouse, fill: Fill) -> None:
    """Nothing is built on the table, in the next run neither, which judges nothing; then the table is sound again."""
    fill(TABLE, [ROW, ROW])
    first, second = _run(warehouse), _run(warehouse)
    assert [_materialized(result) for result in (first, second)] == [{"offsets_now"}, {"offsets_now"}]
    assert _facts(second)["lagbook/blocking_rules_broken"] == ["key_is_unique"]
    assert set(_by_name(second)) == {"key_is_unique"}
    fill(TABLE, [ROW])
    assert _materialized(_run(warehouse)) == {"offsets_now", "built_on_it"}


def test_broken_warning_stops_nothing(warehouse: Warehouse, fill: Fill) -> None:
    """A strange value is shown, and the run goes on."""
    fill(TABLE, [{**ROW, "current_offset": -1}])
    result = _run(warehouse)
    broken = _by_name(result)["current_offset_is_in_range"]
    assert result.success
    assert (broken.passed, broken.severity) == (False, dg.AssetCheckSeverity.WARN)
    assert _facts(result)["lagbook/rules_broken"] == ["current_offset_is_in_range"]
    assert _materialized(result) == {"offsets_now", "built_on_it"}


def test_error_is_neither_pass_nor_failure(warehouse: Warehouse, fill: Fill, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rule that could not be judged has no verdict, the others have theirs, and the step fails with its name."""
    fill(TABLE, [ROW])
    monkeypatch.setitem(RULES, TABLE, [UNJUDGEABLE, *RULES[TABLE]])
    rules = [in_sql(TABLE, UNJUDGEABLE), *rules_of(TABLE)]
    monkeypatch.setitem(every_rule(), TABLE, rules)
    for result in (_run(warehouse), _run(warehouse), _check(warehouse, rules)):
        assert not result.success
        assert set(_by_name(result)) == {name_of(rule) for rule in RULES[TABLE][1:]}
        assert all("unjudgeable" in failure for failure in _failures(result))
        assert "built_on_it" not in _materialized(result)


@pytest.mark.parametrize("rows", [[], None], ids=["no rows", "never written"])
def test_empty_table_passes(warehouse: Warehouse, fill: Fill, rows: list[dict[str, Any]] | None) -> None:
    """Where nothing is, nothing is broken."""
    if rows is not None:
        fill(TABLE, rows)
    result = _run(warehouse)
    assert result.success
    assert {evaluation.passed for evaluation in _by_name(result).values()} == {True}


def test_only_news_are_events(warehouse: Warehouse, fill: Fill) -> None:
    """Nothing of an unchanged table; of a changed one what is broken, and what no longer is."""
    fill(TABLE, [{**ROW, "current_offset": -1}])
    first, unchanged = _run(warehouse), _run(warehouse)
    fill(TABLE, [{**ROW, "current_offset": -1}, {**ROW, "partition": 1}])
    changed = _run(warehouse)
    fill(TABLE, [ROW])
    mended = _run(warehouse)
    fill(TABLE, [ROW, {**ROW, "partition": 1}])
    sound = _run(warehouse)
    shown = [{name: one.passed for name, one in _by_name(result).items()} for result in (changed, mended)]
    assert shown == [{"current_offset_is_in_range": False}, {"current_offset_is_in_range": True}]
    assert [_by_name(result) for result in (unchanged, sound)] == [{}, {}]
    assert _facts(unchanged) == _facts(first) == _facts(changed)
    assert _facts(sound)["lagbook/rules_hold"] == len(RULES[TABLE])


def test_a_full_check_judges_what_is_remembered_anew(warehouse: Warehouse, fill: Fill) -> None:
    """All checks are events, from the rows as they are; a run after it has nothing to say."""
    fill(TABLE, [ROW])
    rules = rules_of(TABLE)
    sound = {rule.name: HOLDS for rule in rules}
    fill(TABLE, [{**ROW, "current_offset": -1}])
    root = f"{warehouse.table_url(TABLE)}/"
    files = frozenset(file.removeprefix(root) for file in warehouse.files(TABLE))
    remember(warehouse, TABLE, Memory(fingerprint(rules), files, sound))
    assert _by_name(_run(warehouse)) == {}
    checked = _by_name(_check(warehouse))
    assert set(checked) == set(sound)
    assert not checked["current_offset_is_in_range"].passed
    assert _facts(_run(warehouse))["lagbook/rules_broken"] == ["current_offset_is_in_range"]
