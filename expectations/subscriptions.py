"""What must hold in core.subscriptions.

Put here what holds of what was wanted. What was given belongs in `assignments`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

EXPECTATIONS: Final[list[Expectation]] = [
    gxe.ExpectCompoundColumnsToBeUnique(
        column_list=["cluster", "log_partition", "log_offset", "member_id", "regex"],
        severity=FailureSeverity.WARNING,
        meta={"name": "told_once"},
        description="A record says once what a member wants.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="to_log_offset",
        column_B="log_offset",
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "ended_by_a_later_record"},
        description="What was said ends with a later record of the log.",
    ),
]
