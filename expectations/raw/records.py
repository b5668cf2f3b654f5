"""What must hold in raw.offset_records, raw.diverged_records, raw.diverged_batches beyond their declarations.

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
    "raw.offset_records": [
        *alike.of_records(),
        gxe.ExpectColumnValuesToBeNull(
            column="undecoded_key",
            severity=FailureSeverity.WARNING,
            meta={"name": "every_key_decoded"},
            description="Every key has a known layout; else the broker is newer than Lagbook or bytes are damaged.",
        ),
        gxe.ExpectColumnValuesToBeNull(
            column="undecoded_value",
            severity=FailureSeverity.WARNING,
            meta={"name": "every_value_decoded"},
            description="Every value has a known layout; else the broker is newer than Lagbook or bytes are damaged.",
        ),
    ],
    "raw.diverged_records": [
        gxe.ExpectTableRowCountToEqual(
            value=0,
            severity=FailureSeverity.WARNING,
            meta={"name": "copies_agree"},
            description="All copies of a record of the offsets topic agree.",
        ),
    ],
    "raw.diverged_batches": [
        gxe.ExpectTableRowCountToEqual(
            value=0,
            severity=FailureSeverity.WARNING,
            meta={"name": "copies_agree"},
            description="All copies of a batch of a data topic agree.",
        ),
    ],
}
