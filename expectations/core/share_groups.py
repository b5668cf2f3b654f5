"""What must hold in core.share_states and core.share_start_offsets beyond their declarations.

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
    "core.share_states": [
        gxe.ExpectColumnValuesToBeInSet(
            column="record_kind",
            value_set=["snapshot", "update", "tombstone"],
            severity=FailureSeverity.WARNING,
            meta={"name": "every_state_decoded"},
            description="Every value has a known layout; else the broker is newer than Lagbook or bytes are damaged.",
        ),
    ],
    "core.share_start_offsets": [
        gxe.ExpectColumnPairValuesAToBeGreaterThanB(
            column_A="to_offset",
            column_B="from_offset",
            ignore_row_if="either_value_is_missing",
            row_condition=Column("cause") == "advanced",
            severity=FailureSeverity.WARNING,
            meta={"name": "advances_go_forward"},
            description="Without a new epoch of the state a start offset moves forward.",
        ),
    ],
}
