"""What must hold in mart.open_transactions.

Put here what holds of a transaction without a marker. Those that ended belong in `transactions`.
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
        column_list=["cluster", "topic", "partition", "producer_id", "first_offset"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "open_once"},
        description="A transaction is told once.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="first_offset",
        column_B="last_stable_offset",
        or_equal=True,
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "nothing_open_is_stable"},
        description="What is stable ends where the first of them begins.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="last_offset",
        column_B="first_offset",
        or_equal=True,
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "last_not_before_first"},
        description="The last record is not before the first.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="records",
        min_value=1,
        severity=FailureSeverity.WARNING,
        meta={"name": "has_records"},
        description="An open transaction is known by its records; if not, the cleaner left empty batches of it.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="age_ms",
        min_value=0,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "age_not_negative"},
        description="It began before the newest record.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="blocked_offsets",
        min_value=1,
        severity=FailureSeverity.WARNING,
        meta={"name": "blocks_itself"},
        description="The first of them holds up at least itself; if not, segments contradict each other.",
    ),
    gxe.ExpectColumnValuesToBeNull(
        column="groups",
        row_condition=Column("topic") != "__consumer_offsets",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "data_has_no_groups"},
        description="Only in the offsets topic it is about groups.",
    ),
]
