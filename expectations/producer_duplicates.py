"""What must hold in mart.producer_duplicates.

Put here what every finding must satisfy. The batches it rests on belong in `batches`.
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
        column_list=["cluster", "kind", "topic", "partition", "from_offset"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "found_once"},
        description="A batch is told once of each kind.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="from_offset",
        column_B="first_from",
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "copy_is_later"},
        description="A copy stands behind the first one.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="to_offset",
        column_B="from_offset",
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "range_not_empty"},
        description="A batch has at least one offset.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="kind",
        value_set=["sent_twice", "same_bytes", "sequence_gap"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "known_kind"},
        description="There are three kinds of findings.",
    ),
    gxe.ExpectColumnValuesToNotBeNull(
        column="producer_id",
        row_condition=Column("kind") != "same_bytes",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "counted_by_somebody"},
        description="Numbers are some producer's.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="certainty",
        value_set=["likely"],
        row_condition=Column("kind") == "same_bytes",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "same_bytes_are_no_proof"},
        description="An application may send the same twice.",
    ),
]
