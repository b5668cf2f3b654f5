"""What must hold in raw.internal_records and raw.diverged_internal_records beyond their declarations.

Put here rules that only a human knows. What a declaration says is checked by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity

from expectations import alike

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

SUITES: Final[dict[str, list[Expectation]]] = {
    "raw.internal_records": [
        *alike.of_records(),
    ],
    "raw.diverged_internal_records": [
        gxe.ExpectTableRowCountToEqual(
            value=0,
            severity=FailureSeverity.WARNING,
            meta={"name": "copies_agree"},
            description="All copies of a record of an internal topic agree.",
        ),
    ],
}
