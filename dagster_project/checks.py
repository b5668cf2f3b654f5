"""The one place where Great Expectations meets Dagster: every rule is an asset check of its table.

A refresh judges a table in the step that writes it, and tells Dagster what is news; by themselves the checks judge
whole tables. Put here how a rule is shown as a check. Rules and verdicts belong in `dagster_project.rules`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import dagster as dg

from assets.steps.step import BLOCKING_RULES_BROKEN, RULES_BROKEN, RuleResults
from assets.storage.warehouse import Warehouse
from dagster_project.alerting import newest_record, open_incidents
from dagster_project.rules.declared_rules import RULES, is_critical, name_of
from dagster_project.rules.judging import reading
from dagster_project.rules.table_results import facts_of, judged
from dagster_project.rules.verdicts import RuleError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import duckdb
    from great_expectations.expectations.expectation import Expectation

    from dagster_project.deployment.alerts import Alerts
    from dagster_project.rules.verdicts import Verdict


def results_of_table(
    warehouse: Warehouse, connection: duckdb.DuckDBPyConnection, full_name: str, *, alerts: Alerts
) -> RuleResults:
    """What a refresh says of a table: how many rules hold, which are broken, and the events that are news.

    A rule that is not broken and was not before is no news. A blocking one that is broken stops what is built on the
    table, in each run until it holds again.
    """
    rules = {name_of(rule): rule for rule in RULES[full_name]}
    judgement = judged(warehouse, connection, full_name, RULES[full_name], is_whole=False)
    facts, verdicts = facts_of(RULES[full_name], judgement), judgement.memory.verdicts
    broken = {*facts[RULES_BROKEN], *facts[BLOCKING_RULES_BROKEN]}
    news = judgement.news | broken if judgement.is_new else facts[BLOCKING_RULES_BROKEN]
    return RuleResults(
        facts=facts,
        evaluations=[
            *(_evaluation(full_name, rules[name], verdicts[name], judgement.rows) for name in rules if name in news),
            *([EVALUATIONS[full_name](warehouse, alerts)] if full_name in EVALUATIONS else []),
        ],
        errors=judgement.errors,
    )


def table_checks(full_name: str, rules: Sequence[Expectation]) -> dg.AssetChecksDefinition:
    """One step that judges all rules of a table on all of its rows, each of them a check of its own."""

    @dg.multi_asset_check(specs=[_spec(full_name, rule) for rule in rules], name=f"check_{full_name.replace('.', '_')}")
    def check(warehouse: dg.ResourceParam[Warehouse]) -> Iterator[dg.AssetCheckResult]:
        """Judge the table as it stands."""
        with reading(warehouse) as connection:
            judgement = judged(warehouse, connection, full_name, rules, is_whole=True)
        verdicts = judgement.memory.verdicts
        for rule in rules:
            if name_of(rule) in verdicts:
                yield _result(full_name, rule, verdicts[name_of(rule)], judgement.rows)
        if judgement.errors:
            raise RuleError(f"{full_name}: {'; '.join(judgement.errors)}")

    return check


def _spec(full_name: str, rule: Expectation) -> dg.AssetCheckSpec:
    return dg.AssetCheckSpec(
        name_of(rule), asset=full_name.split("."), description=rule.description, blocking=is_critical(rule)
    )


def _result(full_name: str, rule: Expectation, verdict: Verdict, row_count: int) -> dg.AssetCheckResult:
    return dg.AssetCheckResult(
        asset_key=full_name.split("."),
        check_name=name_of(rule),
        passed=verdict.holds,
        severity=_severity(rule),
        description=rule.description,
        metadata=_metadata(verdict, row_count),
    )


def _evaluation(full_name: str, rule: Expectation, verdict: Verdict, row_count: int) -> dg.AssetCheckEvaluation:
    """The same as an event of a step that was not asked for checks."""
    return dg.AssetCheckEvaluation(
        asset_key=dg.AssetKey(full_name.split(".")),
        check_name=name_of(rule),
        passed=verdict.holds,
        severity=_severity(rule),
        description=rule.description,
        metadata=_metadata(verdict, row_count),
        blocking=is_critical(rule),
    )


def _severity(rule: Expectation) -> dg.AssetCheckSeverity:
    return dg.AssetCheckSeverity.ERROR if is_critical(rule) else dg.AssetCheckSeverity.WARN


def _metadata(verdict: Verdict, row_count: int) -> Mapping[str, int | bool | str]:
    return {
        "lagbook/rows": row_count,
        "lagbook/broken": verdict.broken_count,
        "lagbook/broken_is_at_least": verdict.is_at_least,
        "lagbook/examples": verdict.broken,
    }


EVALUATIONS: Final = {open_incidents.INCIDENTS: open_incidents.evaluate, newest_record.BASIS: newest_record.evaluate}
"""Checks that are no rules of their table: they look at what people and clocks do, so every refresh has their event."""

CHECKS: Final = [table_checks(full_name, rules) for full_name, rules in RULES.items()]
