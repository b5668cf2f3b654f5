"""What must hold in core.ownership beyond their declarations.

Put here rules that only a human knows. What a declaration says is checked by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity
from great_expectations.expectations.row_conditions import Column

from expectations.queries import no_row_of

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

_OVERLAPS: Final = """
    SELECT 1 AS row
    FROM (
        SELECT until_log_offset, lead(log_offset) OVER (
            PARTITION BY cluster, log_partition, group_id, topic, topic_id, partition ORDER BY log_offset
        ) AS next_log_offset
        FROM {table}
    )
    WHERE next_log_offset < coalesce(until_log_offset, 9223372036854775807)
"""
"""Whatever the log says, each owner ends where the next begins."""

SUITES: Final[dict[str, list[Expectation]]] = {
    "core.ownership": [
        no_row_of(
            _OVERLAPS,
            columns=(
                *("cluster", "log_partition", "group_id", "topic", "topic_id", "partition"),
                *("log_offset", "until_log_offset"),
            ),
            within=("cluster", "log_partition"),
            name="one_owner_at_a_time",
            description="No two members of a group own a partition at the same time.",
        ),
        gxe.ExpectColumnValuesToBeNull(
            column="to_log_offset",
            row_condition=Column("end_reason") == "unknown",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "unknown_has_no_end"},
            description="Where it is not known how it ended, it is not known when.",
        ),
        gxe.ExpectColumnValuesToNotBeNull(
            column="end_reason",
            row_condition=Column("until_log_offset").is_not_null(),
            severity=FailureSeverity.CRITICAL,
            meta={"name": "end_is_explained"},
            description="Of every end it is said how it came about.",
        ),
    ],
}
