"""What must hold in core.assignments.

Put here what holds of what was given. Who owned a partition belongs in `ownership`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity

from expectations import alike

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

EXPECTATIONS: Final[list[Expectation]] = [
    gxe.ExpectCompoundColumnsToBeUnique(
        column_list=["cluster", "log_partition", "log_offset", "member_id", "kind", "topic", "topic_id"],
        severity=FailureSeverity.WARNING,
        meta={"name": "told_once"},
        description="A record names a topic once in a list.",
    ),
    *alike.of_spans("What was said"),
    gxe.ExpectColumnValuesToBeInSet(
        column="kind",
        value_set=["assigned", "revoking", "target"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "known_list"},
        description="A member has a topic, has to give it up, or is to have it.",
    ),
]
