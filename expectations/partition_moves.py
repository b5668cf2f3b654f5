"""What must hold in mart.partition_moves.

Put here what holds of one partition in one rebalance. Who owned what when belongs in `ownership`.
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
        column_list=["cluster", "log_partition", "group_id", "rebalance_log_offset", "topic", "partition"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "moved_once"},
        description="In one rebalance a partition has one fate.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="kind",
        value_set=["moved", "kept", "lost", "gained"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "known_fate"},
        description="There are four fates.",
    ),
    gxe.ExpectColumnValuesToNotBeNull(
        column="from_member_id",
        row_condition=Column("kind").is_in(["moved", "kept", "lost"]),
        severity=FailureSeverity.CRITICAL,
        meta={"name": "taken_from_somebody"},
        description="What was moved, kept or lost had an owner.",
    ),
    gxe.ExpectColumnValuesToNotBeNull(
        column="to_member_id",
        row_condition=Column("kind").is_in(["moved", "kept", "gained"]),
        severity=FailureSeverity.CRITICAL,
        meta={"name": "given_to_somebody"},
        description="What was moved, kept or taken up has one.",
    ),
    gxe.ExpectColumnValuesToBeNull(
        column="to_member_id",
        row_condition=Column("kind") == "lost",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "lost_has_no_owner"},
        description="What was lost has no owner.",
    ),
    gxe.ExpectColumnValuesToBeNull(
        column="from_member_id",
        row_condition=Column("kind") == "gained",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "taken_up_had_no_owner"},
        description="What was taken up had none.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="pause_ms",
        min_value=0,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "pause_not_negative"},
        description="A pause takes no less than no time.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="pause_lower_ms",
        min_value=0,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "least_not_negative"},
        description="What is sure of a pause takes no less than no time.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="partition",
        min_value=0,
        severity=FailureSeverity.WARNING,
        meta={"name": "partition_not_negative"},
        description="Partitions count from 0.",
    ),
]
