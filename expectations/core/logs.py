"""What must hold in core.log_ends beyond their declarations.

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
    "core.log_ends": [
        gxe.ExpectColumnValuesToNotBeNull(
            column="log_end_offset",
            row_condition=Column("source") == "batch",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "batch_says_the_end"},
            description="A batch says where the log ended.",
        ),
        gxe.ExpectColumnValuesToNotBeNull(
            column="log_end_offset",
            row_condition=Column("source") == "segment",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "segment_says_the_end"},
            description="An empty segment says where the log ended.",
        ),
        gxe.ExpectColumnValuesToNotBeNull(
            column="log_start_offset",
            row_condition=Column("source") == "checkpoint",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "checkpoint_says_the_start"},
            description="A checkpoint says where the log began.",
        ),
        gxe.ExpectColumnValuesToNotBeNull(
            column="high_watermark",
            row_condition=Column("source") == "replication",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "replication_says_the_watermark"},
            description="A checkpoint of replication says how far the log was replicated.",
        ),
        gxe.ExpectColumnPairValuesAToBeGreaterThanB(
            column_A="log_end_offset",
            column_B="last_stable_offset",
            or_equal=True,
            ignore_row_if="either_value_is_missing",
            row_condition=Column("source") == "batch",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "stable_up_to_the_end_at_most"},
            description="No more of a log is stable than there is.",
        ),
        gxe.ExpectColumnValuesToBeNull(
            column="log_end_offset",
            row_condition=Column("source") == "gap",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "gap_says_no_end"},
            description="In a gap nobody knows where the log ended.",
        ),
        gxe.ExpectColumnPairValuesAToBeGreaterThanB(
            column_A="until_at",
            column_B="reached_at",
            ignore_row_if="either_value_is_missing",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "held_for_a_while"},
            description="What no longer holds held before.",
        ),
    ],
}
