"""What must hold in core.commits beyond their declarations.

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
    "core.commits": [
        gxe.ExpectColumnValuesToNotBeNull(
            column="committed_offset",
            row_condition=Column("kind") != "removed",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "commit_has_offset"},
            description="A commit says an offset.",
        ),
        gxe.ExpectColumnValuesToBeNull(
            column="committed_offset",
            row_condition=Column("kind") == "removed",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "removal_has_no_offset"},
            description="A removal says none.",
        ),
        gxe.ExpectColumnValuesToBeNull(
            column="previous_offset",
            row_condition=Column("kind") == "first",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "first_follows_nothing"},
            description="Before a first commit nothing stood.",
        ),
        gxe.ExpectColumnValuesToBeNull(
            column="previous_offset",
            row_condition=Column("is_previous_known") == False,  # noqa: E712 - builds a condition
            severity=FailureSeverity.CRITICAL,
            meta={"name": "nothing_is_claimed_over_a_hole"},
            description="Where it is not known what stood before, nothing is said of it.",
        ),
        gxe.ExpectColumnValuesToBeInSet(
            column="cause",
            value_set=[
                "expired",
                "group_deleted",
                "offsets_deleted",
                "topic_deleted",
                "old_coordinator_cleanup",
                "unknown",
            ],
            row_condition=Column("kind") == "removed",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "known_cause"},
            description="A removal has one of five causes, or it is not known which.",
        ),
        gxe.ExpectColumnValuesToNotBeNull(
            column="cause",
            row_condition=Column("kind") == "removed",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "removal_has_cause"},
            description="Of every removal it is said why, if only that it is not known.",
        ),
        gxe.ExpectColumnValuesToBeNull(
            column="cause",
            row_condition=Column("kind") != "removed",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "commit_has_no_cause"},
            description="Only what was removed has a cause.",
        ),
        gxe.ExpectColumnValuesToBeNull(
            column="delta",
            row_condition=Column("kind") == "first",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "first_moves_nothing"},
            description="A first commit has nothing to differ from.",
        ),
        gxe.ExpectColumnPairValuesAToBeGreaterThanB(
            column_A="committed_offset",
            column_B="previous_offset",
            ignore_row_if="either_value_is_missing",
            row_condition=Column("kind") == "advance",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "advance_goes_forward"},
            description="An advance is higher than what stood before.",
        ),
        gxe.ExpectColumnPairValuesAToBeGreaterThanB(
            column_A="previous_offset",
            column_B="committed_offset",
            ignore_row_if="either_value_is_missing",
            row_condition=Column("kind") == "rewind",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "rewind_goes_back"},
            description="A rewind is lower than what stood before.",
        ),
        gxe.ExpectColumnValuesToBeBetween(
            column="delta",
            min_value=1,
            row_condition=Column("kind") == "advance",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "advance_delta"},
            description="An advance moves at least one offset forward.",
        ),
        gxe.ExpectColumnValuesToBeBetween(
            column="delta",
            max_value=-1,
            row_condition=Column("kind") == "rewind",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "rewind_delta"},
            description="A rewind moves at least one offset back.",
        ),
        gxe.ExpectColumnValuesToBeBetween(
            column="delta",
            min_value=0,
            max_value=0,
            row_condition=Column("kind") == "repeat",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "repeat_delta"},
            description="A repeat moves nothing.",
        ),
        gxe.ExpectColumnValuesToNotBeNull(
            column="actor",
            row_condition=Column("kind") != "removed",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "commit_has_committer"},
            description="Of every commit it is said who stood behind it, if only that it is not known.",
        ),
        gxe.ExpectColumnValuesToBeNull(
            column="actor",
            row_condition=Column("kind") == "removed",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "removal_has_no_committer"},
            description="A removal is the coordinator's.",
        ),
        gxe.ExpectColumnValuesToNotBeNull(
            column="member_id",
            row_condition=Column("actor") == "owner",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "owner_is_named"},
            description="An owner is a member.",
        ),
        gxe.ExpectColumnValuesToNotBeNull(
            column="member_id",
            row_condition=Column("actor") == "former_owner",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "former_owner_is_named"},
            description="Who owned the partition last is a member.",
        ),
        gxe.ExpectColumnValuesToBeNull(
            column="member_id",
            row_condition=Column("actor") == "admin",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "admin_is_no_member"},
            description="A group that is empty has no member.",
        ),
        gxe.ExpectColumnValuesToBeNull(
            column="member_id",
            row_condition=Column("actor") == "simple_consumer",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "simple_consumer_is_no_member"},
            description="Who assigns itself is no member.",
        ),
        gxe.ExpectColumnValuesToBeNull(
            column="member_id",
            row_condition=Column("actor") == "unknown",
            severity=FailureSeverity.CRITICAL,
            meta={"name": "unknown_is_nobody"},
            description="Where it is not known who stood behind a commit, nobody is named.",
        ),
    ],
}
