"""What must hold in the tables of Kafka Connect of the core layer beyond their declarations.

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
    "core.connect_source_offsets": [
        gxe.ExpectColumnValuesToBeNull(
            column="source_offset",
            row_condition=Column("kind") == "removed",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "removed_has_no_offset"},
            description="A removal leaves no offset.",
        ),
        gxe.ExpectColumnValuesToNotBeNull(
            column="source_offset",
            row_condition=Column("kind") != "removed",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "others_have_an_offset"},
            description="Whatever is no removal stores an offset.",
        ),
        gxe.ExpectColumnValuesToBeNull(
            column="previous_source_offset",
            row_condition=Column("kind") == "first",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "first_has_none_before"},
            description="Before the first offset there is none.",
        ),
    ],
}
