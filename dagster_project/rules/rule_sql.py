"""The rows that may break a rule, as SQL: none of them means that the rule holds.

Put here how a kind of expectation is narrowed down in SQL. Great Expectations has the last word on what comes out, in
`dagster_project.rules.verdicts`; it would take minutes to look at every row of a large table itself. Which files of a
table are looked at is decided in `dagster_project.rules.judging`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pandas as pd
from great_expectations import expectations as gxe
from great_expectations.expectations.row_conditions import AndCondition, ComparisonCondition, NullityCondition

from expectations.queries import COLUMNS, CONDITION, QUERY, WITHIN

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import duckdb
    from great_expectations.expectations.expectation import Expectation
    from great_expectations.expectations.row_conditions import Condition

CANDIDATES_MOST: Final = 1_000


class Narrowing(NamedTuple):
    """Which columns a kind of rule looks at, and which rows can break it."""

    columns: Callable[[Any], list[str]]
    suspicion: Callable[[Any], str]


def candidates(connection: duckdb.DuckDBPyConnection, query: str) -> pd.DataFrame:
    """The rows of a query as Great Expectations takes them."""
    rows: pd.DataFrame = connection.sql(query).to_arrow_table().to_pandas(types_mapper=pd.ArrowDtype)
    return rows


def columns_of(rule: Expectation) -> list[str]:
    """The columns that a rule names, those of its condition or its query included."""
    if COLUMNS in _meta_of(rule):
        return list(_meta_of(rule)[COLUMNS])
    return list(dict.fromkeys([*NARROWINGS[type(rule)].columns(rule), *_condition_columns(_condition_of(rule))]))


def is_of_keys(rule: Expectation) -> bool:
    """Whether the rule compares the keys of all rows."""
    return isinstance(rule, gxe.ExpectCompoundColumnsToBeUnique)


def is_of_rows(rule: Expectation) -> bool:
    """Whether each row by itself breaks the rule or does not."""
    return not is_of_keys(rule) and QUERY not in _meta_of(rule)


def columns_within(rule: Expectation) -> list[str]:
    """The columns within whose values the rule compares rows; empty for a rule that may compare any two."""
    return list(_meta_of(rule).get(WITHIN, ()))


def suspects(table: str, rule: Expectation) -> str:
    """The query for rows that may break the rule; none of them means that no row breaks it."""
    if query := _meta_of(rule).get(QUERY):
        return f"FROM ({query.format(table=table)}) LIMIT {CANDIDATES_MOST}"
    if is_of_keys(rule):
        return _each_twice(rule, f"SELECT {_keys(rule)} FROM {table} GROUP BY ALL HAVING count(*) > 1")  # noqa: S608
    columns = ", ".join(map(quote, columns_of(rule))) or "1 AS row"
    return f"SELECT {columns} FROM {table} WHERE {suspicion(rule)} LIMIT {CANDIDATES_MOST}"  # noqa: S608 - names are ours


def repeated_among(new: str, other: str, rule: Expectation) -> str:
    """The keys that come twice among new rows, and those of new rows that other rows have, each twice."""
    same = " AND ".join(f"a.{name} IS NOT DISTINCT FROM b.{name}" for name in map(quote, _key_columns(rule)))
    among_new = f"SELECT {_keys(rule)} FROM {new} GROUP BY ALL HAVING count(*) > 1"  # noqa: S608 - names are ours
    in_both = f"SELECT {_keys(rule)} FROM {other} a SEMI JOIN {new} b ON {same}"  # noqa: S608 - names are ours
    return _each_twice(rule, f"({among_new}) UNION ({in_both})")


def counted(table: str, rules: Sequence[Expectation]) -> str:
    """The query that counts, in one look at the rows, those that may break each of these rules about single rows."""
    counts = ", ".join(f"count(*) FILTER (WHERE {suspicion(rule)})" for rule in rules)
    return f"SELECT {counts} FROM {table}"  # noqa: S608 - names are ours


def suspicion(rule: Expectation) -> str:
    """The SQL condition of a row that may break a rule about single rows."""
    condition = _condition_of(rule)
    one = _meta_of(rule).get(CONDITION) or NARROWINGS[type(rule)].suspicion(rule)
    return f"({one}) AND ({_condition_sql(condition)})" if condition else f"({one})"


def _key_columns(rule: Any) -> list[str]:  # noqa: ANN401 - each kind of expectation has its own class
    return list(rule.column_list)


def _keys(rule: Expectation) -> str:
    return ", ".join(map(quote, _key_columns(rule)))


def _each_twice(rule: Expectation, repeated: str) -> str:
    """Each key that comes more than once, twice: as many rows as it takes to see that it is not unique."""
    return f"SELECT {_keys(rule)} FROM (FROM ({repeated}) LIMIT {CANDIDATES_MOST}), range(2)"  # noqa: S608 - names are ours


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
