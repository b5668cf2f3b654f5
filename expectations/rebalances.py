"""What must hold in mart.rebalances.

Put here what holds of a rebalance as a whole. What holds of each generation belongs in `generations`.
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
        column_list=["cluster", "log_partition", "group_id", "log_offset"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "told_once"},
        description="A record of the log begins one rebalance of a group.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="state_after",
        value_set=["Stable", "Empty", "Assigning", "Reconciling"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "known_state"},
        description="After a rebalance a group is stable or empty, or it goes on.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="trigger",
        value_set=[
            "join",
            "leave",
            "expired",
            "left_or_expired",
            "members_changed",
            "subscription_change",
            "partitions_added",
            "static_replacement",
            "leader_rejoin",
            "protocol_change",
            "coordinator_failover",
            "unknown",
        ],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "known_trigger"},
        description="A rebalance is caused by something on the list, or unknown.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="certainty",
        value_set=["proven", "likely"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "known_certainty"},
        description="A cause is proven or likely.",
    ),
    gxe.ExpectColumnValuesToBeNull(
        column="certainty",
        row_condition=Column("trigger") == "unknown",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "unknown_is_not_certain"},
        description="Of no cause nothing is certain.",
    ),
    gxe.ExpectColumnValuesToNotBeNull(
        column="trigger_source",
        row_condition=Column("trigger") != "unknown",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "cause_has_a_source"},
        description="Of every cause it is said where it is from.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="started_source",
        value_set=["record", "server.log"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "known_source"},
        description="Records say when it began, or a text log.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="members_after",
        min_value=1,
        row_condition=Column("state_after") == "Stable",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "stable_has_members"},
        description="A stable group has members.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="members_after",
        min_value=0,
        max_value=0,
        row_condition=Column("state_after") == "Empty",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "empty_has_none"},
        description="An empty group has none.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="partitions_moved",
        min_value=0,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "moved_not_negative"},
        description="What moved is a number of partitions.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="partitions_kept",
        min_value=0,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "kept_not_negative"},
        description="What stayed is a number of partitions.",
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
        column="pause_total_ms",
        min_value=0,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "total_not_negative"},
        description="All pauses together take no less than no time.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="pause_total_ms",
        column_B="pause_ms",
        or_equal=True,
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "all_are_more_than_one"},
        description="All pauses together are no less than the longest.",
    ),
]
