"""Where rules meet Dagster: every rule is an asset check of its table.

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
from dagster_project.rules.judging import reading
from dagster_project.rules.rules_in_sql import every_rule, rules_of
from dagster_project.rules.table_results import facts_of, judge_and_remember
from dagster_project.rules.verdicts import RuleError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import duckdb

    from dagster_project.deployment.alerts import Alerts
    from dagster_project.rules.rule import Rule
    from dagster_project.rules.verdicts import Verdict


def results_of_table(
    warehouse: Warehouse, connection: duckdb.DuckDBPyConnection, full_name: str, *, alerts: Alerts
) -> RuleResults:
    """What a refresh says of a table: how many rules hold, which are broken, and the events that are news.

    A rule that is not broken and was not before is no news. A blocking one that is broken stops what is built on the
    table, in each run until it holds again.
    """
    rules = rules_of(full_name)
    judgement = judge_and_remember(warehouse, connection, full_name, rules, is_whole=False)
    facts, verdicts = facts_of(rules, judgement), judgement.memory.verdicts
    broken = {*facts[RULES_BROKEN], *facts[BLOCKING_RULES_BROKEN]}
    news = judgement.news | broken if judgement.is_new else facts[BLOCKING_RULES_BROKEN]
    return RuleResults(
        facts=facts,
        evaluations=[
            *(_evaluation(rule, verdicts[rule.name], judgement.rows) for rule in rules if rule.name in news),
            *([EVALUATIONS[full_name](warehouse, alerts)] if full_name in EVALUATIONS else []),
        ],
        errors=judgement.errors,
    )


def table_checks(full_name: str, rules: Sequence[Rule]) -> dg.AssetChecksDefinition:
    """One step that judges all rules of a table on all of its rows, each of them a check of its own."""

    @dg.multi_asset_check(specs=[_spec(rule) for rule in rules], name=f"check_{full_name.replace('.', '_')}")
    def check(warehouse: dg.ResourceParam[Warehouse]) -> Iterator[dg.AssetCheckResult]:
        """Judge the table as it stands."""
        with reading() as connection:
            judgement = judge_and_remember(warehouse, connection, full_name, rules, is_whole=True)
        verdicts = judgement.memory.verdicts
        for rule in rules:
            if rule.name in verdicts:
                yield _result(rule, verdicts[rule.name], judgement.rows)
        if judgement.errors:
            raise RuleError(f"{full_name}: {'; '.join(judgement.errors)}")

    return check


def _spec(rule: Rule) -> dg.AssetCheckSpec:
    return dg.AssetCheckSpec(
        rule.name, asset=rule.table.split("."), description=rule.description, blocking=rule.is_critical
    )


def _result(rule: Rule, verdict: Verdict, row_count: int) -> dg.AssetCheckResult:
    return dg.AssetCheckResult(
        asset_key=rule.table.split("."),
        check_name=rule.name,
        passed=verdict.holds,
        severity=_severity(rule),
        description=rule.description,
        metadata=_metadata(verdict, row_count),
    )


def _evaluation(rule: Rule, verdict: Verdict, row_count: int) -> dg.AssetCheckEvaluation:
    """The same as an event of a step that was not asked for checks."""
    return dg.AssetCheckEvaluation(
        asset_key=dg.AssetKey(rule.table.split(".")),
        check_name=rule.name,
        passed=verdict.holds,
        severity=_severity(rule),
        description=rule.description,
        metadata=_metadata(verdict, row_count),
        blocking=rule.is_critical,
    )


def _severity(rule: Rule) -> dg.AssetCheckSeverity:
    return dg.AssetCheckSeverity.ERROR if rule.is_critical else dg.AssetCheckSeverity.WARN


def _metadata(verdict: Verdict, row_count: int) -> Mapping[str, int | bool | str]:
    return {
        "lagbook/rows": row_count,
        "lagbook/broken": verdict.broken_count,
        "lagbook/broken_is_at_least": verdict.is_at_least,
        "lagbook/examples": verdict.broken,
    }


EVALUATIONS: Final = {open_incidents.INCIDENTS: open_incidents.evaluate, newest_record.BASIS: newest_record.evaluate}
"""Checks that are no rules of their table: they look at what people and clocks do, so every refresh has their event."""

CHECKS: Final = [table_checks(full_name, rules) for full_name, rules in every_rule().items()]
