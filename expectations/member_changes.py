"""What must hold in mart.member_changes.

Put here what holds of the coming and going of one member. How often somebody does belongs in `churn`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity
from great_expectations.expectations.row_conditions import Column

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

EXPECTATIONS: Final[list[Expectation]] = [
    gxe.ExpectCompoundColumnsToBeUnique(
        column_list=["cluster", "log_partition", "group_id", "log_offset", "member_id", "change"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "told_once"},
        description="A record changes a member once.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="change",
        value_set=["joined", "left", "expired", "left_or_expired", "replaced", "resubscribed"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "known_change"},
        description="There are six ways to change.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="source",
        value_set=["record", "server.log"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "known_source"},
        description="Records say so, or a text log.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="source",
        value_set=["server.log"],
        row_condition=Column("change").is_in(["left", "expired"]),
        severity=FailureSeverity.CRITICAL,
        meta={"name": "only_lines_say_how"},
        description="That a member left, and not expired, only a text log says.",
    ),
    gxe.ExpectColumnValuesToNotBeNull(
        column="replaced_member_id",
        row_condition=Column("change") == "replaced",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "replaced_somebody"},
        description="Who replaced somebody did so with a name.",
    ),
    gxe.ExpectColumnValuesToBeNull(
        column="replaced_member_id",
        row_condition=Column("change") != "replaced",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "others_replaced_nobody"},
        description="Who did something else replaced nobody.",
    ),
]
