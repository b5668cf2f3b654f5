"""What must hold in raw.configurations.

Put here what holds of a setting wherever it was read. What counts in the end belongs to the macros that ask for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity

from parsers.files.configurations import SETTINGS

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

EXPECTATIONS: Final[list[Expectation]] = [
    gxe.ExpectColumnValuesToBeInSet(
        column="config_name",
        value_set=sorted(SETTINGS),
        severity=FailureSeverity.CRITICAL,
        meta={"name": "known_setting"},
        description="No other setting is kept: it may be a secret.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="resource_type",
        value_set=["topic", "broker", "default"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "known_resource"},
        description="Settings are of a topic, of a broker, or of all brokers.",
    ),
    gxe.ExpectColumnValuesToBeInSet(
        column="source",
        value_set=["file", "live", "metadata", "zookeeper"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "known_source"},
        description="A setting was read from a file or from KRaft's log, or a broker told it.",
    ),
    gxe.ExpectCompoundColumnsToBeUnique(
        column_list=["cluster", "source", "resource_type", "resource_name", "config_name", "read_at", "log_offset"],
        severity=FailureSeverity.CRITICAL,
        meta={"name": "read_once"},
        description="A reading tells a setting once, and so does a record.",
    ),
]
