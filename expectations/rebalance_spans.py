"""What must hold in internal.rebalance_spans.

Put here what holds of which records are one rebalance. What it did belongs in `rebalances`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

EXPECTATIONS: Final[list[Expectation]] = [
    gxe.ExpectCompoundColumnsToBeUnique(
        column_list=["cluster", "log_partition", "group_id", "log_offset"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "begun_once"},
        description="A record begins one rebalance of a group.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="last_log_offset",
        column_B="log_offset",
        or_equal=True,
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "ends_after_its_beginning"},
        description="A rebalance ends no sooner than it begins.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="log_offset",
        column_B="before_log_offset",
        or_equal=False,
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "after_what_was_before"},
        description="What was before stands before it in the log.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="generations",
        min_value=0,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "some_generation"},
        description="A rebalance has a generation, but where that can't be known.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="group_type",
        value_set=["classic", "consumer", "share", "streams"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "known_group_type"},
        description="A group is of a kind that Kafka has.",
    ),
]
