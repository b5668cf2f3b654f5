"""Rules that no kind of expectation says: a condition or a query in SQL for the rows that break them.

Put here how such a rule is written down. The SQL itself belongs beside the other rules of its table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity

if TYPE_CHECKING:
    from collections.abc import Sequence

QUERY: Final = "query"
"""In the meta of a rule: a SELECT over {table} for the rows that break it."""
CONDITION: Final = "condition"
"""In the meta of a rule: the condition of the rows that break it, each by itself."""
COLUMNS: Final = "columns"
"""In the meta of a rule: the columns that the query or the condition reads."""
WITHIN: Final = "within"
"""In the meta of a rule: the columns whose values rows must share for the query to compare them."""


def no_row_where(
    condition: str, *, columns: Sequence[str], name: str, description: str
) -> gxe.ExpectTableRowCountToEqual:
    """A blocking rule that no row satisfies a condition."""
    return gxe.ExpectTableRowCountToEqual(
        value=0,
        severity=FailureSeverity.CRITICAL,
        meta={"name": name, CONDITION: condition, COLUMNS: list(columns)},
        description=description,
    )


def no_row_of(
    query: str, *, columns: Sequence[str], within: Sequence[str], name: str, description: str
) -> gxe.ExpectTableRowCountToEqual:
    """A blocking rule that no row comes out of a query, which compares rows with the same values `within` alone.

    A table with fewer rows must not break it where one with more does not.
    """
    return gxe.ExpectTableRowCountToEqual(
        value=0,
        severity=FailureSeverity.CRITICAL,
        meta={"name": name, QUERY: query, COLUMNS: list(columns), WITHIN: list(within)},
        description=description,
    )
