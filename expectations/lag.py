"""What must hold in mart.lag.

Put here what holds of lag at any time. What holds of lag and owners now belongs in `lag_now`.
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
    gxe.ExpectCompoundColumnsToBeUnique(
        column_list=["cluster", "log_partition", "log_offset", "as_of", "kind", "group_id", "topic", "partition"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "told_once"},
        description="Of an instant lag is told once.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="records_lower",
        min_value=0,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "records_lower_not_negative"},
        description="Nobody has fewer than no records to read.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="seconds_lower",
        min_value=0,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "seconds_lower_not_negative"},
        description="Nobody is behind by less than no time.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="stable_lag",
        min_value=0,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "stable_lag_not_negative"},
        description="Nobody is ahead of what is stable.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="records_upper",
        column_B="records_lower",
        or_equal=True,
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "bounds_of_records"},
        description="The most records are not fewer than the fewest.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="seconds_upper",
        column_B="seconds_lower",
        or_equal=True,
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "bounds_of_seconds"},
        description="The longest time is not shorter than the shortest.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="lag_upper",
        column_B="records_upper",
        or_equal=True,
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "no_more_records_than_offsets"},
        description="Each record has an offset of its own.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="lag",
        column_B="stable_lag",
        or_equal=True,
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "stable_is_part"},
        description="What is stable is a part of the log.",
    ),
    gxe.ExpectColumnValuesToBeNull(
        column="records",
        row_condition=Column("lag").is_null(),
        severity=FailureSeverity.CRITICAL,
        meta={"name": "unknown_lag_unknown_records"},
        description="Without a known lag records are unknown, not 0.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="kind",
        value_set=["commit", "grid"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "known_point"},
        description="Lag is told as of commits and as of a grid.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="method",
        value_set=["log_end", "batches", "log_ends"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "known_method"},
        description="There are three ways to know lag.",
    ),
]
