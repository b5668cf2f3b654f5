"""The rules that follow from a table's declaration: its key, what is never NULL, and which values its columns have.

Put here how a declaration becomes Great Expectations' expectations. What a declaration can't say, and only a human
knows, belongs in `expectations`.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity

from assets.catalog import TABLES
from expectations.queries import no_row_where
from expectations.suites import SUITES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from great_expectations.expectations.expectation import Expectation

    from assets.catalog import Column, Table
    from assets.catalog.table import Interval


def declared_rules(table: Table) -> list[Expectation]:
    """What must hold in a table by its declaration."""
    of_columns = chain.from_iterable(map(_of_column, table.columns))
    return [*_of_key(table), *_of_required(table), *of_columns, *map(_of_interval, table.intervals)]


def _severity(*, is_promised: bool) -> FailureSeverity:
    return FailureSeverity.CRITICAL if is_promised else FailureSeverity.WARNING


def _of_key(table: Table) -> Iterator[Expectation]:
    if table.is_key_checked:
        yield gxe.ExpectCompoundColumnsToBeUnique(
            column_list=list(table.key),
            severity=_severity(is_promised=table.is_key_promised),
            meta={"name": "key_is_unique"},
            description=f"No two rows have the same {', '.join(table.key)}.",
        )


def _of_required(table: Table) -> Iterator[Expectation]:
    required = [column.name for column in table.columns if column.required]
    if required:
        yield no_row_where(
            " OR ".join(f'"{name}" IS NULL' for name in required),
            columns=required,
            name="required_columns_are_set",
            description=f"Never NULL: {', '.join(required)}.",
        )


def _of_column(column: Column) -> Iterator[Expectation]:
    severity = _severity(is_promised=column.is_promised)
    if column.values:
        yield gxe.ExpectColumnValuesToBeInSet(
            column=column.name,
            value_set=list(column.values),
            severity=severity,
            meta={"name": f"{column.name}_is_listed"},
            description=f"{column.name} is one of {', '.join(column.values)}.",
        )
    if column.minimum is not None or column.maximum is not None:
        yield gxe.ExpectColumnValuesToBeBetween(
            column=column.name,
            min_value=column.minimum,
            max_value=column.maximum,
            severity=severity,
            meta={"name": f"{column.name}_is_in_range"},
            description=f"{column.name} is {_range(column)}.",
        )


def _range(column: Column) -> str:
    if column.maximum is None:
        return f"{column.minimum:g} or more"
    return f"{column.maximum:g} or less" if column.minimum is None else f"{column.minimum:g} to {column.maximum:g}"


def _of_interval(interval: Interval) -> Expectation:
    return gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A=interval.end,
        column_B=interval.start,
        or_equal=interval.can_be_empty,
        ignore_row_if="either_value_is_missing",
        severity=_severity(is_promised=interval.is_promised),
        meta={"name": f"{interval.start}_before_{interval.end}"},
        description=f"{interval.start} is less than {interval.end}{', or equal' if interval.can_be_empty else ''}.",
    )


def name_of(rule: Expectation) -> str:
    """The stable name of a rule: the check's name in Dagster."""
    return str((rule.meta or {})["name"])


def is_critical(rule: Expectation) -> bool:
    """Whether a breach stops what is built from the table."""
    return rule.severity == FailureSeverity.CRITICAL


def expectation_of(full_name: str, rule: str) -> Expectation:
    """The rule of that name."""
    return next(one for one in RULES[full_name] if name_of(one) == rule)


RULES: Final[dict[str, list[Expectation]]] = {
    name: [*declared_rules(table), *SUITES.get(name, ())] for name, table in TABLES.items()
}
"""All rules of every table: those of its declaration, then what only a human knows."""
