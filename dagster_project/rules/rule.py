"""A rule as SQL alone, without Great Expectations: the query for the rows that may break it; none means that it holds.

Put here what is asked of a table for a rule. How an expectation becomes such a rule is in
`dagster_project.rules.rule_sql`, which files of a table are looked at is decided in `dagster_project.rules.judging`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

CANDIDATES_MOST: Final = 1_000


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of one table: about single rows by a condition, about keys, or about several rows by a query."""

    table: str
    name: str
    """The check's name in Dagster."""
    description: str
    is_critical: bool
    """Whether a breach stops what is built from the table."""
    columns: tuple[str, ...]
    """Those that it reads."""
    condition: str | None = None
    """What a row that may break it satisfies, if each row by itself breaks it or does not."""
    keys: tuple[str, ...] = ()
    """The columns whose values no two rows may share."""
    query: str | None = None
    """A SELECT over {table} for the rows that break it, if it compares rows."""
    within: tuple[str, ...] = ()
    """The columns within whose values the query compares rows; empty where it may compare any two."""


def suspects(rows: str, rule: Rule) -> str:
    """The query for rows that may break the rule; none of them means that no row breaks it."""
    if rule.query:
        return f"FROM ({rule.query.format(table=rows)}) LIMIT {CANDIDATES_MOST}"
    if rule.keys:
        return _each_twice(rule, f"SELECT {_keys(rule)} FROM {rows} GROUP BY ALL HAVING count(*) > 1")  # noqa: S608
    columns = ", ".join(map(quote, rule.columns)) or "1 AS row"
    return f"SELECT {columns} FROM {rows} WHERE {rule.condition} LIMIT {CANDIDATES_MOST}"  # noqa: S608 - names are ours


def repeated_among(new: str, other: str, rule: Rule) -> str:
    """The keys that come twice among new rows, and those of new rows that other rows have, each twice."""
    same = " AND ".join(f"a.{name} IS NOT DISTINCT FROM b.{name}" for name in map(quote, rule.keys))
    among_new = f"SELECT {_keys(rule)} FROM {new} GROUP BY ALL HAVING count(*) > 1"  # noqa: S608 - names are ours
    in_both = f"SELECT {_keys(rule)} FROM {other} a SEMI JOIN {new} b ON {same}"  # noqa: S608 - names are ours
    return _each_twice(rule, f"({among_new}) UNION ({in_both})")


def counted(rows: str, rules: Sequence[Rule]) -> str:
    """The query that counts, in one look at the rows, those that may break each of these rules about single rows."""
    counts = ", ".join(f"count(*) FILTER (WHERE {rule.condition})" for rule in rules)
    return f"SELECT {counts} FROM {rows}"  # noqa: S608 - names are ours


def quote(column: str) -> str:
    """A column's name as SQL takes it, whatever it is."""
    return '"' + column.replace('"', '""') + '"'


def _keys(rule: Rule) -> str:
    return ", ".join(map(quote, rule.keys))


def _each_twice(rule: Rule, repeated: str) -> str:
    """Each key that comes more than once, twice: as many rows as it takes to see that it is not unique."""
    return f"SELECT {_keys(rule)} FROM (FROM ({repeated}) LIMIT {CANDIDATES_MOST}), range(2)"  # noqa: S608 - names are ours
