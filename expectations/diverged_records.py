"""What must hold in raw.diverged_records.

Put here what must hold of second sayings. That there are any is a warning, never a stop: the first one is kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

EXPECTATIONS: Final[list[Expectation]] = [
    gxe.ExpectColumnValuesToNotBeNull(
        column="path",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "file_named"},
        description="A second saying names the file that says so.",
    ),
    gxe.ExpectTableRowCountToEqual(
        value=0,
        severity=FailureSeverity.WARNING,
        meta={"name": "copies_agree"},
        description="All copies of a record of the offsets topic agree.",
    ),
]
