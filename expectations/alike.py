"""Rules that tables have in common: of lag, claims, states and records, made anew for each table that has them.

Put a rule here once a second table has it, word for word. What only one table promises belongs in its module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity
from great_expectations.expectations.row_conditions import Column

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation


def of_log_ends() -> list[Expectation]:
    """Of every table of lag that says the log end it counts to."""
    return [
        gxe.ExpectColumnValuesToBeNull(
            column="lag",
            row_condition=Column("log_end_offset").is_null(),
            severity=FailureSeverity.CRITICAL,
            meta={"name": "unknown_end_unknown_lag"},
            description="Without a known log end lag is unknown, not 0.",
        ),
        gxe.ExpectColumnPairValuesAToBeGreaterThanB(
            column_A="log_end_lower",
            column_B="current_offset",
            or_equal=True,
            ignore_row_if="either_value_is_missing",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "end_not_below_current"},
            description="No log ends below what is committed.",
        ),
    ]


def of_claims() -> list[Expectation]:
    """Of everything that claims something of ranges of offsets."""
    return [
        gxe.ExpectColumnPairValuesAToBeGreaterThanB(
            column_A="certain_from",
            column_B="possible_from",
            or_equal=True,
            ignore_row_if="either_value_is_missing",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "certain_begins_inside"},
            description="What is certain begins inside what is possible.",
        ),
        gxe.ExpectColumnPairValuesAToBeGreaterThanB(
            column_A="possible_to",
            column_B="certain_to",
            or_equal=True,
            ignore_row_if="either_value_is_missing",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "certain_ends_inside"},
            description="What is certain ends inside what is possible.",
        ),
    ]


def of_sure_claims() -> list[Expectation]:
    """Of replays and skips: of what is certain the range is said, and of nothing else."""
    return [
        gxe.ExpectColumnPairValuesAToBeGreaterThanB(
            column_A="possible_to",
            column_B="estimate_to",
            or_equal=True,
            ignore_row_if="either_value_is_missing",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "estimate_ends_inside"},
            description="What is probable ends inside what is possible.",
        ),
        gxe.ExpectColumnValuesToNotBeNull(
            column="certain_from",
            row_condition=Column("certainty") == "proven",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "certain_has_a_range"},
            description="A proven claim says which offsets.",
        ),
        gxe.ExpectColumnValuesToBeNull(
            column="certain_from",
            row_condition=Column("certainty") != "proven",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "others_have_none"},
            description="Any other claim says none.",
        ),
    ]


def of_member_counts() -> list[Expectation]:
    """Of every table that says how many members a group has in a state."""
    return [
        gxe.ExpectColumnValuesToBeBetween(
            column="member_count",
            min_value=0,
            max_value=0,
            row_condition=Column("state") == "Empty",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "empty_has_none"},
            description="An empty group has no members.",
        ),
        gxe.ExpectColumnValuesToBeBetween(
            column="member_count",
            min_value=1,
            row_condition=Column("state").is_in(["Stable", "CompletingRebalance"]),
            severity=FailureSeverity.CRITICAL,
            meta={"name": "stable_has_members"},
            description="A stable group has members.",
        ),
    ]


def of_states() -> list[Expectation]:
    """Of what state a group is in, with how many members, until when."""
    return [
        *of_member_counts(),
        gxe.ExpectColumnValuesToBeNull(
            column="member_count",
            row_condition=Column("state") == "Dead",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "dead_has_no_members"},
            description="A dead group has no members to count.",
        ),
    ]


def of_records() -> list[Expectation]:
    """Of every table that has the records of a topic."""
    return [
        gxe.ExpectColumnValuesToBeNull(
            column="value_bytes",
            row_condition=Column("is_tombstone") == True,  # noqa: E712 - builds a condition
            severity=FailureSeverity.CRITICAL,
            meta={"name": "tombstone_without_value"},
            description="A tombstone has no value.",
        ),
    ]
