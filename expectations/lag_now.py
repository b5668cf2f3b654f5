"""What must hold in mart.lag_now.

Put here what holds of lag and owners. What holds of the offsets themselves belongs in `offsets_now`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity
from great_expectations.expectations.row_conditions import Column

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

EXPECTATIONS: Final[list[Expectation]] = [
    gxe.ExpectColumnValuesToBeBetween(
        column="lag",
        min_value=0,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "lag_not_negative"},
        description="Nobody is ahead of a log whose end is known.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="lost",
        min_value=0,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "lost_not_negative"},
        description="What was lost is a number of offsets.",
    ),
    gxe.ExpectColumnValuesToBeNull(
        column="lag",
        row_condition=Column("log_end_offset").is_null(),
        severity=FailureSeverity.CRITICAL,
        meta={"name": "unknown_end_unknown_lag"},
        description="Without a known log end lag is unknown, not 0.",
    ),
    gxe.ExpectColumnValuesToBeNull(
        column="host",
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
