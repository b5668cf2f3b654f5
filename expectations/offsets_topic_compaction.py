"""What must hold in mart.offsets_topic_compaction.

Put here what holds of a log that is to be cleaned. What is in it belongs in `offset_records`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

EXPECTATIONS: Final[list[Expectation]] = [
    gxe.ExpectCompoundColumnsToBeUnique(
        column_list=["cluster", "log_partition"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "judged_once"},
        description="A partition is judged once.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="verdict",
        value_set=["nothing_to_clean", "keeps_up", "due", "stuck"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "known_verdict"},
        description="There are four verdicts.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="disk_records",
        column_B="cleanable_records",
        or_equal=True,
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "cleanable_is_there"},
        description="What can be cleaned is on disk.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="cleanable_records",
        column_B="removable_records",
        or_equal=True,
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "removable_is_cleanable"},
        description="What can be taken out can be cleaned.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="cleanable_bytes",
        column_B="removable_bytes",
        or_equal=True,
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "removable_bytes_are_cleanable"},
        description="So are its bytes.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="removable_records",
        min_value=0,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "removable_not_negative"},
        description="Nothing is taken out less than never.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="removable_share",
        min_value=0,
        max_value=1,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "share_is_a_share"},
        description="A share lies between 0 and 1.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="overdue_tombstones",
        min_value=0,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "overdue_not_negative"},
        description="Tombstones are counted.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="dead_keys",
        column_B="overdue_tombstones",
        or_equal=True,
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "overdue_are_dead"},
        description="An overdue tombstone is the last record of its key.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="log_end_offset",
        column_B="cleanable_to",
        or_equal=True,
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.WARNING,
        meta={"name": "cleaned_inside"},
        description="The cleaner stays inside the log; if not, segments contradict each other.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="verdict",
        value_set=["nothing_to_clean", "keeps_up", "due"],
        severity=FailureSeverity.WARNING,
        meta={"name": "not_stuck"},
        description="The cleaner keeps up; if not, the offsets topic grows without end.",
    ),
]
