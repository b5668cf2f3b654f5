"""What must hold in raw.retired_ranges.

Put here what the account of a retirement must add up to. What was seen before belongs in `segments`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

EXPECTATIONS: Final[list[Expectation]] = [
    gxe.ExpectCompoundColumnsToBeUnique(
        column_list=["cluster", "topic", "partition", "retired_at"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "retired_once"},
        description="A log is retired from once at a time.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="to_offset",
        column_B="from_offset",
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "ends_after_its_beginning"},
        description="What was retired has offsets.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="row_count",
        min_value=1,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "something_retired"},
        description="Something was retired.",
    ),
]
