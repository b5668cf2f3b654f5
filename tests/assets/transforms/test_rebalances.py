"""What changed between generations. Rows are written by hand; how they come about is tested with the groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assets.tables.mart import REBALANCES
from assets.transforms.rebalances import rebalances

if TYPE_CHECKING:
    from pyspark.sql import Row, SparkSession

GENERATIONS = (
    "cluster string, group_id string, log_partition int, log_offset long, generation int, state string, "
    "protocol string, member_count int, state_at timestamp, from_at timestamp, group_type string"
)
MEMBERS = (
    "cluster string, group_id string, log_partition int, log_offset long, member_id string, "
    "assigned array<struct<topic: string, partitions: array<int>>>"
)
Owned = dict[str, list[int] | None]


def change(spark: SparkSession, *assignments: Owned | None) -> list[Row]:
    """The rebalances of a group g whose generations 1, 2, ... had these members and partitions of t; None: removed."""
    generations: list[tuple[Any, ...]] = []
    members: list[tuple[Any, ...]] = []
    for offset, owned in enumerate(assignments):
        state = "Removed" if owned is None else "Stable" if owned else "Empty"
        count = None if owned is None else len(owned)
        number = None if owned is None else offset + 1
        generations.append(
            ("c", "g", 7, offset, number, state, "range" if owned else None, count, None, None, "classic")
        )
        for member, partitions in (owned or {}).items():
            members.append(("c", "g", 7, offset, member, None if partitions is None else [("t", partitions)]))
    frame = rebalances(spark.createDataFrame(generations, GENERATIONS), spark.createDataFrame(members, MEMBERS))
    assert tuple(frame.columns) == REBALANCES.column_names
    return frame.orderBy("log_offset").collect()


def test_the_first_generation_has_nothing_before_it(spark: SparkSession) -> None:
    """Everybody joined, and what was before is unknown, not zero."""
    (row,) = change(spark, {"a": [0, 1], "b": [2]})
    assert (row.generation_before, row.members_before, row.members_after) == (None, None, 2)
    assert (row.members_joined, row.members_left, row.partitions_moved) == (["a", "b"], [], None)


def test_a_member_that_leaves_hands_its_partitions_over(spark: SparkSession) -> None:
    """Moved and kept are counted by owner."""
    row = change(spark, {"a": [0, 1], "b": [2]}, {"b": [0, 1, 2]})[1]
    assert (row.generation_before, row.generation_after) == (1, 2)
    assert (row.members_joined, row.members_left) == ([], ["a"])
    assert (row.partitions_moved, row.partitions_kept) == (2, 1)


def test_an_assignment_that_cannot_be_read_makes_the_counts_unknown(spark: SparkSession) -> None:
    """One unreadable member is enough."""
    row = change(spark, {"a": [0], "b": None}, {"a": [0, 1]})[1]
    assert (row.partitions_moved, row.partitions_kept) == (None, None)


def test_an_empty_group_owns_nothing(spark: SparkSession) -> None:
    """The last member left: nobody else got its partitions."""
    row = change(spark, {"a": [0, 1]}, {})[1]
    assert (row.state_after, row.members_left, row.partitions_moved, row.partitions_kept) == ("Empty", ["a"], 0, 0)


def test_a_removed_group_is_no_generation(spark: SparkSession) -> None:
    """A tombstone of the group makes no row of its own."""
    assert [row.generation_after for row in change(spark, {"a": [0]}, {}, None)] == [1, 2]
