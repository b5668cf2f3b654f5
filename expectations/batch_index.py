"""What must hold in internal.batch_index.

Put here what holds of logs and what could be read of them. How far a group is behind belongs in `lag`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

EXPECTATIONS: Final[list[Expectation]] = [
    gxe.ExpectCompoundColumnsToBeUnique(
        column_list=["cluster", "topic", "partition", "log_end_offset", "reached_at", "source"],
        severity=FailureSeverity.WARNING,
        meta={"name": "reached_once"},
        description="An end is told once by each source and time.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="source",
        value_set=["batch", "segment", "live", "checkpoint"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "known_source"},
        description="An end comes from a batch, an empty segment, a checkpoint or a broker.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="records_lower",
        min_value=0,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "records_not_negative"},
        description="A stretch has no fewer than no records.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="records_upper",
        column_B="records_lower",
        or_equal=True,
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "bounds_of_records"},
        description="The most is not less than the fewest.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="records_upper_through",
        column_B="records_lower_through",
        or_equal=True,
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "bounds_through"},
        description="The same for all records up to there.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="log_end_offset",
        column_B="last_stable_offset",
        or_equal=True,
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "stable_not_beyond_end"},
        description="What is stable is not beyond the end.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="last_offset",
        column_B="base_offset",
        or_equal=True,
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "ends_after_it_begins"},
        description="A stretch has at least one offset.",
    ),
]
