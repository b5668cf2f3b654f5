"""What must hold in mart.lag_now.

Put here what holds of lag and owners. What holds of the offsets themselves belongs in `offsets_now`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity
from great_expectations.expectations.row_conditions import Column

from expectations import alike

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

EXPECTATIONS: Final[list[Expectation]] = [
    *alike.of_lag(),
    *alike.of_log_ends(),
    gxe.ExpectColumnValuesToBeNull(
        column="client_host",
        row_condition=Column("member_id").is_null(),
        severity=FailureSeverity.CRITICAL,
        meta={"name": "nobody_has_no_host"},
        description="Where nobody owns a partition there is no host.",
    ),
    gxe.ExpectCompoundColumnsToBeUnique(
        column_list=["cluster", "group_id", "topic", "partition"],
        severity=FailureSeverity.WARNING,
        meta={"name": "one_owner"},
        description="A partition has one owner; else the group's assignor gave it out twice.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="log_end_offset",
        column_B="log_start_offset",
        or_equal=True,
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.WARNING,
        meta={"name": "log_end_not_before_start"},
        description="A log ends where it begins or later; else its data files were not all read.",
    ),
]
