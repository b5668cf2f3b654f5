"""What must hold in mart.not_excluded.

Put here what holds of the claims of a group together. What single claims promise belongs in the module of their mart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

EXPECTATIONS: Final[list[Expectation]] = [
    gxe.ExpectCompoundColumnsToBeUnique(
        column_list=["cluster", "group_id", "kind"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "one_row_of_a_kind"},
        description="A group has one row of each kind.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="kind",
        value_set=["replay", "skip", "diverged", "no_commits"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "known_kind"},
        description="There are four kinds of what can't be excluded.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="claims",
        min_value=1,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "has_claims"},
        description="A row stands for at least one claim.",
    ),
]
