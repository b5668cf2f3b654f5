"""What must hold in core.transactions.

Put here what holds of a transaction as the offsets topic shows it. What its commits did belongs in `commits`.
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
        column_list=["cluster", "log_partition", "producer_id", "log_offset"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "told_once"},
        description="A transaction is told once.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="outcome",
        value_set=["committed", "aborted", "open", "unknown"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "known_outcome"},
        description="A transaction is committed, aborted, open, or it is not known which.",
    ),
    gxe.ExpectColumnValuesToBeNull(
        column="marker_log_offset",
        row_condition=Column("outcome") == "open",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "open_has_no_marker"},
        description="What a marker ended is not open.",
    ),
    gxe.ExpectColumnValuesToNotBeNull(
        column="marker_log_offset",
        row_condition=Column("outcome") != "open",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "ended_by_a_marker"},
        description="Only a marker ends a transaction.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="marker_log_offset",
        column_B="last_log_offset",
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "marker_behind_its_records"},
        description="A marker stands behind the records that it ends.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="last_log_offset",
        column_B="log_offset",
        or_equal=True,
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "last_not_before_first"},
        description="The last record is not before the first.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="record_count",
        min_value=1,
        row_condition=Column("outcome") == "open",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "open_has_records"},
        description="An open transaction is known by its records.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="age_ms",
        min_value=0,
        severity=FailureSeverity.WARNING,
        meta={"name": "age_not_negative"},
        description="A transaction ends after it began; if not, a coordinator's clock went back.",
    ),
]
