"""What must hold in internal.offset_snapshots beyond their declarations.

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
    "internal.offset_snapshots": [
        gxe.ExpectColumnPairValuesAToBeGreaterThanB(
            column_A="taken_at",
            column_B="effective_at",
            or_equal=True,
            ignore_row_if="either_value_is_missing",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "not_before_it_took_effect"},
            description="A store has what had taken effect by then.",
        ),
        gxe.ExpectColumnValuesToBeNull(
            column="committed_offset",
            row_condition=Column("kind") == "removed",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "removed_has_no_offset"},
            description="What was removed has no offset.",
        ),
    ],
}
