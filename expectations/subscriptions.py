"""What must hold in core.subscriptions.

Put here what holds of what was wanted. What was given belongs in `assignments`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity

from expectations import alike

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

EXPECTATIONS: Final[list[Expectation]] = [
    gxe.ExpectCompoundColumnsToBeUnique(
        column_list=["cluster", "log_partition", "log_offset", "member_id", "regex"],
        severity=FailureSeverity.WARNING,
        meta={"name": "told_once"},
        description="A record says once what a member wants.",
    ),
    *alike.of_spans("What was said"),
]
