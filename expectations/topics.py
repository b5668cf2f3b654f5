"""What must hold in core.topics.

Put here what holds of topics and their ids. What holds of each saying belongs in `topic_names`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

EXPECTATIONS: Final[list[Expectation]] = [
    gxe.ExpectCompoundColumnsToBeUnique(
        column_list=["cluster", "topic_id", "topic"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "told_once"},
        description="A life of a topic is one row.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="last_seen_at",
        column_B="first_seen_at",
        or_equal=True,
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "last_not_before_first"},
        description="What was last seen was seen no earlier than first.",
    ),
]
