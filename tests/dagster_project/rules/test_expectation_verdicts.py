"""That an answer of Great Expectations is read right, above all that an error never counts as a verdict."""

from __future__ import annotations

import os
import sys
from types import SimpleNamespace
from typing import Any, Final

import pandas as pd
import pyarrow as pa
import pytest
from great_expectations import expectations as gxe
from great_expectations.datasource.fluent.interfaces import Batch

from dagster_project.rules import expectation_verdicts
from dagster_project.rules.expectation_verdicts import SHOWN_MOST, judge
from dagster_project.rules.verdicts import RuleError, Verdict

ROWS: Final = pa.table({"a": pa.array([1, -2, None], pa.int64()), "name": ["x", "y", "\x1b[2J" * 500]}).to_pandas(
    types_mapper=pd.ArrowDtype
)
RAISED: Final = {"raised_exception": True, "exception_message": "boom", "exception_traceback": "..."}
QUIET: Final = {"raised_exception": False, "exception_message": None, "exception_traceback": None}


def test_rule_that_holds() -> None:
    """Nothing is broken, so nothing is shown."""
    rule = gxe.ExpectColumnValuesToBeBetween(column="a", min_value=-2)
    assert judge(rule, ROWS) == Verdict(holds=True, broken_count=0, broken="")


def test_rule_that_is_broken() -> None:
    """The number of broken rows and some of their values are shown."""
    verdict = judge(gxe.ExpectColumnValuesToBeBetween(column="a", min_value=0), ROWS)
    assert (verdict.holds, verdict.broken_count) == (False, 1)
    assert "-2" in verdict.broken


def test_examples_are_asked_for_only_where_a_rule_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """To gather what there may be of them takes as long as the verdict, and most rules hold."""
    queries: list[str] = []
    validate = Batch.validate

    def noted(batch: Batch, rule: Any, result_format: Any) -> Any:  # noqa: ANN401 - Great Expectations' own
        queries.append(result_format)
        return validate(batch, rule, result_format=result_format)

    monkeypatch.setattr(Batch, "validate", noted)
    judge(gxe.ExpectColumnValuesToBeBetween(column="a", min_value=-2), ROWS)
    assert queries == ["BOOLEAN_ONLY"]
    judge(gxe.ExpectColumnValuesToBeBetween(column="a", min_value=0), ROWS)
    assert queries == ["BOOLEAN_ONLY", "BOOLEAN_ONLY", "SUMMARY"]


def test_values_are_shown_short_and_harmless() -> None:
    """Whoever wrote the bytes must not reach the terminal of the one who reads the check."""
    verdict = judge(gxe.ExpectColumnValuesToBeInSet(column="name", value_set=["x", "y"]), ROWS)
    assert len(verdict.broken) == SHOWN_MOST
    assert verdict.broken.isascii()
    assert verdict.broken.isprintable()


@pytest.mark.parametrize(
    "rule",
    [
        gxe.ExpectColumnValuesToNotBeNull(column="absent", meta={"name": "the_rule"}),
        gxe.ExpectColumnValuesToBeBetween(column="name", min_value=0, meta={"name": "the_rule"}),
        gxe.ExpectColumnMaxToBeBetween(column="absent", min_value=0, meta={"name": "the_rule"}),
        gxe.UnexpectedRowsExpectation(unexpected_rows_query="SELECT * FROM {batch}", meta={"name": "the_rule"}),
    ],
    ids=["column is missing", "types do not compare", "aggregate of a missing column", "no such rule on this engine"],
)
def test_exception_inside_is_an_error(rule: Any) -> None:  # noqa: ANN401 - each kind of expectation has its own class
    """A rule that could not be judged is neither passed nor failed, and the error names it."""
    with pytest.raises(RuleError, match="the_rule"):
        judge(rule, ROWS)


@pytest.mark.parametrize(
    ("info", "messages"),
    [
        (QUIET, []),
        ({}, []),
        (RAISED, ["boom"]),
        ({"MetricConfigurationID(...)": RAISED}, ["boom"]),
        ({"one": QUIET, "other": {"exception_info": RAISED, "num_failures": 3}}, ["boom"]),
        ({"raised_exception": True}, ["an exception without a message"]),
    ],
    ids=["none", "empty", "flat", "by metric", "deeper", "without a message"],
)
def test_exceptions_are_found_wherever_they_are(info: dict[str, object], messages: list[str]) -> None:
    """The answer has had more than one shape, and a quiet one must not hide a loud one."""
    assert list(expectation_verdicts._exceptions(info)) == messages  # noqa: SLF001 - the shapes can't all be provoked


def test_no_verdict_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """A success that is neither true nor false is not taken for false."""
    answer = SimpleNamespace(success=None, exception_info=QUIET, result={})
    silent = SimpleNamespace(validate=lambda _, **__: answer)
    monkeypatch.setattr(expectation_verdicts, "_everything", lambda: SimpleNamespace(get_batch=lambda _: silent))
    with pytest.raises(RuleError, match="no verdict"):
        judge(gxe.ExpectColumnValuesToNotBeNull(column="a"), ROWS)


def test_nothing_is_reported_to_anybody() -> None:
    """Great Expectations is told not to call home before it is imported, and has nothing loaded to do it with."""
    assert os.environ["GX_ANALYTICS_ENABLED"] == "false"
    assert "posthog" not in sys.modules
