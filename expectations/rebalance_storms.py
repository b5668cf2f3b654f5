"""What must hold in mart.rebalance_storms.

Put here what holds of many rebalances close together. A single one belongs in `rebalances`.
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
        description="A rebalance begins one storm.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="pattern",
        value_set=["member_returns", "same_cause", "mostly_stopped", "group_restarts"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "known_pattern"},
        description="There are four patterns that make a storm.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="rounds",
        min_value=3,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "enough_for_a_storm"},
        description="What comes back fewer than three times makes no storm.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="to_at",
        column_B="from_at",
        or_equal=True,
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "ends_after_its_beginning"},
        description="A storm ends no sooner than it begins.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="worst_member_share",
        min_value=0,
        max_value=1,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "share_of_a_whole"},
        description="A share is a part of a whole.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="worst_client_host_share",
        min_value=0,
        max_value=1,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "host_share_of_a_whole"},
        description="A share is a part of a whole.",
    ),
]
