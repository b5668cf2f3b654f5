"""What must hold in mart.log_divergence.

Put here what every finding must satisfy. The copies it rests on belong in `diverged_batches` and `diverged_records`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity
from great_expectations.expectations.row_conditions import Column

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

EXPECTATIONS: Final[list[Expectation]] = [
    gxe.ExpectCompoundColumnsToBeUnique(
        column_list=[
            *("cluster", "kind", "topic", "partition", "broker_id", "path"),
            *("group_id", "other_epoch", "log_partition"),
        ],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "found_once"},
        description="What contradicts is told once.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="to_offset",
        column_B="from_offset",
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "range_not_empty"},
        description="A finding is about at least one offset.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="kind",
        value_set=[
            "truncated_records",
            "copies_differ",
            "two_installations",
            "commit_of_truncated_records",
            "commit_ahead_of_log",
            "group_in_wrong_partition",
        ],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "known_kind"},
        description="There are six kinds of contradictions.",
    ),
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
    gxe.ExpectColumnValuesToBeBetween(
        column="occurrences",
        min_value=1,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "seen_at_least_once"},
        description="Something says so.",
    ),
]
