"""What must hold in mart.replays.

Put here what every claim of a replay must satisfy. The commits it rests on belong in `commits`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity
from great_expectations.expectations.row_conditions import Column

from expectations import alike

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation


def _not_below(name: str, higher: str, lower: str, description: str, *, or_equal: bool = True) -> Expectation:
    return gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A=higher,
        column_B=lower,
        or_equal=or_equal,
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": name},
        description=description,
    )


def _one_of(name: str, column: str, words: list[str], description: str) -> Expectation:
    return gxe.ExpectColumnValuesToBeInSet(
        column=column,
        value_set=words,
        severity=FailureSeverity.CRITICAL,
        meta={"name": name},
        description=description,
    )


EXPECTATIONS: Final[list[Expectation]] = [
    *alike.of_claims(),
    *alike.of_sure_claims(),
    gxe.ExpectCompoundColumnsToBeUnique(
        column_list=["cluster", "log_partition", "log_offset", "group_id", "topic", "partition", "kind"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "claimed_once"},
        description="A record makes one claim about a partition.",
    ),
    _not_below(
        "range_not_empty", "possible_to", "possible_from", "A replay goes over at least one offset.", or_equal=False
    ),
    _not_below("set_back_goes_back", "to_offset", "from_offset", "A set-back goes to a lower offset.", or_equal=False),
    _not_below(
        "estimate_begins_inside", "estimate_from", "possible_from", "What is probable begins inside the possible."
    ),
    _not_below(
        "estimate_goes_forward", "estimate_to", "estimate_from", "What is probable may be nothing, but not less."
    ),
    _not_below(
        "fewer_are_certain", "records_possible", "records_certain", "No more records are certain than possible."
    ),
    _not_below("noticed_after_it_began", "detected_at", "occurred_at", "Nothing is noticed before it happens."),
    _one_of(
        "known_way",
        "kind",
        ["set_back", "handed_over", "reassigned_to_same_member", "restarted_at_earliest", "truncated"],
        "There are five ways to read offsets again.",
    ),
    _one_of(
        "known_committer",
        "actor",
        ["admin", "owner", "former_owner", "simple_consumer", "transaction", "unknown"],
        "Somebody of a known kind stood behind it, or it is not known.",
    ),
    _one_of(
        "known_cause",
        "cause",
        [
            *("admin_reset", "rebalance", "member_leave", "member_crash", "member_left_or_crashed"),
            *("static_member_replaced", "group_converted", "group_removed", "late_commit_of_former_owner"),
            *("truncation", "expired", "group_deleted", "offsets_deleted", "offsets_removed", "unknown"),
        ],
        "A cause is named only where the log shows it.",
    ),
    gxe.ExpectColumnValuesToBeNull(
        column="certain_from",
        row_condition=Column("kind") == "handed_over",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "no_hand_over_is_certain"},
        description="What a member did after its last commit is in no record.",
    ),
    gxe.ExpectColumnValuesToNotBeNull(
        column="estimate_from",
        row_condition=Column("certainty") == "likely",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "likely_has_an_estimate"},
        description="A likely claim says which offsets.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="is_ordinary",
        value_set=[False],
        row_condition=Column("kind").is_in(["set_back", "restarted_at_earliest", "truncated"]),
        severity=FailureSeverity.CRITICAL,
        meta={"name": "resets_are_not_ordinary"},
        description="Only where owners change is it ordinary that offsets are read again.",
    ),
    gxe.ExpectColumnValuesToBeNull(
        column="step",
        row_condition=Column("kind").is_in(["set_back", "restarted_at_earliest", "truncated"]),
        severity=FailureSeverity.CRITICAL,
        meta={"name": "resets_have_no_step"},
        description="A step is that of an owner that was replaced.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="step",
        min_value=0,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "step_goes_forward"},
        description="An owner's commits do not go back on the whole.",
    ),
]
