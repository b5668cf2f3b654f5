"""What Great Expectations says of one rule on some rows: holds, broken, or an error.

Put here how Great Expectations is called and how its answer is read. It is loaded for rows that may break a rule, and
for nothing else. What Dagster makes of a verdict belongs in `dagster_project.checks`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Literal

import great_expectations as gx
import pandas as pd
from great_expectations.data_context.types.base import ProgressBarsConfig

from dagster_project.rules.declared_rules import expectation_of
from dagster_project.rules.verdicts import HOLDS, RuleError, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa
    from great_expectations.core.batch_definition import BatchDefinition
    from great_expectations.core.expectation_validation_result import ExpectationValidationResult
    from great_expectations.datasource.fluent.interfaces import Batch
    from great_expectations.expectations.expectation import Expectation

    from dagster_project.rules.rule import Rule

SHOWN_MOST: Final = 500
"""Characters shown of the values that break a rule; a stranger may have written them."""


def judge_by_name(rule: Rule, rows: pa.Table) -> Verdict:
    """Let the expectation of which a rule is the SQL judge the rows."""
    return judge(expectation_of(rule.table, rule.name), frame_of(rows))


def frame_of(rows: pa.Table) -> pd.DataFrame:
    """Rows as Great Expectations takes them."""
    frame: pd.DataFrame = rows.to_pandas(types_mapper=pd.ArrowDtype)
    return frame


def judge(rule: Expectation, rows: pd.DataFrame) -> Verdict:
    """Let Great Expectations judge the rows; an exception inside of it is raised, never a verdict.

    It is asked for examples only where a rule is broken: gathering what there may be of them takes it as long again.
    """
    batch = _everything().get_batch({"dataframe": rows})
    if _answer(batch, rule, "BOOLEAN_ONLY").success:
        return HOLDS
    summary = _answer(batch, rule, "SUMMARY").result
    broken = ascii(summary.get("partial_unexpected_list", []))[:SHOWN_MOST]
    return Verdict(holds=False, broken_count=summary.get("unexpected_count", len(rows)), broken=broken)


def _answer(
    batch: Batch, rule: Expectation, result_format: Literal["BOOLEAN_ONLY", "SUMMARY"]
) -> ExpectationValidationResult:
    result = batch.validate(rule, result_format=result_format)
    failures = list(_exceptions(result.exception_info or {}))
    if failures or not isinstance(result.success, bool):
        message = f"{rule.meta['name'] if rule.meta else type(rule).__name__}: {'; '.join(failures) or 'no verdict'}"
        raise RuleError(message)
    return result


def _exceptions(info: Mapping[str, object]) -> Iterator[str]:
    """Find the messages of exceptions, whether the answer has them flat, by metric, or deeper."""
    if info.get("raised_exception"):
        yield str(info.get("exception_message") or "an exception without a message")
    for part in info.values():
        if isinstance(part, Mapping):
            yield from _exceptions(part)


@cache
def _everything() -> BatchDefinition[Any]:
    """A whole data frame, in a context that keeps nothing, shows no progress and reports to nobody."""
    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = ProgressBarsConfig(globally=False)
    return (
        context.data_sources.add_pandas("rows").add_dataframe_asset("rows").add_batch_definition_whole_dataframe("rows")
    )
