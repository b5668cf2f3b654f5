"""What must hold in mart.log_divergence, mart.producer_duplicates beyond their declarations.

Put here rules that only a human knows. What a declaration says is checked by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity
from great_expectations.expectations.row_conditions import Column

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

SUITES: Final[dict[str, list[Expectation]]] = {
    "mart.log_divergence": [
        gxe.ExpectColumnPairValuesAToBeGreaterThanB(
            column_A="archived_epoch",
            column_B="other_epoch",
            row_condition=Column("kind") == "commit_of_truncated_records",
            ignore_row_if="either_value_is_missing",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "lost_to_a_later_epoch"},
            description="A log loses its end to a leader of a later epoch.",
        ),
        gxe.ExpectColumnValuesToNotBeNull(
            column="home_partition",
            row_condition=Column("kind") == "group_in_wrong_partition",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "has_a_home"},
            description="A group that is elsewhere belongs somewhere.",
        ),
        gxe.ExpectColumnValuesToBeNull(
            column="home_partition",
            severity=FailureSeverity.WARNING,
            meta={"name": "groups_are_at_home"},
            description="Every group is in its right partition of the offsets topic; if not, somebody else wrote there,"
            " or the topic was given more partitions.",
        ),
    ],
    "mart.producer_duplicates": [
        gxe.ExpectColumnPairValuesAToBeGreaterThanB(
            column_A="from_offset",
            column_B="first_from",
            ignore_row_if="either_value_is_missing",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "copy_is_later"},
            description="A copy stands behind the first one.",
        ),
        gxe.ExpectColumnValuesToNotBeNull(
            column="producer_id",
            row_condition=Column("kind") != "same_bytes",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "counted_by_somebody"},
            description="Numbers are some producer's.",
        ),
        gxe.ExpectColumnValuesToBeInSet(
            column="certainty",
            value_set=["likely"],
            row_condition=Column("kind") == "same_bytes",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "same_bytes_are_no_proof"},
            description="An application may send the same twice.",
        ),
    ],
}
