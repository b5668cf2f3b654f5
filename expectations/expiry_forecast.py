"""What must hold in mart.expiry_forecast.

Put here what holds of a forecast. What did expire belongs in `commits`.
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
    *alike.of_group_types(),
    gxe.ExpectCompoundColumnsToBeUnique(
        column_list=["cluster", "group_id", "topic", "partition"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "forecast_once"},
        description="An offset expires once.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="expiry_basis",
        value_set=[
            "explicit",
            "since_empty",
            "since_commit",
            "subscribed",
            "other_protocol",
            "pending_transaction",
            "unknown",
        ],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "known_rule"},
        description="There are seven rules.",
    ),
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
    gxe.ExpectColumnValuesToBeBetween(
        column="earliest_offsets",
        min_value=0,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "earliest_not_negative"},
        description="Nothing is read less than never.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="latest_offsets",
        min_value=0,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "latest_not_negative"},
        description="Nothing is skipped less than never.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="current_offset",
        min_value=0,
        severity=FailureSeverity.WARNING,
        meta={"name": "offset_not_negative"},
        description="Kafka counts offsets from 0; if not, a client sent one that is none.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="is_overdue",
        value_set=[False],
        severity=FailureSeverity.WARNING,
        meta={"name": "nothing_overdue"},
        description="What should have expired is gone; if not, the broker keeps offsets for longer than a week.",
    ),
]
