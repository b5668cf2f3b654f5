"""What must hold in core.group_states beyond their declarations.

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
    "core.group_states": [
        *alike.of_states(),
        gxe.ExpectColumnValuesToNotBeNull(
            column="line",
            row_condition=Column("source") == "text_log",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "line_is_named"},
            description="Of what a text log tells it is said where.",
        ),
        gxe.ExpectColumnValuesToNotBeNull(
            column="log_offset",
            row_condition=Column("source") == "record",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "record_is_named"},
            description="Of what a record tells it is said where.",
        ),
        gxe.ExpectColumnValuesToBeInSet(
            column="source",
            value_set=["text_log"],
            row_condition=Column("state").is_in(["PreparingRebalance", "CompletingRebalance"]),
            severity=FailureSeverity.CRITICAL,
            meta={"name": "rebalances_are_not_recorded"},
            description="That a rebalance is going on only a text log tells.",
        ),
        gxe.ExpectColumnPairValuesAToBeGreaterThanB(
            column_A="to_at",
            column_B="from_at",
            or_equal=True,
            ignore_row_if="either_value_is_missing",
            row_condition=Column("source") == "text_log",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "ends_after_it_began"},
            description="What a line tells ends no sooner than it began.",
        ),
    ],
}
