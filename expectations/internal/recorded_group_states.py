"""What must hold in internal.recorded_group_states beyond their declarations.

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
    "internal.recorded_group_states": [
        *alike.of_states(),
        gxe.ExpectColumnValuesToBeBetween(
            column="member_count",
            min_value=1,
            row_condition=Column("state") == "Stable",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "stable_has_members"},
            description="A stable group has members.",
        ),
    ],
}
