"""What must hold in raw.log_offset_samples, raw.configurations beyond their declarations.

Put here rules that only a human knows. What a declaration says is checked by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity

from parsers.files.setting_names import SETTINGS

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

SUITES: Final[dict[str, list[Expectation]]] = {
    "raw.log_offset_samples": [
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
    ],
    "raw.configurations": [
        gxe.ExpectColumnValuesToBeInSet(
            column="config_name",
            value_set=sorted(SETTINGS),
            severity=FailureSeverity.CRITICAL,
            meta={"name": "known_setting"},
            description="No other setting is kept: it may be a secret.",
        ),
    ],
}
