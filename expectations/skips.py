"""What must hold in mart.skips.

Put here what every claim of skipped offsets must satisfy. The commits it rests on belong in `commits`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity
from great_expectations.expectations.row_conditions import Column

from expectations import alike

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

EXPECTATIONS: Final[list[Expectation]] = [
    *alike.of_claims(),
    *alike.of_sure_claims(),
    gxe.ExpectCompoundColumnsToBeUnique(
        column_list=["cluster", "log_partition", "log_offset", "group_id", "topic", "partition", "kind"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "claimed_once"},
        description="A commit makes one claim of each kind.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="possible_to",
        column_B="possible_from",
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "range_not_empty"},
        description="A skip goes over at least one offset.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="kind",
        value_set=["set_forward", "skipped_ahead", "restarted_at_latest", "overtaken_by_log_start", "below_log_start"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "known_way"},
        description="There are five ways to go past offsets.",
    ),
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
    gxe.ExpectColumnValuesToBeInSet(
        column="cause",
        value_set=[
            "admin_reset",
            "seek",
            "retention",
            "records_deleted",
            "expired",
            "group_deleted",
            "offsets_deleted",
            "offsets_removed",
            "unknown",
        ],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "known_cause"},
        description="A cause is named only where the log shows it.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="actor",
        value_set=["admin", "owner", "former_owner", "transaction", "simple_consumer", "unknown"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "known_maker"},
        description="Who committed is one of these, or not known.",
    ),
]
