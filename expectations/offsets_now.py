"""What must hold in mart.offsets_now.

Put here what holds of the offset store at the end of the log. How it came about belongs in `commits`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity
from great_expectations.expectations.row_conditions import Column

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

EXPECTATIONS: Final[list[Expectation]] = [
    gxe.ExpectCompoundColumnsToBeUnique(
        column_list=["cluster", "group_id", "topic", "partition"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "one_offset"},
        description="A group has one offset per partition.",
    ),
    gxe.ExpectColumnValuesToNotBeNull(
        column="current_offset",
        row_condition=Column("is_known") == True,  # noqa: E712 - a condition of Great Expectations
        severity=FailureSeverity.CRITICAL,
        meta={"name": "offset_known"},
        description="What stands in the store is an offset.",
    ),
    gxe.ExpectColumnValuesToBeNull(
        column="current_offset",
        row_condition=Column("is_known") == False,  # noqa: E712 - a condition of Great Expectations
        severity=FailureSeverity.CRITICAL,
        meta={"name": "unknown_is_null"},
        description="What a hole in the log may hide is not claimed.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="current_offset",
        min_value=0,
        severity=FailureSeverity.WARNING,
        meta={"name": "offset_not_negative"},
        description="Offsets begin at 0; a client that commits less has a bug.",
    ),
]
