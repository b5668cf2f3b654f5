"""What must hold in internal.topic_id_names.

Put here what holds of what records say. What holds of topics belongs in `topics`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

EXPECTATIONS: Final[list[Expectation]] = [
    gxe.ExpectCompoundColumnsToBeUnique(
        column_list=["cluster", "log_partition", "log_offset", "topic_id", "topic"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "told_once"},
        description="A name is told once by a record.",
    ),
    gxe.ExpectColumnValuesToNotBeNull(
        column="topic",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "name_known"},
        description="Only what has a name is told.",
    ),
]
