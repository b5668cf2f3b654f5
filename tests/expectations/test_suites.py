"""That every rule names what is there and catches what it is for. How rules become checks is tested elsewhere."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Final

import duckdb
import pyarrow as pa
import pytest
from great_expectations import expectations as gxe

from assets.catalog import TABLES
from dagster_project.rules.declared_rules import name_of
from dagster_project.rules.expectation_verdicts import frame_of, judge
from dagster_project.rules.rule import suspects
from dagster_project.rules.rule_sql import in_sql
from expectations.suites import SUITES
from tests.expectations.breaches import BREACHES, SOUND, Breach, Row

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from great_expectations.expectations.expectation import Expectation

    from dagster_project.rules.verdicts import Verdict

RULES: Final = [(table, rule) for table, rules in SUITES.items() for rule in rules]
NAMES: Final = [f"{table}.{name_of(rule)}" for table, rule in RULES]
EXPECTATIONS: Final = Path(__file__).resolve().parents[2] / "expectations"

each_rule = pytest.mark.parametrize(("table", "rule"), RULES, ids=NAMES)


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    """One for all rules: to open a database takes longer than to judge a row."""
    with duckdb.connect() as opened:
        yield opened


def _verdict(connection: duckdb.DuckDBPyConnection, table: str, rule: Expectation, rows: Sequence[Row]) -> Verdict:
    nullable = pa.schema([field.with_nullable(nullable=True) for field in TABLES[table].schema])
    connection.register("judged", pa.Table.from_pylist(list(rows), nullable))
    return judge(rule, frame_of(connection.sql(suspects("judged", in_sql(table, rule))).to_arrow_table()))


def test_only_tables_that_are_declared_have_rules() -> None:
    """No rule is about a table that is not there."""
    assert SUITES.keys() <= TABLES.keys()


def test_every_module_has_the_rules_of_the_tables_that_its_namesake_declares() -> None:
    """Whoever reads a declaration finds the rest of its rules under the same name."""
    for room in ("raw", "core", "internal", "mart"):
        for module in iter_modules([str(EXPECTATIONS / room)]):
            declared = import_module(f"assets.catalog.{room}.{module.name}").TABLES
            ruled = import_module(f"expectations.{room}.{module.name}").SUITES
            assert ruled
            assert ruled.keys() <= {table.full_name for table in declared}


@each_rule
def test_rule_names_existing_columns(table: str, rule: Expectation) -> None:
    """A rule about a column that is not there would be an error in every run."""
    assert set(in_sql(table, rule).columns) <= set(TABLES[table].column_names)


@each_rule
def test_rule_says_what_it_is_for(table: str, rule: Expectation) -> None:
    """The sentence is what the UI shows beside a red check."""
    assert rule.description is not None, table
    assert rule.description.endswith(".")


def test_no_rule_repeats_a_declaration() -> None:
    """What a declaration says is not said a second time: neither a key nor the listed values of a column."""
    unique = [table for table, rule in RULES if isinstance(rule, gxe.ExpectCompoundColumnsToBeUnique)]
    listed = [
        f"{table}.{rule.column}"
        for table, rule in RULES
        if isinstance(rule, gxe.ExpectColumnValuesToBeInSet) and rule.row_condition is None
        for column in TABLES[table].columns
        if column.name == rule.column and column.values and set(column.values) <= set(rule.value_set or ())
    ]
    assert (unique, listed) == ([], [])


@each_rule
def test_comparisons_pass_over_what_is_unknown(table: str, rule: Expectation) -> None:
    """NULL is neither larger nor smaller than anything."""
    if isinstance(rule, gxe.ExpectColumnPairValuesAToBeGreaterThanB):
        assert rule.ignore_row_if == "either_value_is_missing", table


@each_rule
def test_sound_rows_pass(connection: duckdb.DuckDBPyConnection, table: str, rule: Expectation) -> None:
    """A rule does not cry wolf; nothing is left to judge then, and nothing breaks no rule either."""
    assert _verdict(connection, table, rule, SOUND[table]).holds


@pytest.mark.parametrize("breach", BREACHES, ids=lambda breach: f"{breach.table}.{breach.rule}")
def test_breach_is_caught(connection: duckdb.DuckDBPyConnection, breach: Breach) -> None:
    """Each rule catches the row that is made to break it."""
    rule = next(rule for rule in SUITES[breach.table] if name_of(rule) == breach.rule)
    rows = [*SOUND[breach.table], breach.row or SOUND[breach.table][0]]
    verdict = _verdict(connection, breach.table, rule, rows)
    assert not verdict.holds
    assert verdict.broken_count > 0


def test_every_rule_has_a_breach() -> None:
    """A rule that nothing was made to break may be one that nothing can break."""
    assert {f"{breach.table}.{breach.rule}" for breach in BREACHES} == set(NAMES)
