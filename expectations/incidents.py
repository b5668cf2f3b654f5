"""What must hold in mart.incidents.

Put here what an incident must satisfy as a whole. The findings that it is made of belong in `findings`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

EXPECTATIONS: Final[list[Expectation]] = [
    gxe.ExpectCompoundColumnsToBeUnique(
        column_list=["cluster", "incident_id"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "named_once"},
        description="An id names one incident.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="rank",
        min_value=1,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "ranked_from_one"},
        description="The worst one has the rank 1.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="severity",
        value_set=["critical", "high", "medium", "low"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "known_severity"},
        description="There are four severities.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="certainty",
        value_set=["proven", "likely"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "known_certainty"},
        description="An incident is proven or likely: what is only possible is none.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="possible_offsets",
        column_B="certain_offsets",
        or_equal=True,
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "certain_is_possible"},
        description="No more is certain than is possible.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="to_time",
        column_B="detected_at",
        or_equal=True,
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.WARNING,
        meta={"name": "ends_after_it_began"},
        description="It ends no earlier than it was first seen.",
    ),
]
