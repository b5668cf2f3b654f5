"""What must hold in the marts of the tables of the offsets topic itself beyond their declarations.

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
    "mart.open_transactions": [
        gxe.ExpectColumnPairValuesAToBeGreaterThanB(
            column_A="first_offset",
            column_B="last_stable_offset",
            or_equal=True,
            ignore_row_if="either_value_is_missing",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "nothing_open_is_stable"},
            description="What is stable ends where the first of them begins.",
        ),
        gxe.ExpectColumnValuesToBeNull(
            column="groups",
            row_condition=Column("topic") != "__consumer_offsets",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "data_has_no_groups"},
            description="Only in the offsets topic it is about groups.",
        ),
    ],
    "mart.offsets_topic_usage": [
        gxe.ExpectColumnPairValuesAToBeGreaterThanB(
            column_A="records",
            column_B="no_op_commits",
            or_equal=True,
            ignore_row_if="either_value_is_missing",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "no_ops_are_commits"},
            description="A commit that changes nothing is one of them.",
        ),
        gxe.ExpectColumnPairValuesAToBeGreaterThanB(
            column_A="records",
            column_B="superseded_records",
            or_equal=True,
            ignore_row_if="either_value_is_missing",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "superseded_are_records"},
            description="What was replaced is one of them.",
        ),
        gxe.ExpectColumnPairValuesAToBeGreaterThanB(
            column_A="bytes",
            column_B="superseded_bytes",
            or_equal=True,
            ignore_row_if="either_value_is_missing",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "superseded_bytes_are_bytes"},
            description="Its bytes are among theirs.",
        ),
    ],
    "mart.offsets_topic_compaction": [
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
    ],
}
