"""What must hold in mart.replays, mart.skips beyond their declarations.

Put here rules that only a human knows. What a declaration says is checked by itself.
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


SUITES: Final[dict[str, list[Expectation]]] = {
    "mart.replays": [
        *alike.of_claims(),
        *alike.of_sure_claims(),
        _not_below(
            "estimate_begins_inside", "estimate_from", "possible_from", "What is probable begins inside the possible."
        ),
        _not_below(
            "fewer_are_certain", "records_possible", "records_certain", "No more records are certain than possible."
        ),
        _not_below("noticed_after_it_began", "detected_at", "occurred_at", "Nothing is noticed before it happens."),
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
    ],
    "mart.skips": [
        *alike.of_claims(),
        *alike.of_sure_claims(),
        gxe.ExpectColumnPairValuesAToBeGreaterThanB(
            column_A="records_possible",
            column_B="records_certain",
            or_equal=True,
            ignore_row_if="either_value_is_missing",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "certain_holds_no_more_records"},
            description="What is certain holds no more records than what is possible.",
        ),
        gxe.ExpectColumnValuesToBeNull(
            column="records_certain",
            row_condition=Column("certainty") != "proven",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "others_have_no_certain_records"},
            description="Only a proven claim says how many records it is sure of.",
        ),
    ],
}
