"""What must hold in the marts of committed offsets beyond their declarations.

Put here rules that only a human knows. What a declaration says is checked by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity
from great_expectations.expectations.row_conditions import Column

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

LEAST_INTERVALS: Final = 10


SUITES: Final[dict[str, list[Expectation]]] = {
    "mart.offsets_now": [
        gxe.ExpectColumnValuesToNotBeNull(
            column="current_offset",
            row_condition=Column("is_known") == True,  # noqa: E712 - a condition of Great Expectations
            severity=FailureSeverity.CRITICAL,
            meta={"name": "offset_known"},
            description="What stands in the store is an offset.",
        ),
        gxe.ExpectColumnValuesToBeNull(
            column="current_offset",
            row_condition=Column("is_known") == False,  # noqa: E712 - a condition of Great Expectations
            severity=FailureSeverity.CRITICAL,
            meta={"name": "unknown_is_null"},
            description="What a hole in the log may hide is not claimed.",
        ),
    ],
    "mart.commit_cadence": [
        gxe.ExpectColumnValuesToNotBeNull(
            column="auto_commit_ms",
            row_condition=Column("pattern") == "auto_commit",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "timer_has_a_time"},
            description="A timer has an interval.",
        ),
        gxe.ExpectColumnValuesToBeNull(
            column="at_risk_ms",
            row_condition=Column("intervals") < LEAST_INTERVALS,
            severity=FailureSeverity.CRITICAL,
            meta={"name": "too_little_tells_nothing"},
            description="From fewer than ten intervals nothing is concluded.",
        ),
    ],
    "mart.expiry_forecast": [
        gxe.ExpectColumnValuesToBeNull(
            column="expires_at",
            row_condition=Column("expiry_basis") == "subscribed",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "kept_does_not_expire"},
            description="What is subscribed stays.",
        ),
        gxe.ExpectColumnValuesToNotBeNull(
            column="expires_at",
            row_condition=Column("expiry_basis") == "explicit",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "explicit_has_a_time"},
            description="An explicit time is one.",
        ),
        gxe.ExpectColumnValuesToNotBeNull(
            column="retention_started_at",
            row_condition=Column("expiry_basis") == "since_empty",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "empty_since_a_time"},
            description="It is known since when the group is empty.",
        ),
        gxe.ExpectColumnPairValuesAToBeGreaterThanB(
            column_A="expires_at",
            column_B="retention_started_at",
            ignore_row_if="either_value_is_missing",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "expires_after_it_counts"},
            description="Retention is longer than nothing.",
        ),
        gxe.ExpectColumnValuesToBeInSet(
            column="is_overdue",
            value_set=[False],
            severity=FailureSeverity.WARNING,
            meta={"name": "nothing_overdue"},
            description="What should have expired is gone; if not, the broker keeps offsets for longer than a week.",
        ),
    ],
    "mart.stale_offsets": [
        gxe.ExpectColumnValuesToNotBeNull(
            column="since",
            row_condition=Column("cause") == "topic_deleted",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "removed_at_a_time"},
            description="A removal is a record, with its time where records have one.",
        ),
    ],
}
