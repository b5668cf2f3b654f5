"""What must hold in raw.batches.

Put here what the header of a data batch must be once it is kept. How far a log reached belongs in `log_ends`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

EXPECTATIONS: Final[list[Expectation]] = [
    gxe.ExpectCompoundColumnsToBeUnique(
        column_list=["cluster", "topic", "partition", "base_offset"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "kept_once"},
        description="A batch is kept once, however often its file was read.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="base_offset",
        min_value=0,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "base_offset_not_negative"},
        description="Logs begin at offset 0.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="size_bytes",
        min_value=1,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "size_positive"},
        description="A batch has bytes.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="position",
        min_value=0,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "position_not_negative"},
        description="A batch stands somewhere in its file.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="magic",
        value_set=[0, 1, 2],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "known_magic"},
        description="Kafka has written three formats.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="last_offset",
        column_B="base_offset",
        or_equal=True,
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.WARNING,
        meta={"name": "last_not_before_base"},
        description="A batch ends where it begins or later; else its header is not Kafka's.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="codec",
        value_set=["none", "gzip", "snappy", "lz4", "zstd"],
        severity=FailureSeverity.WARNING,
        meta={"name": "known_codec"},
        description="Kafka has five codecs; another number is newer than Lagbook, or damage.",
    ),
]
