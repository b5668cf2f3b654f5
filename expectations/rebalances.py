"""What must hold in mart.rebalances.

Put here what holds of a change of generation. What holds of each generation belongs in `generations`.
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
        column_list=["cluster", "log_partition", "log_offset"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "told_once"},
        description="A record of the log ends one rebalance.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="state_after",
        value_set=["Stable", "Empty"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "known_state"},
        description="After a rebalance a group is stable or empty.",
    ),
    gxe.ExpectColumnValuesToNotBeNull(
        column="generation_after",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "generation_known"},
        description="A rebalance makes a generation.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="members_after",
        min_value=1,
        row_condition=Column("state_after") == "Stable",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "stable_has_members"},
        description="A stable group has members.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="members_after",
        min_value=0,
        max_value=0,
        row_condition=Column("state_after") == "Empty",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "empty_has_none"},
        description="An empty group has none.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="partitions_moved",
        min_value=0,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "moved_not_negative"},
        description="What moved is a number of partitions.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="partitions_kept",
        min_value=0,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "kept_not_negative"},
        description="What stayed is a number of partitions.",
    ),
]
