"""What must hold in mart.log_coverage, mart.basis beyond their declarations.

Put here rules that only a human knows. What a declaration says is checked by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

SUITES: Final[dict[str, list[Expectation]]] = {
    "mart.log_coverage": [
        gxe.ExpectColumnValuesToBeInSet(
            column="status",
            value_set=["whole", "gaps", "retired"],
            severity=FailureSeverity.WARNING,
            meta={"name": "nothing_unseen"},
            description="Between the first and the last offset of a log nothing is missing.",
        ),
    ],
    "mart.basis": [
        gxe.ExpectColumnPairValuesAToBeGreaterThanB(
            column_A="history_offsets",
            column_B="unseen_offsets",
            or_equal=True,
            ignore_row_if="either_value_is_missing",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "no_more_unseen_than_there_are"},
            description="No more offsets are unseen than the log ever had.",
        ),
    ],
}
