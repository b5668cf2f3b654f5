"""What must hold in mart.churn.

Put here what holds of how often somebody comes and goes. Each time belongs in `member_changes`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

EXPECTATIONS: Final[list[Expectation]] = [
    gxe.ExpectCompoundColumnsToBeUnique(
        column_list=["cluster", "group_id", "dimension", "name"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "counted_once"},
        description="Somebody is counted once in a group.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="dimension",
        value_set=["member", "instance", "client", "host"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "known_count"},
        description="Somebody is a member, an instance, a client or a host.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="rebalances",
        min_value=1,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "had_a_part"},
        description="Whoever is counted had a part in a rebalance.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="share",
        min_value=0,
        max_value=1,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "share_of_a_whole"},
        description="A share is a part of a whole.",
    ),
]
