"""What must hold in mart.findings.

Put here what every finding must satisfy, whatever its kind. What only one kind promises belongs in the module of its
mart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity
from great_expectations.expectations.row_conditions import Column

from expectations import alike

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

EXPECTATIONS: Final[list[Expectation]] = [
    *alike.of_claims(),
    gxe.ExpectCompoundColumnsToBeUnique(
        column_list=["cluster", "log_partition", "log_offset", "group_id", "kind", "claim_kind", "topic", "partition"],
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
        column="certainty",
        value_set=["proven", "likely"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "more_than_possible"},
        description="What is only possible is no finding.",
    ),
    gxe.ExpectColumnValuesToNotBeNull(
        column="log_offset",
        row_condition=Column("group_id").is_not_null(),
        severity=FailureSeverity.CRITICAL,
        meta={"name": "names_a_record"},
        description="What concerns a group is shown by a record.",
    ),
]
