"""What must hold in mart.log_coverage.

Put here what holds of the intervals of a log. What single reads saw belongs in `segments`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

EXPECTATIONS: Final[list[Expectation]] = [
    gxe.ExpectCompoundColumnsToBeUnique(
        column_list=["cluster", "topic", "partition", "from_offset"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "begun_once"},
        description="One interval begins at an offset.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="to_offset",
        column_B="from_offset",
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "ends_after_its_beginning"},
        description="An interval has offsets.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="status",
        value_set=["whole", "gaps", "never", "retired"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "known_verdict"},
        description="An interval was seen whole, with gaps, or never; or it was, and was retired.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="status",
        value_set=["whole", "gaps", "retired"],
        severity=FailureSeverity.WARNING,
        meta={"name": "nothing_unseen"},
        description="Between the first and the last offset of a log nothing is missing.",
    ),
]
