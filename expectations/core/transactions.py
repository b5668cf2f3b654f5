"""What must hold in core.transactions beyond their declarations.

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
    "core.transactions": [
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
        gxe.ExpectColumnValuesToBeBetween(
            column="record_count",
            min_value=1,
            row_condition=Column("outcome") == "open",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "open_has_records"},
            description="An open transaction is known by its records.",
        ),
    ],
}
