"""What must hold in core.log_end_bounds.

Put here what holds of ends that are known within bounds. What holds of ends that are known belongs in `log_ends`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

EXPECTATIONS: Final[list[Expectation]] = [
    gxe.ExpectCompoundColumnsToBeUnique(
        column_list=["cluster", "topic", "partition", "from_at"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "one_row_each"},
        description="From an instant on a log has one row.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="to_at",
        column_B="from_at",
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "lasts"},
        description="What is not known is not known for a while.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="log_end_upper",
        column_B="log_end_lower",
        or_equal=True,
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "bounds_of_the_end"},
        description="The upper bound is not below the lower one.",
    ),
]
