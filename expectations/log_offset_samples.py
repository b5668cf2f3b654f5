"""What must hold in raw.log_offset_samples.

Put here what holds of a broker's answer at one instant. What it means for a log over time belongs in `log_ends`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

EXPECTATIONS: Final[list[Expectation]] = [
    gxe.ExpectCompoundColumnsToBeUnique(
        column_list=["cluster", "topic", "partition", "sampled_at"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "sampled_once"},
        description="At one instant a partition is asked once.",
    ),
    gxe.ExpectColumnValuesToNotBeNull(
        column="sampled_at",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "time_known"},
        description="An answer has a time, or it tells nothing.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="partition_count",
        column_B="partition",
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.WARNING,
        meta={"name": "partition_among_its_topics"},
        description="Partitions are numbered from 0 on, without a hole.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="high_watermark",
        column_B="last_stable_offset",
        or_equal=True,
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.WARNING,
        meta={"name": "stable_before_the_end"},
        description="No transaction is open before the last stable offset, which lies in the replicated log.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="log_start_offset",
        min_value=0,
        severity=FailureSeverity.WARNING,
        meta={"name": "start_not_negative"},
        description="A log begins at 0 or later.",
    ),
]
