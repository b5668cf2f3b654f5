"""That rules become checks: a broken critical rule stops what is built on the table, and an error is no verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import dagster as dg
import pytest
from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity

from dagster_project.checks import CHECKS, name_of, table_checks
from dagster_project.declared_rules import RULES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from great_expectations.expectations.expectation import Expectation

    from assets.storage.warehouse import Warehouse
    from tests.dagster_project.conftest import Fill

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


@dg.asset(key=TABLE.split("."))
def offsets_now() -> None:
    """Stand for the table, which the test has written."""


@dg.asset(deps=[offsets_now])
def built_on_it() -> None:
    """Stand for what is built on the table."""


def _run(warehouse: Warehouse, rules: Sequence[Expectation] = RULES[TABLE]) -> dg.ExecuteInProcessResult:
    definitions = dg.Definitions(
        assets=[offsets_now, built_on_it],
        asset_checks=[table_checks(TABLE, rules)],
        resources={"warehouse": warehouse},
        jobs=[dg.define_asset_job("all", selection=dg.AssetSelection.all())],
    )
    return definitions.resolve_job_def("all").execute_in_process(raise_on_error=False)


def _by_name(result: dg.ExecuteInProcessResult) -> dict[str, dg.AssetCheckEvaluation]:
    return {evaluation.check_name: evaluation for evaluation in result.get_asset_check_evaluations()}


def _materialized(result: dg.ExecuteInProcessResult) -> set[str]:
    return {event.asset_key.path[-1] for event in result.get_asset_materialization_events() if event.asset_key}


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


def test_sound_table_passes(warehouse: Warehouse, fill: Fill) -> None:
    """All checks are green, and what is built on the table is built."""
    fill(TABLE, [ROW, {**ROW, "partition": 1}])
    result = _run(warehouse)
    assert result.success
    assert {evaluation.passed for evaluation in _by_name(result).values()} == {True}
    assert set(_by_name(result)) == {name_of(rule) for rule in RULES[TABLE]}
    assert _materialized(result) == {"offsets_now", "built_on_it"}


def test_broken_critical_rule_stops_what_comes_after(warehouse: Warehouse, fill: Fill) -> None:
    """A key that comes twice is a failed check with an example, and nothing is built on the table."""
    fill(TABLE, [ROW, ROW])
    result = _run(warehouse)
    broken = _by_name(result)["key_is_unique"]
    assert not result.success
    assert (broken.passed, broken.severity) == (False, dg.AssetCheckSeverity.ERROR)
    assert _metadata(broken)["lagbook/broken"] == 2
    assert "'group_id': 'g'" in str(_metadata(broken)["lagbook/examples"])
    assert _by_name(result)["offset_known"].passed
    assert _materialized(result) == {"offsets_now"}


def test_broken_warning_stops_nothing(warehouse: Warehouse, fill: Fill) -> None:
    """A strange value is shown, and the run goes on."""
    fill(TABLE, [{**ROW, "current_offset": -1}])
    result = _run(warehouse)
    broken = _by_name(result)["current_offset_is_in_range"]
    assert result.success
    assert (broken.passed, broken.severity) == (False, dg.AssetCheckSeverity.WARN)
    assert _materialized(result) == {"offsets_now", "built_on_it"}


def test_error_is_neither_pass_nor_failure(warehouse: Warehouse, fill: Fill) -> None:
    """The rule that could not be judged has no verdict, the others have theirs, and the step fails with its name."""
    fill(TABLE, [ROW])
    result = _run(warehouse, [UNJUDGEABLE, *RULES[TABLE]])
    assert not result.success
    assert set(_by_name(result)) == {name_of(rule) for rule in RULES[TABLE]}
    assert all("unjudgeable" in failure for failure in _failures(result))
    assert _materialized(result) == {"offsets_now"}


@pytest.mark.parametrize("rows", [[], None], ids=["no rows", "never written"])
def test_empty_table_passes(warehouse: Warehouse, fill: Fill, rows: list[dict[str, Any]] | None) -> None:
    """Where nothing is, nothing is broken."""
    if rows is not None:
        fill(TABLE, rows)
    result = _run(warehouse)
    assert result.success
    assert {evaluation.passed for evaluation in _by_name(result).values()} == {True}


def test_unchanged_table_keeps_its_verdicts(warehouse: Warehouse, fill: Fill, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is judged twice, a red check stays red, and a new commit is judged anew."""
    fill(TABLE, [{**ROW, "current_offset": -1}])
    first = _by_name(_run(warehouse))
    with monkeypatch.context() as without_judge:
        without_judge.setattr("dagster_project.checks.judge", None)
        second = _by_name(_run(warehouse))
    assert {name: _metadata(one) for name, one in first.items()} == {n: _metadata(one) for n, one in second.items()}
    assert not second["current_offset_is_in_range"].passed
    fill(TABLE, [ROW])
    assert _by_name(_run(warehouse))["current_offset_is_in_range"].passed
