"""What must hold in internal.offset_snapshots.

Put here what holds of each store. What holds of the commits in it belongs in `commits`.
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
        column_list=["taken_at", "cluster", "group_id", "topic", "partition"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "one_offset_each"},
        description="In a store a key has one offset.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="taken_at",
        column_B="effective_at",
        or_equal=True,
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "not_before_it_took_effect"},
        description="A store has what had taken effect by then.",
    ),
    gxe.ExpectColumnValuesToBeNull(
        column="committed_offset",
        row_condition=Column("kind") == "removed",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "removed_has_no_offset"},
        description="What was removed has no offset.",
    ),
]
