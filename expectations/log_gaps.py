"""What must hold in core.log_gaps.

Put here what holds of a hole in the offsets topic's log. What it leaves unknown of a key belongs in `stores`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

EXPECTATIONS: Final[list[Expectation]] = [
    gxe.ExpectCompoundColumnsToBeUnique(
        column_list=["cluster", "log_partition", "from_log_offset"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "told_once"},
        description="A hole is told once.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="to_log_offset",
        column_B="from_log_offset",
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "has_offsets"},
        description="A hole has at least one offset.",
    ),
]
