"""What must hold in core.quarantine.

Put here what must hold of the records that the reconstruction could not use. That there are any is a warning, never a
stop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

EXPECTATIONS: Final[list[Expectation]] = [
    gxe.ExpectColumnValuesToBeInSet(
        column="reason",
        value_set=[
            "no_producer",
            "no_control_type",
            "marker_outside_transaction",
            "no_topic",
            "no_partition",
            "no_offset",
            "no_member",
        ],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "known_reason"},
        description="What is set aside breaks an assumption that has a name.",
    ),
    gxe.ExpectTableRowCountToEqual(
        value=0,
        severity=FailureSeverity.WARNING,
        meta={"name": "everything_usable"},
        description="Every record could be used.",
    ),
]
