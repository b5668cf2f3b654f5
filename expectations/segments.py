"""What must hold in raw.segments.

Put here what the account of a read must add up to. What could not be read belongs in `quarantine`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

EXPECTATIONS: Final[list[Expectation]] = [
    gxe.ExpectCompoundColumnsToBeUnique(
        column_list=["cluster", "broker_id", "topic", "partition", "base_offset", "path", "start_position", "read_at"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "accounted_once"},
        description="A read is accounted for once.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="source",
        value_set=["file", "live", "dump", "text"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "known_source"},
        description="A log is read from a file, from a running cluster, or as a tool tells of it.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="end_offset",
        column_B="base_offset",
        or_equal=True,
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.WARNING,
        meta={"name": "offsets_go_forward"},
        description="A read ends at an offset no lower than where it began; else the file is named for another offset.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="start_position",
        min_value=0,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "start_not_negative"},
        description="A read begins in the file.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="end_position",
        column_B="start_position",
        or_equal=True,
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "end_not_before_start"},
        description="A read goes forward.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="size_bytes",
        column_B="end_position",
        or_equal=True,
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "end_in_file"},
        description="A read ends in the file.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="torn_bytes",
        min_value=0,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "torn_not_negative"},
        description="What is left after the last batch is a number of bytes.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="batch_count",
        min_value=0,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "batch_count_not_negative"},
        description="A read has counted batches.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="record_count",
        min_value=0,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "record_count_not_negative"},
        description="A read has counted records.",
    ),
]
