"""What must hold in core.record_compaction beyond its declaration.

Put here rules that only a human knows. What a declaration says is checked by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity
from great_expectations.expectations.row_conditions import Column

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

NEEDED: Final = ["current", "tombstone", "pending", "unknown", "marker"]
OBSOLETE: Final = ["superseded", "aborted", "without_key", "spent_marker"]

SUITES: Final[dict[str, list[Expectation]]] = {
    "core.record_compaction": [
        gxe.ExpectColumnValuesToBeNull(
            column="obsolete_from_log_offset",
            row_condition=Column("status").is_in(NEEDED),
            severity=FailureSeverity.CRITICAL,
            meta={"name": "needed_is_not_obsolete"},
            description="A record that is needed is obsolete from nowhere on.",
        ),
        gxe.ExpectColumnValuesToNotBeNull(
            column="obsolete_from_log_offset",
            row_condition=Column("status").is_in(OBSOLETE),
            severity=FailureSeverity.CRITICAL,
            meta={"name": "obsolete_from_a_record_on"},
            description="A record becomes obsolete by a record.",
        ),
        gxe.ExpectColumnPairValuesAToBeGreaterThanB(
            column_A="obsolete_from_log_offset",
            column_B="log_offset",
            or_equal=True,
            ignore_row_if="either_value_is_missing",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "obsolete_by_later_records"},
            description="No record is obsolete before it is there.",
        ),
        gxe.ExpectColumnPairValuesAToBeGreaterThanB(
            column_A="superseding_log_offset",
            column_B="log_offset",
            ignore_row_if="either_value_is_missing",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "superseded_by_later_records"},
            description="Only a later record supersedes a record.",
        ),
    ],
}
