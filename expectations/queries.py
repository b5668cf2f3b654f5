"""Rules about several rows or columns at once, said as a query for the rows that break them.

Put here how such a rule is written down. The query itself belongs beside the other rules of its table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity

if TYPE_CHECKING:
    from collections.abc import Sequence

QUERY: Final = "query"
"""In the meta of a rule: a SELECT over {table} for the rows that break it."""
COLUMNS: Final = "columns"
"""In the meta of a rule: the columns that the query reads."""


def no_row_of(query: str, *, columns: Sequence[str], name: str, description: str) -> gxe.ExpectTableRowCountToEqual:
    """A blocking rule that no row comes out of a query."""
    return gxe.ExpectTableRowCountToEqual(
        value=0,
        severity=FailureSeverity.CRITICAL,
        meta={"name": name, QUERY: query, COLUMNS: list(columns)},
        description=description,
    )
