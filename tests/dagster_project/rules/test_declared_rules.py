"""That what a table's declaration says becomes rules, and that each of them catches the row that breaks it."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, Final

import duckdb
import pyarrow as pa
import pytest
from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity

from assets.catalog import TABLES, Column, Table
from assets.catalog.table import Interval
from dagster_project.rules.declared_rules import RULES, declared_rules, name_of
from dagster_project.rules.expectation_verdicts import frame_of, judge
from dagster_project.rules.rule import suspects
from dagster_project.rules.rule_sql import in_sql

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from great_expectations.expectations.expectation import Expectation

    from dagster_project.rules.verdicts import Verdict

Row = dict[str, Any]

NOON: Final = datetime(2026, 11, 18, 12, tzinfo=timezone.utc)
EVENTS: Final = Table(
    "mart",
    "events",
    "Made up for these tests: a column of every kind of promise.",
    ("cluster", "number"),
    (
        Column("cluster", pa.string(), "Cluster.", required=True),
        Column("number", pa.int64(), "Number.", minimum=1, required=True),
        Column("share", pa.float64(), "Share.", minimum=0, maximum=1, is_promised=False),
        Column("kind", pa.string(), "Kind.", values={"first": "the first", "other": "any other"}),
        Column("from_offset", pa.int64(), "First."),
        Column("to_offset", pa.int64(), "Last."),
    ),
    intervals=(Interval("from_offset", "to_offset"),),
)
SOUND: Final[Row] = {"cluster": "c", "number": 1, "share": 0.5, "kind": "other", "from_offset": 3, "to_offset": 4}
BREACHES: Final[dict[str, Row]] = {
    "key_is_unique": {},
    "required_columns_are_set": {"cluster": None},
    "number_is_in_range": {"number": 0},
    "share_is_in_range": {"share": 1.5},
    "kind_is_listed": {"kind": "third"},
    "from_offset_before_to_offset": {"to_offset": 3},
}


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    """One for all rules: to open a database takes longer than to judge a row."""
    with duckdb.connect() as opened:
        yield opened


def _verdict(connection: duckdb.DuckDBPyConnection, table: Table, rule: Expectation, rows: Sequence[Row]) -> Verdict:
    nullable = pa.schema([field.with_nullable(nullable=True) for field in table.schema])
    connection.register("judged", pa.Table.from_pylist(list(rows), nullable))
    return judge(rule, frame_of(connection.sql(suspects("judged", in_sql(table.full_name, rule))).to_arrow_table()))


def test_every_promise_becomes_one_rule() -> None:
    """Neither more nor less than the declaration says; its names are those that the UI shows."""
    assert [name_of(rule) for rule in declared_rules(EVENTS)] == list(BREACHES)


@pytest.mark.parametrize("name", BREACHES)
def test_broken_promise_is_caught(connection: duckdb.DuckDBPyConnection, name: str) -> None:
    """A sound row passes, a changed second one breaks the rule."""
    rule = next(rule for rule in declared_rules(EVENTS) if name_of(rule) == name)
    assert _verdict(connection, EVENTS, rule, [SOUND]).holds
    verdict = _verdict(connection, EVENTS, rule, [SOUND, {**SOUND, **BREACHES[name]}])
    assert not verdict.holds
    assert verdict.broken_count > 0


def test_what_input_can_break_warns() -> None:
    """Only what holds for any input stops what is built from the table."""
    severities = {name_of(rule): rule.severity for rule in declared_rules(EVENTS)}
    assert severities.pop("share_is_in_range") == FailureSeverity.WARNING
    assert set(severities.values()) == {FailureSeverity.CRITICAL}


@pytest.mark.parametrize("can_be_empty", [False, True])
def test_an_interval_may_be_empty_where_the_declaration_says_so(*, can_be_empty: bool) -> None:
    """Then both of its columns may be equal."""
    interval = Interval("a", "b", can_be_empty=can_be_empty)
    rule = declared_rules(Table("mart", "t", "T.", EVENTS.key, EVENTS.columns, intervals=(interval,)))[-1]
    assert isinstance(rule, gxe.ExpectColumnPairValuesAToBeGreaterThanB)
    assert rule.or_equal is can_be_empty


def _sound(column: Column) -> object:
    """A value that a column can have."""
    if column.values:
        return next(iter(column.values))
    if pa.types.is_timestamp(column.type):
        return NOON
    if pa.types.is_list(column.type):
        return []
    if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        least = column.minimum or 0
        return least if column.maximum is None else min(least, column.maximum)
    return {pa.string(): "x", pa.bool_(): False, pa.binary(): b""}.get(column.type)


def _sound_row(table: Table) -> Row:
    row = {column.name: _sound(column) for column in table.columns}
    for interval in table.intervals:
        start: Any = row[interval.start]
        row[interval.end] = start + (timedelta(minutes=1) if isinstance(start, datetime) else 1)
    return row


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_declaration_of_a_table_does_not_contradict_itself(connection: duckdb.DuckDBPyConnection, table: Table) -> None:
    """A row that is made by the declaration passes its rules, as every row of a sound table must."""
    row = _sound_row(table)
    broken = [name_of(rule) for rule in declared_rules(table) if not _verdict(connection, table, rule, [row]).holds]
    assert broken == []


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_declaration_names_existing_columns(table: Table) -> None:
    """A key or an interval of a column that is not there would be an error in every run."""
    named = {*table.key, *(name for interval in table.intervals for name in (interval.start, interval.end))}
    assert named <= set(table.column_names)


@pytest.mark.parametrize("full_name", TABLES)
def test_every_table_has_a_blocking_rule(full_name: str) -> None:
    """Each table has something that Lagbook itself must make true."""
    assert any(rule.severity == FailureSeverity.CRITICAL for rule in RULES[full_name])


@pytest.mark.parametrize("full_name", TABLES)
def test_names_of_the_rules_of_a_table_are_unique(full_name: str) -> None:
    """A check is known by its name, and Dagster takes letters, digits and underscores."""
    names = [name_of(rule) for rule in RULES[full_name]]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z0-9_]+", name) for name in names)
