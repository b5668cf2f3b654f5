"""What must hold in mart.lag, mart.lag_now beyond their declarations.

Put here rules that only a human knows. What a declaration says is checked by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity
from great_expectations.expectations.row_conditions import Column

from expectations import alike

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

SUITES: Final[dict[str, list[Expectation]]] = {
    "mart.lag": [
        *alike.of_log_ends(),
        gxe.ExpectColumnPairValuesAToBeGreaterThanB(
            column_A="lag_upper",
            column_B="records_upper",
            or_equal=True,
            ignore_row_if="either_value_is_missing",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "no_more_records_than_offsets"},
            description="Each record has an offset of its own.",
        ),
        gxe.ExpectColumnPairValuesAToBeGreaterThanB(
            column_A="lag",
            column_B="stable_lag",
            or_equal=True,
            ignore_row_if="either_value_is_missing",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "stable_is_part"},
            description="What is stable is a part of the log.",
        ),
        gxe.ExpectColumnValuesToBeNull(
            column="records",
            row_condition=Column("lag").is_null(),
            severity=FailureSeverity.CRITICAL,
            meta={"name": "unknown_lag_unknown_records"},
            description="Without a known lag records are unknown, not 0.",
        ),
    ],
    "mart.lag_now": [
        *alike.of_log_ends(),
        gxe.ExpectColumnValuesToBeNull(
            column="client_host",
            row_condition=Column("member_id").is_null(),
            severity=FailureSeverity.CRITICAL,
            meta={"name": "nobody_has_no_host"},
            description="Where nobody owns a partition there is no host.",
        ),
    ],
}
