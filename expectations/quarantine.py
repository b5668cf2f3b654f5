"""What must hold in raw.quarantine.

Put here what must hold of the bytes that were set aside. That there are any is a warning, never a stop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

EXPECTATIONS: Final[list[Expectation]] = [
    gxe.ExpectColumnValuesToNotBeNull(
        column="reason",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "reason_given"},
        description="What is set aside says why.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="position",
        min_value=0,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "position_not_negative"},
        description="What is set aside stands somewhere in its file.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="size_bytes",
        min_value=0,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "size_not_negative"},
        description="What is set aside has a size.",
    ),
    gxe.ExpectTableRowCountToEqual(
        value=0,
        severity=FailureSeverity.WARNING,
        meta={"name": "everything_read"},
        description="Everything could be read.",
    ),
]
