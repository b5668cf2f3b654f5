"""What must hold in mart.share_redeliveries and mart.share_archived beyond their declarations.

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
    "mart.share_redeliveries": [
        gxe.ExpectColumnValuesToBeBetween(
            column="delivery_count",
            min_value=2,
            severity=FailureSeverity.CRITICAL,
            meta={"name": "delivered_more_than_once"},
            description="What was redelivered was delivered twice or more.",
        ),
    ],
    "mart.share_archived": [
        gxe.ExpectColumnPairValuesAToBeGreaterThanB(
            column_A="attempts_limit",
            column_B="delivery_count",
            ignore_row_if="either_value_is_missing",
            row_condition=Column("cause") == "rejected",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "rejected_below_the_limit"},
            description="What counts as rejected was delivered less often than the limit allows.",
        ),
        gxe.ExpectColumnValuesToNotBeNull(
            column="attempts_limit",
            row_condition=Column("cause") == "out_of_attempts",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "attempts_by_a_limit"},
            description="That attempts ran out is concluded from a limit.",
        ),
    ],
}
