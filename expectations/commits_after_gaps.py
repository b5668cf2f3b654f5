"""What must hold in internal.commits_after_gaps.

Put here what holds of commits behind a hole in the log. What holds of the hole itself belongs in `holes`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

EXPECTATIONS: Final[list[Expectation]] = [
    gxe.ExpectCompoundColumnsToBeUnique(
        column_list=["cluster", "log_partition", "log_offset"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "told_once"},
        description="A commit is told once.",
    ),
]
