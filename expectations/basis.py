"""What must hold in mart.basis.

Put here what holds of how much was seen. Which offsets they were belongs in `completeness`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

EXPECTATIONS: Final[list[Expectation]] = [
    gxe.ExpectCompoundColumnsToBeUnique(
        column_list=["cluster", "topic", "partition"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "one_row_of_a_partition"},
        description="A partition has one row.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="history_offsets",
        column_B="unseen_offsets",
        or_equal=True,
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "no_more_unseen_than_there_are"},
        description="No more offsets are unseen than the log ever had.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="log_ends_from",
        value_set=["segments", "samples"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "known_source"},
        description="A log end is known from data segments or from samples.",
    ),
]
