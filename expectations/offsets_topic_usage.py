"""What must hold in mart.offsets_topic_usage.

Put here what holds of a sum of records. The records belong in `offset_records`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

EXPECTATIONS: Final[list[Expectation]] = [
    gxe.ExpectCompoundColumnsToBeUnique(
        column_list=["cluster", "log_partition", "group_id", "client_id", "kind"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "billed_once"},
        description="Records are added up once.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="kind",
        value_set=[
            "offset_commit",
            "offset_removal",
            "group",
            "member",
            "target_assignment",
            "current_assignment",
            "topics",
            "transaction_marker",
            "unreadable",
        ],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "known_kind"},
        description="There are nine kinds.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="records",
        min_value=1,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "something_written"},
        description="Nobody is billed for nothing.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="bytes",
        min_value=0,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "bytes_not_negative"},
        description="Bytes are not negative.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="disk_bytes",
        min_value=0,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "disk_bytes_not_negative"},
        description="Bytes are not negative.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="records",
        column_B="no_op_commits",
        or_equal=True,
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "no_ops_are_commits"},
        description="A commit that changes nothing is one of them.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="records",
        column_B="superseded_records",
        or_equal=True,
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "superseded_are_records"},
        description="What was replaced is one of them.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="superseded_records",
        min_value=0,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "superseded_not_negative"},
        description="Nothing is replaced less than never.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="bytes",
        column_B="superseded_bytes",
        or_equal=True,
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "superseded_bytes_are_bytes"},
        description="Its bytes are among theirs.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="last_at",
        column_B="first_at",
        or_equal=True,
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "last_not_before_first"},
        description="The last is not before the first.",
    ),
]
