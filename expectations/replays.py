"""What must hold in mart.replays.

Put here what every claim of a replay must satisfy. The commits it rests on belong in `commits`.
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
        column_list=["cluster", "log_partition", "log_offset"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "claimed_once"},
        description="A lower commit makes one claim.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="to_offset",
        column_B="from_offset",
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "range_not_empty"},
        description="A replay goes over at least one offset.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="certain_from",
        column_B="from_offset",
        or_equal=True,
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "certain_begins_inside"},
        description="What is certain begins inside what is possible.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="to_offset",
        column_B="certain_to",
        or_equal=True,
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "certain_ends_inside"},
        description="What is certain ends inside what is possible.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="certain_to",
        column_B="certain_from",
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "certain_not_empty"},
        description="What is certain is at least one offset.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="confidence",
        value_set=["certain", "bounded"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "known_confidence"},
        description="A claim is certain or bounded.",
    ),
    gxe.ExpectColumnValuesToNotBeNull(
        column="certain_from",
        row_condition=Column("confidence") == "certain",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "certain_has_a_range"},
        description="A certain claim says which offsets.",
    ),
    gxe.ExpectColumnValuesToBeNull(
        column="certain_from",
        row_condition=Column("confidence") == "bounded",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "bounded_has_none"},
        description="A bounded claim says none.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="cause",
        value_set=["admin reset", "unknown"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "known_cause"},
        description="A cause is named only where the log shows it.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="log_offset",
        column_B="commit_before_log_offset",
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "lower_commit_is_later"},
        description="The lower commit was written after the one it undoes.",
    ),
]
