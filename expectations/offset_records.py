"""What must hold in raw.offset_records.

Put here what a record of `__consumer_offsets` must be once it is kept. What it means for a group belongs in `commits`,
`generations` and `members`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity
from great_expectations.expectations.row_conditions import Column

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

EXPECTATIONS: Final[list[Expectation]] = [
    gxe.ExpectCompoundColumnsToBeUnique(
        column_list=["cluster", "log_partition", "log_offset"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "kept_once"},
        description="A record is kept once, however often its file was read.",
    ),
    gxe.ExpectColumnValuesToNotBeNull(
        column="log_offset",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "log_offset_known"},
        description="Every record has its place in the log.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="log_offset",
        min_value=0,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "log_offset_not_negative"},
        description="Logs begin at offset 0.",
    ),
    gxe.ExpectColumnValuesToBeNull(
        column="value_bytes",
        row_condition=Column("is_tombstone") == True,  # noqa: E712 - builds a condition
        severity=FailureSeverity.CRITICAL,
        meta={"name": "tombstone_without_value"},
        description="A tombstone has no value.",
    ),
    gxe.ExpectColumnValuesToBeNull(
        column="undecoded_key",
        severity=FailureSeverity.WARNING,
        meta={"name": "every_key_decoded"},
        description="Every key has a known layout; if not, the broker is newer than Lagbook or bytes are damaged.",
    ),
    gxe.ExpectColumnValuesToBeNull(
        column="undecoded_value",
        severity=FailureSeverity.WARNING,
        meta={"name": "every_value_decoded"},
        description="Every value has a known layout; if not, the broker is newer than Lagbook or bytes are damaged.",
    ),
]
