"""What must hold in internal.group_partitions.

Put here what holds of where groups are. What holds of their commits belongs in `commits`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

EXPECTATIONS: Final[list[Expectation]] = [
    gxe.ExpectCompoundColumnsToBeUnique(
        column_list=["cluster", "group_id", "log_partition"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "one_row_each"},
        description="A place has one row.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="commits",
        min_value=0,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "counts_commits"},
        description="A place has commits.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="last_log_offset",
        column_B="first_log_offset",
        or_equal=True,
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "last_not_before_first"},
        description="The last commit is not before the first.",
    ),
]
