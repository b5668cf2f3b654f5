"""What must hold in core.quarantine beyond their declarations.

Put here rules that only a human knows. What a declaration says is checked by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

SUITES: Final[dict[str, list[Expectation]]] = {
    "core.quarantine": [
        gxe.ExpectTableRowCountToEqual(
            value=0,
            severity=FailureSeverity.WARNING,
            meta={"name": "everything_usable"},
            description="Every record could be used.",
        ),
    ],
}
