"""What must hold in core.ownership.

Put here what holds of one owner. That no two own a partition at a time is said in `owner_conflicts`.
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
            "cluster",
            "log_partition",
            "log_offset",
            "group_id",
            "topic",
            "topic_id",
            "partition",
            "member_id",
        ],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "owned_once"},
        description="A record makes a member the owner of a partition once.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="group_type",
        value_set=["classic", "consumer", "streams"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "known_group_type"},
        description="Partitions have owners in groups whose members do not share them.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="until_log_offset",
        column_B="log_offset",
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "ended_by_a_later_record"},
        description="An owner owns a partition until a later record of the log.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="end_reason",
        value_set=["revoked", "left_or_expired", "replaced", "removed", "converted", "unknown"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "known_ending"},
        description="An owner ends in one of the ways that records tell, or unknown.",
    ),
    gxe.ExpectColumnValuesToBeNull(
        column="to_log_offset",
        row_condition=Column("end_reason") == "unknown",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "unknown_has_no_end"},
        description="Where it is not known how it ended, it is not known when.",
    ),
    gxe.ExpectColumnValuesToNotBeNull(
        column="end_reason",
        row_condition=Column("until_log_offset").is_not_null(),
        severity=FailureSeverity.CRITICAL,
        meta={"name": "end_is_explained"},
        description="Of every end it is said how it came about.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="partition",
        min_value=0,
        severity=FailureSeverity.WARNING,
        meta={"name": "partition_not_negative"},
        description="Partitions count from 0.",
    ),
]
