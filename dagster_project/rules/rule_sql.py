"""From an expectation of Great Expectations to the SQL of the rows that may break it.

Put here how a kind of expectation is narrowed down in SQL. Great Expectations has the last word on what comes out, in
`dagster_project.rules.expectation_verdicts`; it would take minutes to look at every row of a large table itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from great_expectations import expectations as gxe
from great_expectations.expectations.row_conditions import AndCondition, ComparisonCondition, NullityCondition

from dagster_project.rules.declared_rules import is_critical, name_of
from dagster_project.rules.rule import Rule, quote
from expectations.queries import COLUMNS, CONDITION, QUERY, WITHIN

if TYPE_CHECKING:
    from collections.abc import Callable

    from great_expectations.expectations.expectation import Expectation
    from great_expectations.expectations.row_conditions import Condition


class Narrowing(NamedTuple):
    """Which columns a kind of rule looks at, and which rows can break it."""

    columns: Callable[[Any], list[str]]
    suspicion: Callable[[Any], str]


def in_sql(full_name: str, rule: Expectation) -> Rule:
    """An expectation about a table as SQL; an error for a kind that has no narrowing."""
    meta = _meta_of(rule)
    is_of_keys, query = isinstance(rule, gxe.ExpectCompoundColumnsToBeUnique), meta.get(QUERY)
    return Rule(
        table=full_name,
        name=name_of(rule),
        description=rule.description or "",
        is_critical=is_critical(rule),
        columns=tuple(_columns_of(rule)),
        condition=None if is_of_keys or query else _suspicion(rule),
        keys=tuple(rule.column_list) if isinstance(rule, gxe.ExpectCompoundColumnsToBeUnique) else (),
        query=query,
        within=tuple(meta.get(WITHIN, ())),
    )


def _columns_of(rule: Expectation) -> list[str]:
    """The columns that a rule names, those of its condition or its query included."""
    if COLUMNS in _meta_of(rule):
        return list(_meta_of(rule)[COLUMNS])
    return list(dict.fromkeys([*NARROWINGS[type(rule)].columns(rule), *_condition_columns(_condition_of(rule))]))


def _suspicion(rule: Expectation) -> str:
    """The SQL condition of a row that may break a rule about single rows."""
    condition = _condition_of(rule)
    one = _meta_of(rule).get(CONDITION) or NARROWINGS[type(rule)].suspicion(rule)
    return f"({one}) AND ({_condition_sql(condition)})" if condition else f"({one})"


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


def _literal(value: object) -> str:
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(value)
