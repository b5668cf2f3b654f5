"""What must hold in mart.member_changes, mart.partition_moves, mart.rebalances beyond their declarations.

Put here rules that only a human knows. What a declaration says is checked by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity
from great_expectations.expectations.row_conditions import Column

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

SUITES: Final[dict[str, list[Expectation]]] = {
    "mart.member_changes": [
        gxe.ExpectColumnValuesToBeInSet(
            column="source",
            value_set=["text_log"],
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
    ],
    "mart.partition_moves": [
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
    ],
    "mart.rebalances": [
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
        gxe.ExpectColumnPairValuesAToBeGreaterThanB(
            column_A="pause_total_ms",
            column_B="pause_ms",
            or_equal=True,
            ignore_row_if="either_value_is_missing",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "all_are_more_than_one"},
            description="All pauses together are no less than the longest.",
        ),
    ],
}
