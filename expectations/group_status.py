"""What must hold in mart.group_status.

Put here what holds of verdicts over groups. What holds of their lag belongs in `lag`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

EXPECTATIONS: Final[list[Expectation]] = [
    gxe.ExpectCompoundColumnsToBeUnique(
        column_list=["cluster", "group_id", "as_of"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "one_verdict"},
        description="At an instant a group has one verdict.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="status",
        value_set=["OK", "WARN", "ERR"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "known_status"},
        description="A group is OK, WARN or ERR.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="strict_status",
        value_set=["OK", "WARN", "ERR"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "known_strict_status"},
        description="The same, judged more strictly.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="complete",
        min_value=0,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "share_not_negative"},
        description="A share is not negative.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="lag",
        min_value=0,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "lag_not_negative"},
        description="Nobody is ahead of logs whose ends are known.",
    ),
]
