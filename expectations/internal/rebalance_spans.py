"""What must hold in internal.rebalance_spans beyond their declarations.

Put here rules that only a human knows. What a declaration says is checked by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

SUITES: Final[dict[str, list[Expectation]]] = {
    "internal.rebalance_spans": [
        gxe.ExpectColumnPairValuesAToBeGreaterThanB(
            column_A="log_offset",
            column_B="before_log_offset",
            or_equal=False,
            ignore_row_if="either_value_is_missing",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "after_what_was_before"},
            description="What was before stands before it in the log.",
        ),
    ],
}
