"""What must hold in mart.assignor_what_if.

Put here what holds of what an assignor would have made of one generation. What the group did belongs in `rebalances`.
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
        column_list=["cluster", "log_partition", "group_id", "log_offset", "assignor"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "asked_once"},
        description="An assignor is asked about a generation once.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="verdict",
        value_set=["as_expected", "differs", "can't be told"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "known_verdict"},
        description="An assignment is as it should be, differs, or it can't be told.",
    ),
    gxe.ExpectColumnValuesToNotBeNull(
        column="reason",
        row_condition=Column("verdict") == "can't be told",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "doubt_is_explained"},
        description="Of what can't be told it is said why.",
    ),
    gxe.ExpectColumnValuesToBeNull(
        column="reason",
        row_condition=Column("verdict") != "can't be told",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "others_need_no_reason"},
        description="What can be told needs no excuse.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="partitions_moved",
        min_value=0,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "moved_not_negative"},
        description="What would have moved is a number of partitions.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="imbalance",
        min_value=0,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "imbalance_not_negative"},
        description="The most is no less than the fewest.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="actual_moved",
        min_value=0,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "given_moved_not_negative"},
        description="What did move is a number of partitions.",
    ),
]
