"""What must hold in raw.segments, raw.quarantine beyond their declarations.

Put here rules that only a human knows. What a declaration says is checked by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

SUITES: Final[dict[str, list[Expectation]]] = {
    "raw.segments": [
        gxe.ExpectColumnPairValuesAToBeGreaterThanB(
            column_A="end_offset",
            column_B="base_offset",
            or_equal=True,
            ignore_row_if="either_value_is_missing",
            severity=FailureSeverity.WARNING,
            meta={"name": "offsets_go_forward"},
            description="A read ends no lower than it began; else the file is named for another offset.",
        ),
        gxe.ExpectColumnPairValuesAToBeGreaterThanB(
            column_A="size_bytes",
            column_B="end_position",
            or_equal=True,
            ignore_row_if="either_value_is_missing",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "end_in_file"},
            description="A read ends in the file.",
        ),
    ],
    "raw.quarantine": [
        gxe.ExpectTableRowCountToEqual(
            value=0,
            severity=FailureSeverity.WARNING,
            meta={"name": "everything_read"},
            description="Everything could be read.",
        ),
    ],
}
