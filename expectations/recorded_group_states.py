"""What must hold in internal.recorded_group_states.

Put here what holds of a group after a batch. What holds of a generation belongs in `generations`.
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
    *alike.of_states(),
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
        min_value=1,
        row_condition=Column("state") == "Stable",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "stable_has_members"},
        description="A stable group has members.",
    ),
]
