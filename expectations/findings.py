"""What must hold in mart.findings.

Put here what every finding must satisfy, whatever its kind. What only one kind promises belongs in the module of its
mart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

EXPECTATIONS: Final[list[Expectation]] = [
    gxe.ExpectCompoundColumnsToBeUnique(
        column_list=["cluster", "log_partition", "log_offset", "group_id", "kind", "how", "topic", "partition"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "found_once"},
        description="A record shows a finding once.",
    ),
    gxe.ExpectColumnValuesToNotBeNull(
        column="incident_id",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "in_an_incident"},
        description="Every finding belongs to an incident.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="confidence",
        value_set=["certain", "inferred", "bounded"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "known_confidence"},
        description="A finding is certain, inferred or bounded.",
    ),
    gxe.ExpectColumnValuesToBeBetween(
        column="severity",
        min_value=1,
        max_value=4,
        severity=FailureSeverity.CRITICAL,
        meta={"name": "known_severity"},
        description="There are four severities.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="certain_from",
        column_B="outer_from",
        or_equal=True,
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "certain_begins_inside"},
        description="What is certain begins inside what is possible.",
    ),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(
        column_A="outer_to",
        column_B="certain_to",
        or_equal=True,
        ignore_row_if="either_value_is_missing",
        severity=FailureSeverity.CRITICAL,
        meta={"name": "certain_ends_inside"},
        description="What is certain ends inside what is possible.",
    ),
]
