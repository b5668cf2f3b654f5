"""That narrowing a large table down in SQL never hides a broken rule from Great Expectations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import duckdb
import pyarrow as pa
import pytest
from great_expectations import expectations as gxe
from great_expectations.expectations.row_conditions import Column
from hypothesis import given, settings
from hypothesis import strategies as st

from dagster_project.rules.declared_rules import RULES as EVERY_RULE
from dagster_project.rules.expectation_verdicts import frame_of, judge
from dagster_project.rules.rule import CANDIDATES_MOST, counted, repeated_among, suspects
from dagster_project.rules.rule_sql import NARROWINGS, in_sql

if TYPE_CHECKING:
    import pandas as pd
    from great_expectations.expectations.expectation import Expectation

SCHEMA: Final = pa.schema({"a": pa.int64(), "b": pa.int64(), "kind": pa.string()})
IGNORED: Final = "either_value_is_missing"
IS_X: Final = Column("kind") == "it's x"
NAMED: Final = {"name": "made_up"}
RULES: Final[list[Expectation]] = [
    gxe.ExpectColumnValuesToNotBeNull(column="a", meta=NAMED),
    gxe.ExpectColumnValuesToNotBeNull(column="a", row_condition=IS_X, meta=NAMED),
    gxe.ExpectColumnValuesToBeNull(column="a", row_condition=Column("b").is_null(), meta=NAMED),
    gxe.ExpectColumnValuesToBeBetween(column="a", min_value=0, meta=NAMED),
    gxe.ExpectColumnValuesToBeBetween(column="a", min_value=0, max_value=1, row_condition=IS_X, meta=NAMED),
    gxe.ExpectColumnValuesToBeInSet(column="kind", value_set=["it's x", "y"], meta=NAMED),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="a", column_B="b", or_equal=True, ignore_row_if=IGNORED, meta=NAMED
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="a", column_B="b", ignore_row_if=IGNORED, row_condition=IS_X & Column("b").is_not_null(), meta=NAMED
    ),
    gxe.ExpectCompoundColumnsToBeUnique(column_list=["a", "kind"], meta=NAMED),
    gxe.ExpectTableRowCountToEqual(value=0, meta=NAMED),
]
NUMBERS: Final = st.none() | st.sampled_from([-1, 0, 1, 2**53 + 1, 2**63 - 1, -(2**63)])
ROWS: Final = st.lists(
    st.fixed_dictionaries({"a": NUMBERS, "b": NUMBERS, "kind": st.none() | st.sampled_from(["it's x", "y", "z"])}),
    max_size=4,
)


def rows_of(connection: duckdb.DuckDBPyConnection, query: str) -> pd.DataFrame:
    """The rows of a query as Great Expectations takes them."""
    return frame_of(connection.sql(query).to_arrow_table())


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: type(rule).__name__)
@given(rows=ROWS)
@settings(max_examples=15)
def test_same_verdict_on_candidates_as_on_every_row(rule: Expectation, rows: list[dict[str, object]]) -> None:
    """What SQL leaves is judged as the whole is, NULL and the ends of 64 bits included."""
    with duckdb.connect() as connection:
        connection.register("rows", pa.Table.from_pylist(rows, SCHEMA))
        as_sql = in_sql("t", rule)
        every = rows_of(connection, "FROM rows")
        some = rows_of(connection, suspects("rows", as_sql))
        counts = connection.execute(counted("rows", [as_sql])).fetchall() if as_sql.condition else [(len(some),)]
    assert counts == [(len(some),)]
    assert judge(rule, some).holds == judge(rule, every).holds
    assert len(some) or judge(rule, every).holds


@given(new=ROWS, other=ROWS)
@settings(max_examples=40)
def test_a_key_that_new_rows_repeat_is_caught(new: list[dict[str, object]], other: list[dict[str, object]]) -> None:
    """Among themselves or with another row, NULL being like NULL; what only other rows repeat is known already."""
    unique = in_sql("t", RULES[8])
    keys, others = ([(row["a"], row["kind"]) for row in rows] for rows in (new, other))
    with duckdb.connect() as connection:
        connection.register("new", pa.Table.from_pylist(new, SCHEMA))
        connection.register("other", pa.Table.from_pylist(other, SCHEMA))
        rows = rows_of(connection, repeated_among("new", "other", unique))
    assert len(rows) == 2 * len({key for key in keys if keys.count(key) > 1 or key in others})


def test_candidates_are_few_however_many_rows_break_the_rule() -> None:
    """A hundred million broken rows must not be held in memory."""
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE rows AS SELECT -1 AS a, 'y' AS kind FROM range(5000)")
        for rule in (RULES[3], RULES[8], RULES[9]):
            assert 0 < len(rows_of(connection, suspects("rows", in_sql("t", rule)))) <= 2 * CANDIDATES_MOST


def test_every_kind_of_rule_in_use_can_be_narrowed() -> None:
    """A new kind of expectation needs its SQL before a table grows large."""
    assert {type(rule) for rules in EVERY_RULE.values() for rule in rules} <= set(NARROWINGS)


def test_columns_of_a_rule_include_those_of_its_condition() -> None:
    """A frame without the condition's column could not be judged."""
    assert in_sql("t", RULES[7]).columns == ("a", "b", "kind")


def test_unknown_condition_is_refused() -> None:
    """A condition that SQL does not know must not be left out silently."""
    rule = gxe.ExpectColumnValuesToNotBeNull(column="a", row_condition=(IS_X | Column("b").is_null()), meta=NAMED)
    with pytest.raises(TypeError, match="no SQL is known"):
        in_sql("t", rule)
