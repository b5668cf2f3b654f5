"""What must hold in mart.owner_conflicts.

Put here that there are none. What holds of each owner belongs in `ownership`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

EXPECTATIONS: Final[list[Expectation]] = [
    gxe.ExpectTableRowCountToEqual(
        value=0,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "one_owner_at_a_time"},
        description="No two members of a group own a partition at the same time.",
    ),
]
