"""What must hold in core.members.

Put here what holds of a member in a generation. What holds of the generation belongs in `generations`.
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
    gxe.ExpectColumnValuesToNotBeNull(
        column="generation",
        row_condition=Column("group_type") == "classic",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "member_of_a_generation"},
        description="A member of a classic group belongs to a generation.",
    ),
    *alike.of_spans("What was said of a member"),
    gxe.ExpectColumnValuesToBeInSet(
        column="state",
        value_set=["stable", "unrevoked", "unreleased", "away"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "known_state"},
        description="A member is in a state that coordinators know.",
    ),
    gxe.ExpectColumnValuesToNotBeNull(
        column="log_offset",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "log_offset_known"},
        description="A member was written by a record.",
    ),
    gxe.ExpectCompoundColumnsToBeUnique(
        column_list=["cluster", "log_partition", "log_offset", "member_id"],
        severity=FailureSeverity.WARNING,
        meta={"name": "listed_once"},
        description="A generation lists a member once.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="generation",
        min_value=0,
        severity=FailureSeverity.WARNING,
        meta={"name": "generation_not_negative"},
        description="Generations count from 0.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="session_timeout_ms",
        min_value=0,
        severity=FailureSeverity.WARNING,
        meta={"name": "session_timeout_not_negative"},
        description="A timeout is not negative.",
    ),
]
