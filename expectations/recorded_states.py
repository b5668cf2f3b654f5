"""What must hold in core.recorded_states.

Put here what holds of a group after a batch. What holds of a generation belongs in `generations`.
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
        column_list=["cluster", "log_partition", "log_offset", "group_id"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "counted_once"},
        description="A group is counted once at a record.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="state",
        value_set=["Empty", "Stable", "Assigning", "Reconciling", "Dead"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "known_state"},
        description="A group is in a state that coordinators know.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="member_count",
        min_value=0,
        max_value=0,
        row_condition=Column("state") == "Empty",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "empty_has_none"},
        description="An empty group has no members.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="member_count",
        min_value=1,
        row_condition=Column("state") == "Stable",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "stable_has_members"},
        description="A stable group has members.",
    ),
    gxe.ExpectColumnValuesToBeNull(
        column="member_count",
        row_condition=Column("state") == "Dead",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "dead_has_no_members"},
        description="A dead group has no members to count.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="to_log_offset",
        column_B="log_offset",
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "ended_by_a_later_record"},
        description="A state ends with a later record of the log.",
    ),
]
