"""What must hold in mart.findings, mart.incidents beyond their declarations.

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
    "mart.findings": [
        *alike.of_claims(),
        gxe.ExpectColumnValuesToNotBeNull(
            column="log_offset",
            row_condition=Column("group_id").is_not_null(),
            severity=FailureSeverity.CRITICAL,
            meta={"name": "names_a_record"},
            description="What concerns a group is shown by a record.",
        ),
    ],
    "mart.incidents": [
        gxe.ExpectColumnPairValuesAToBeGreaterThanB(
            column_A="possible_offsets",
            column_B="certain_offsets",
            or_equal=True,
            ignore_row_if="either_value_is_missing",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "certain_is_possible"},
            description="No more is certain than is possible.",
        ),
        gxe.ExpectColumnPairValuesAToBeGreaterThanB(
            column_A="to_time",
            column_B="detected_at",
            or_equal=True,
            ignore_row_if="either_value_is_missing",
            severity=FailureSeverity.WARNING,
            meta={"name": "ends_after_it_began"},
            description="It ends no earlier than it was first seen.",
        ),
    ],
}
