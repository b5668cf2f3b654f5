"""The one place where Great Expectations meets Dagster: every expectation is an asset check of its table.

Put here how a rule is shown as a check. Rules come from `dagster_project.declared_rules`, which knows `expectations`
too; how one is judged is in `dagster_project.rule_sql` and `dagster_project.verdicts`, how a verdict is kept in
`dagster_project.check_cache`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

import dagster as dg
from great_expectations.expectations.metadata_types import FailureSeverity

from assets.duckdb.database import in_memory
from assets.storage.warehouse import Warehouse
from dagster_project.check_cache import fingerprint, recall, remember
from dagster_project.declared_rules import RULES
from dagster_project.rule_sql import ALL_ROWS_MOST, candidates, columns_of, quote
from dagster_project.verdicts import RuleError, Verdict, judge

if TYPE_CHECKING:
    from collections.abc import Sequence

    import duckdb
    from great_expectations.expectations.expectation import Expectation

MEMORY: Final = "1GB"
"""What looking for candidates may take; beyond that DuckDB goes to disk."""


def table_checks(full_name: str, rules: Sequence[Expectation]) -> dg.AssetChecksDefinition:
    """One step that judges all rules of a table, each of them a check of its own."""

    @dg.multi_asset_check(specs=[_spec(full_name, rule) for rule in rules], name=f"check_{full_name.replace('.', '_')}")
    def check(warehouse: dg.ResourceParam[Warehouse]) -> Iterator[dg.AssetCheckResult]:
        """Judge the table as it stands."""
        yield from _results(warehouse, full_name, rules)

    return check


def _results(warehouse: Warehouse, full_name: str, rules: Sequence[Expectation]) -> Iterator[dg.AssetCheckResult]:
    """Say what can be said of each rule, and only then fail over those that could not be judged."""
    with warehouse.pinned_versions():
        asked = fingerprint(warehouse, full_name, rules)
        recalled = recall(warehouse, full_name, asked)
        row_count = warehouse.row_count(full_name)
        verdicts, errors = (recalled, []) if recalled else _verdicts(warehouse, full_name, rules, row_count)
    for rule in rules:
        if name_of(rule) in verdicts:
            yield _result(full_name, rule, verdicts[name_of(rule)], row_count)
    if errors:
        raise RuleError(f"{full_name}: {'; '.join(errors)}")
    remember(warehouse, full_name, asked, verdicts)


def _verdicts(
    warehouse: Warehouse, full_name: str, rules: Sequence[Expectation], row_count: int
) -> tuple[dict[str, Verdict], list[str]]:
    """The verdicts by rule, and the errors of the rules that have none."""
    verdicts: dict[str, Verdict] = {}
    errors: list[str] = []
    with _reading(warehouse, full_name) as connection:
        name = _at_hand(connection, full_name, rules) if row_count <= ALL_ROWS_MOST else full_name
        for rule in rules:
            rows = candidates(connection, name, rule, row_count=row_count)
            try:
                verdicts[name_of(rule)] = judge(rule, rows)
            except RuleError as error:
                errors.append(str(error))
    return verdicts, errors


@contextmanager
def _reading(warehouse: Warehouse, full_name: str) -> Iterator[duckdb.DuckDBPyConnection]:
    with TemporaryDirectory(prefix="lagbook-") as spill, in_memory(warehouse, [full_name]) as connection:
        connection.execute(f"SET memory_limit = '{MEMORY}'")
        connection.execute("SET temp_directory = $spill", {"spill": spill})
        yield connection


def _at_hand(connection: duckdb.DuckDBPyConnection, full_name: str, rules: Sequence[Expectation]) -> str:
    """Read a small table's files once for all rules, in a store above all; the name of what was read."""
    columns = ", ".join(dict.fromkeys(map(quote, chain.from_iterable(map(columns_of, rules))))) or "1 AS row"
    connection.execute(f"CREATE TABLE judged AS SELECT {columns} FROM {full_name}")  # noqa: S608 - names are ours
    return "judged"


def _spec(full_name: str, rule: Expectation) -> dg.AssetCheckSpec:
    return dg.AssetCheckSpec(
        name_of(rule), asset=full_name.split("."), description=rule.description, blocking=_is_critical(rule)
    )


def _result(full_name: str, rule: Expectation, verdict: Verdict, row_count: int) -> dg.AssetCheckResult:
    return dg.AssetCheckResult(
        asset_key=full_name.split("."),
        check_name=name_of(rule),
        passed=verdict.holds,
        severity=dg.AssetCheckSeverity.ERROR if _is_critical(rule) else dg.AssetCheckSeverity.WARN,
        description=rule.description,
        metadata={
            "lagbook/rows": row_count,
            "lagbook/broken": verdict.broken_count,
            "lagbook/broken_is_at_least": row_count > ALL_ROWS_MOST,
            "lagbook/examples": verdict.broken,
        },
    )


def name_of(rule: Expectation) -> str:
    """The stable name of a rule: the check's name in Dagster."""
    return str((rule.meta or {})["name"])


def _is_critical(rule: Expectation) -> bool:
    return rule.severity == FailureSeverity.CRITICAL


CHECKS: Final = [table_checks(full_name, rules) for full_name, rules in RULES.items()]
