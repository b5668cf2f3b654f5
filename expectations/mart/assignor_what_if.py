"""What must hold in mart.assignor_what_if beyond their declarations.

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
    "mart.assignor_what_if": [
        gxe.ExpectColumnValuesToNotBeNull(
            column="reason",
            row_condition=Column("verdict") == "undecided",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "doubt_is_explained"},
            description="Of what can't be told it is said why.",
        ),
        gxe.ExpectColumnValuesToBeNull(
            column="reason",
            row_condition=Column("verdict") != "undecided",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "others_need_no_reason"},
            description="What can be told needs no excuse.",
        ),
    ],
}
