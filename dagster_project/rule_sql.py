"""The rows that a rule is judged on: all rows of a small table, of a large one those that may break the rule.

Put here how a kind of expectation is narrowed down in SQL. Great Expectations has the last word on what comes out, in
`dagster_project.verdicts`; it would take minutes to look at every row of a large table itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pandas as pd
from great_expectations import expectations as gxe
from great_expectations.expectations.row_conditions import AndCondition, ComparisonCondition, NullityCondition

from expectations.queries import COLUMNS, QUERY

if TYPE_CHECKING:
    from collections.abc import Callable

    import duckdb
    from great_expectations.expectations.expectation import Expectation
    from great_expectations.expectations.row_conditions import Condition

ALL_ROWS_MOST: Final = 250_000
"""Great Expectations reads about 300,000 rows a second per ten rules."""
CANDIDATES_MOST: Final = 1_000


class Narrowing(NamedTuple):
    """Which columns a kind of rule looks at, and which rows can break it."""

    columns: Callable[[Any], list[str]]
    suspicion: Callable[[Any], str]


def candidates(connection: duckdb.DuckDBPyConnection, table: str, rule: Expectation, *, row_count: int) -> pd.DataFrame:
    """The columns that the rule looks at, for the rows that it has to look at."""
    query = _every_row(table, rule) if row_count <= ALL_ROWS_MOST and not _query_of(rule) else suspects(table, rule)
    rows: pd.DataFrame = connection.sql(query).to_arrow_table().to_pandas(types_mapper=pd.ArrowDtype)
    return rows


def columns_of(rule: Expectation) -> list[str]:
    """The columns that a rule names, those of its condition or its query included."""
    if _query_of(rule):
        return list(_meta_of(rule)[COLUMNS])
    return list(dict.fromkeys([*NARROWINGS[type(rule)].columns(rule), *_condition_columns(_condition_of(rule))]))


def suspects(table: str, rule: Expectation) -> str:
    """The query for rows that may break the rule; none of them means that no row breaks it."""
    if query := _query_of(rule):
        return f"FROM ({query.format(table=table)}) LIMIT {CANDIDATES_MOST}"
    if isinstance(rule, gxe.ExpectCompoundColumnsToBeUnique):
        return _repeated_keys(table, rule)
    condition = _condition_of(rule)
    suspicion = NARROWINGS[type(rule)].suspicion(rule)
    where = f"({suspicion}) AND ({_condition_sql(condition)})" if condition else suspicion
    return f"{_every_row(table, rule)} WHERE {where} LIMIT {CANDIDATES_MOST}"


def _every_row(table: str, rule: Expectation) -> str:
    columns = ", ".join(map(quote, columns_of(rule))) or "1 AS row"
    return f"SELECT {columns} FROM {table}"  # noqa: S608 - names are ours


def _repeated_keys(table: str, rule: gxe.ExpectCompoundColumnsToBeUnique) -> str:
    """Each key that comes more than once, twice: as many rows as it takes to see that it is not unique."""
    keys = ", ".join(map(quote, rule.column_list))
    repeated = f"SELECT {keys} FROM {table} GROUP BY ALL HAVING count(*) > 1 LIMIT {CANDIDATES_MOST}"  # noqa: S608
    return f"SELECT {keys} FROM ({repeated}), range(2)"  # noqa: S608 - names are ours


def _outside(rule: gxe.ExpectColumnValuesToBeBetween) -> str:
    bounds = (("<", rule.min_value), (">", rule.max_value))
    return " OR ".join(f"{quote(rule.column)} {sign} {_literal(bound)}" for sign, bound in bounds if bound is not None)


def _not_in_set(rule: gxe.ExpectColumnValuesToBeInSet) -> str:
    return f"{quote(rule.column)} NOT IN ({', '.join(map(_literal, rule.value_set))})"


def _not_greater(rule: gxe.ExpectColumnPairValuesAToBeGreaterThanB) -> str:
    return f"{quote(rule.column_A)} {'<' if rule.or_equal else '<='} {quote(rule.column_B)}"


NARROWINGS: Final[dict[type[Expectation], Narrowing]] = {
    gxe.ExpectColumnValuesToNotBeNull: Narrowing(lambda r: [r.column], lambda r: f"{quote(r.column)} IS NULL"),
    gxe.ExpectColumnValuesToBeNull: Narrowing(lambda r: [r.column], lambda r: f"{quote(r.column)} IS NOT NULL"),
    gxe.ExpectColumnValuesToBeBetween: Narrowing(lambda r: [r.column], _outside),
    gxe.ExpectColumnValuesToBeInSet: Narrowing(lambda r: [r.column], _not_in_set),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB: Narrowing(lambda r: [r.column_A, r.column_B], _not_greater),
    gxe.ExpectCompoundColumnsToBeUnique: Narrowing(lambda r: list(r.column_list), lambda _: "true"),
    gxe.ExpectTableRowCountToEqual: Narrowing(lambda _: [], lambda _: "true"),
}
"""The kinds of rules that may be used, NULL being no breach of any but the first."""


def _meta_of(rule: Expectation) -> dict[str, Any]:
    return rule.meta or {}


def _query_of(rule: Expectation) -> str | None:
    """The query for the rows that break the rule, where it says one: then those alone are looked at."""
    query: str | None = _meta_of(rule).get(QUERY)
    return query


def _condition_of(rule: Any) -> Condition | None:  # noqa: ANN401 - each kind of expectation has its own class
    condition: Condition | None = rule.row_condition
    return condition


def _condition_columns(condition: Condition | None) -> list[str]:
    if isinstance(condition, AndCondition):
        return [name for part in condition.conditions for name in _condition_columns(part)]
    return [condition.column.name] if isinstance(condition, (ComparisonCondition, NullityCondition)) else []


def _condition_sql(condition: Condition) -> str:
    if isinstance(condition, AndCondition):
        return " AND ".join(map(_condition_sql, condition.conditions))
    if isinstance(condition, NullityCondition):
        return f"{quote(condition.column.name)} IS {'' if condition.is_null else 'NOT '}NULL"
    if isinstance(condition, ComparisonCondition):
        return f"{quote(condition.column.name)} {condition.operator} {_literal(condition.parameter)}"
    message = f"no SQL is known for the condition {condition!r}"
    raise TypeError(message)


def quote(column: str) -> str:
    """A column's name as SQL takes it, whatever it is."""
    return '"' + column.replace('"', '""') + '"'


def _literal(value: object) -> str:
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(value)
