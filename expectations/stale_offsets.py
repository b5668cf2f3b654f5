"""What must hold in mart.stale_offsets.

Put here what holds of offsets that nobody moves. When they expire belongs in `expiry_forecast`.
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
    *alike.of_lag(),
    *alike.of_group_types(),
    gxe.ExpectCompoundColumnsToBeUnique(
        column_list=["cluster", "group_id", "topic", "partition"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "abandoned_once"},
        description="An offset is told once.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="cause",
        value_set=["topic_recreated", "topic_deleted", "group_removed", "no_members", "not_subscribed"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "known_reason"},
        description="There are five reasons.",
    ),
    gxe.ExpectColumnValuesToNotBeNull(
        column="since",
        row_condition=Column("cause") == "topic_deleted",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "removed_at_a_time"},
        description="A removal is a record, with its time where records have one.",
    ),
]
