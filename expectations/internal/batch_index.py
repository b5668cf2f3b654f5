"""What must hold in internal.batch_index beyond their declarations.

Put here rules that only a human knows. What a declaration says is checked by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

SUITES: Final[dict[str, list[Expectation]]] = {
    "internal.batch_index": [
        gxe.ExpectColumnPairValuesAToBeGreaterThanB(
            column_A="log_end_offset",
            column_B="last_stable_offset",
            or_equal=True,
            ignore_row_if="either_value_is_missing",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "stable_not_beyond_end"},
            description="What is stable is not beyond the end.",
        ),
    ],
}
