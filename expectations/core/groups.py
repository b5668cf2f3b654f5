"""What must hold in core.generations, core.members beyond their declarations.

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
    "core.generations": [
        gxe.ExpectColumnValuesToNotBeNull(
            column="generation",
            row_condition=(Column("state") != "Removed") & (Column("state") != "Converted"),
            severity=FailureSeverity.WARNING,
            meta={"name": "standing_has_generation"},
            description="A group that stands has a generation.",
        ),
        gxe.ExpectColumnValuesToBeNull(
            column="generation",
            row_condition=Column("state") == "Removed",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "removed_has_no_generation"},
            description="A group that was removed has none.",
        ),
        *alike.of_member_counts(),
        gxe.ExpectColumnPairValuesAToBeGreaterThanB(
            column_A="generation",
            column_B="generation_before",
            or_equal=True,
            ignore_row_if="either_value_is_missing",
            severity=FailureSeverity.WARNING,
            meta={"name": "generations_go_forward"},
            description="Within one life of a group generations don't go back; else a number was given out again.",
        ),
    ],
    "core.members": [
        gxe.ExpectColumnValuesToNotBeNull(
            column="generation",
            row_condition=Column("group_type") == "classic",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "member_of_a_generation"},
            description="A member of a classic group belongs to a generation.",
        ),
    ],
}
