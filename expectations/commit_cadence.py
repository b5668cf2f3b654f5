"""What must hold in mart.commit_cadence.

Put here what holds of the numbers behind a pattern. The commits they are of belong in `commits`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity
from great_expectations.expectations.row_conditions import Column

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

LEAST_INTERVALS: Final = 10
EXPECTATIONS: Final[list[Expectation]] = [
    gxe.ExpectCompoundColumnsToBeUnique(
        column_list=["cluster", "group_id", "topic", "partition"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "one_pattern"},
        description="A group commits a partition in one way.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="pattern",
        value_set=["auto_commit", "per_batch", "per_record", "asynchronous", "idle", "transactional", "unknown"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "known_pattern"},
        description="There are seven patterns.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="commits",
        min_value=1,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "something_committed"},
        description="Only what was committed has a pattern.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="interval_p50_ms",
        min_value=0,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "interval_not_negative"},
        description="No commit comes before the one before it.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="interval_p95_ms",
        column_B="interval_p50_ms",
        or_equal=True,
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "quantiles_in_order"},
        description="What nineteen in twenty keep is no less than what half do.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="interval_max_ms",
        column_B="interval_p95_ms",
        or_equal=True,
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "longest_is_longest"},
        description="None is longer than the longest.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="offsets_p95",
        column_B="offsets_p50",
        or_equal=True,
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "steps_in_order"},
        description="What nineteen in twenty keep is no less than what half do.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="offsets_p50",
        min_value=1,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "steps_go_forward"},
        description="A commit that goes forward goes over at least one offset.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="no_op_share",
        min_value=0,
        max_value=1,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "no_op_share_is_a_share"},
        description="A share lies between 0 and 1.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="transactional_share",
        min_value=0,
        max_value=1,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "transactional_share_is_a_share"},
        description="A share lies between 0 and 1.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="at_once_share",
        min_value=0,
        max_value=1,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "at_once_share_is_a_share"},
        description="A share lies between 0 and 1.",
    ),
    gxe.ExpectColumnValuesToNotBeNull(
        column="auto_commit_ms",
        row_condition=Column("pattern") == "auto_commit",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "timer_has_a_time"},
        description="A timer has an interval.",
    ),
    gxe.ExpectColumnValuesToBeNull(
        column="at_risk_ms",
        row_condition=Column("intervals") < LEAST_INTERVALS,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "too_little_tells_nothing"},
        description="From fewer than ten intervals nothing is concluded.",
    ),
]
