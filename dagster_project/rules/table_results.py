"""What a refresh says of a table by its rules: how many hold and which are broken, judged by what is new in it.

Put here what a run with and without Dagster have in common. Dagster's events of it are made in
`dagster_project.checks`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assets.steps.step import BLOCKING_RULES_BROKEN, RULES_BROKEN, RULES_HOLD, RuleResults
from dagster_project.rules.check_cache import remember
from dagster_project.rules.judging import Judgement, judge_table
from dagster_project.rules.rules_in_sql import rules_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import duckdb

    from assets.steps.step import Facts
    from assets.storage.warehouse import Warehouse
    from dagster_project.rules.rule import Rule


def results_of_table(warehouse: Warehouse, connection: duckdb.DuckDBPyConnection, full_name: str) -> RuleResults:
    """The facts, and why a rule could not be judged."""
    rules = rules_of(full_name)
    judgement = judge_and_remember(warehouse, connection, full_name, rules, is_whole=False)
    return RuleResults(facts_of(rules, judgement), errors=judgement.errors)


def judge_and_remember(
    warehouse: Warehouse,
    connection: duckdb.DuckDBPyConnection,
    full_name: str,
    rules: Sequence[Rule],
    *,
    is_whole: bool,
) -> Judgement:
    """Judge a table and remember what came of it, unless a rule could not be judged."""
    judgement = judge_table(connection, warehouse, full_name, rules, is_whole=is_whole)
    if judgement.is_new and not judgement.errors:
        remember(warehouse, full_name, judgement.memory)
    return judgement


def facts_of(rules: Sequence[Rule], judgement: Judgement) -> Facts:
    """How many rules hold, and the names of those that are broken."""
    verdicts = judgement.memory.verdicts
    broken = [name for name, verdict in verdicts.items() if not verdict.holds]
    blocking = {rule.name for rule in rules if rule.is_critical}
    return {
        RULES_HOLD: len(verdicts) - len(broken),
        RULES_BROKEN: [name for name in broken if name not in blocking],
        BLOCKING_RULES_BROKEN: [name for name in broken if name in blocking],
    }
