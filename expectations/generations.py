"""What must hold in core.generations.

Put here what holds of every written state of a group. What changed between two belongs in `rebalances`.
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
    gxe.ExpectCompoundColumnsToBeUnique(
        column_list=["cluster", "log_partition", "log_offset"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "written_once"},
        description="A state is written by one record.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="state",
        value_set=["Stable", "Empty", "Assigning", "Reconciling", "Removed", "Converted"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "known_state"},
        description="A group is in a state that coordinators know, was removed, or became another kind.",
    ),
    gxe.ExpectColumnValuesToNotBeNull(
        column="generation",
        row_condition=(Column("state") != "Removed") & (Column("state") != "Converted"),
        severity=FailureSeverity.WARNING,
        meta={"name": "standing_has_generation"},
        description="A group that stands has a generation.",
    ),
    gxe.ExpectColumnValuesToBeNull(
        column="generation",
        row_condition=Column("state") == "Removed",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "removed_has_no_generation"},
        description="A group that was removed has none.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="member_count",
        min_value=1,
        row_condition=Column("state") == "Stable",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "stable_has_members"},
        description="A stable group has members.",
    ),
    *alike.of_empty_groups(),
    *alike.of_spans("A state"),
    gxe.ExpectColumnValuesToBeBetween(
        column="generation",
        min_value=0,
        severity=FailureSeverity.WARNING,
        meta={"name": "generation_not_negative"},
        description="Generations count from 0.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="generation",
        column_B="generation_before",
        or_equal=True,
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.WARNING,
        meta={"name": "generations_go_forward"},
        description="Within one life of a group generations don't go back; else a number was given out again.",
    ),
]
