"""What must hold in core.assignments.

Put here what holds of what was given. Who owned a partition belongs in `ownership`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

EXPECTATIONS: Final[list[Expectation]] = [
    gxe.ExpectCompoundColumnsToBeUnique(
        column_list=["cluster", "log_partition", "log_offset", "member_id", "what", "topic", "topic_id"],
        severity=FailureSeverity.WARNING,
        meta={"name": "told_once"},
        description="A record names a topic once in a list.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="to_log_offset",
        column_B="log_offset",
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "ended_by_a_later_record"},
        description="What was said ends with a later record of the log.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="what",
        value_set=["assigned", "revoking", "target"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "known_list"},
        description="A member has a topic, has to give it up, or is to have it.",
    ),
]
