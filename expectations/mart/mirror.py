"""What must hold in the marts of MirrorMaker 2 beyond their declarations.

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
    "mart.mirror_flows": [
        gxe.ExpectColumnValuesToBeNull(
            column="syncs_topic",
            row_condition=Column("source_cluster").is_null(),
            severity=FailureSeverity.CRITICAL,
            meta={"name": "no_syncs_without_a_source"},
            description="Offset syncs belong to a source that is known.",
        ),
    ],
    "mart.mirror_checkpoints": [
        gxe.ExpectColumnPairValuesAToBeGreaterThanB(
            column_A="read_again_upper",
            column_B="read_again_lower",
            or_equal=True,
            ignore_row_if="either_value_is_missing",
            severity=FailureSeverity.WARNING,
            meta={"name": "read_again_bounds"},
            description="The most is no less than the least; offset syncs that contradict each other break it.",
        ),
        gxe.ExpectColumnValuesToBeBetween(
            column="missed_lower",
            min_value=1,
            row_condition=Column("status") == "ahead",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "ahead_misses"},
            description="What is ahead misses records.",
        ),
        gxe.ExpectColumnValuesToBeBetween(
            column="read_again_lower",
            min_value=1,
            row_condition=Column("status") == "behind",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "behind_reads_again"},
            description="What is behind reads records again.",
        ),
        gxe.ExpectColumnValuesToBeNull(
            column="set_back_status",
            row_condition=Column("set_back_at").is_null(),
            severity=FailureSeverity.CRITICAL,
            meta={"name": "set_back_or_not"},
            description="Only who was set back has a status from then on.",
        ),
    ],
}
