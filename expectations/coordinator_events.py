"""What must hold in raw.coordinator_events.

Put here what holds of a line that a coordinator wrote. What it means for a group belongs in the tables of `core`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

EXPECTATIONS: Final[list[Expectation]] = [
    gxe.ExpectCompoundColumnsToBeUnique(
        column_list=["cluster", "broker_id", "logged_at", "message", "repeat"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "kept_once"},
        description="A line is kept once, however many logs it stands in.",
    ),
    gxe.ExpectColumnValuesToNotBeNull(
        column="logged_at",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "time_known"},
        description="A line has a time, or it tells nothing.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="line",
        min_value=1,
        severity=FailureSeverity.WARNING,
        meta={"name": "line_counted_from_one"},
        description="Lines are counted as an editor counts them.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="to_state",
        value_set=["PreparingRebalance", "CompletingRebalance", "Stable", "Empty", "Dead"],
        severity=FailureSeverity.WARNING,
        meta={"name": "known_state"},
        description="A classic group goes to one of its five states.",
    ),
]
