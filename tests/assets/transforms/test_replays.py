"""Claims about what was read twice, and the evidence that each needs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from assets.tables.claims import REPLAYS
from assets.transforms.replays import replays

if TYPE_CHECKING:
    from pyspark.sql import Row, SparkSession

COMMITS = (
    "cluster string, group_id string, topic string, partition int, log_partition int, log_offset long, "
    "effective_log_offset long, effective_at timestamp, kind string, committed_offset long, previous_offset long"
)
GENERATIONS = "cluster string, group_id string, log_partition int, log_offset long, state string"
LOG_ENDS = "cluster string, topic string, partition int, log_start_offset long"


@dataclass
class Story:
    """What happened to g's t-0, in order; each event takes the next log offset."""

    commits: list[tuple[Any, ...]] = field(default_factory=list)
    states: list[tuple[Any, ...]] = field(default_factory=list)
    position: int = 0
    standing: int | None = None

    def group(self, state: str) -> Story:
        """The group's coordinator wrote this state down."""
        self.states.append(("c", "g", 7, self.position, state))
        self.position += 1
        return self

    def commit(self, *offsets: int) -> Story:
        """These offsets were committed one after the other."""
        for offset in offsets:
            before = self.standing
            kind = (
                "first"
                if before is None
                else "rewind"
                if offset < before
                else "advance"
                if offset > before
                else "repeat"
            )
            self._add(kind, offset)
        return self

    def remove(self) -> Story:
        """The offset was removed."""
        self._add("removed", None)
        return self

    def _add(self, kind: str, offset: int | None) -> None:
        self.commits.append(("c", "g", "t", 0, 7, self.position, self.position, None, kind, offset, self.standing))
        self.standing = offset
        self.position += 1

    def claims(self, spark: SparkSession, log_start: int | None = None) -> list[Row]:
        """The replays that are claimed."""
        starts = [("c", "t", 0, log_start)] if log_start is not None else []
        frame = replays(
            spark.createDataFrame(self.commits, COMMITS),
            spark.createDataFrame(self.states, GENERATIONS),
            spark.createDataFrame(starts, LOG_ENDS),
        )
        assert tuple(frame.columns) == REPLAYS.column_names
        return frame.orderBy("log_offset").collect()


def told(row: Row) -> tuple[int, int, int | None, int | None, str, str]:
    """The ranges of a claim, how sure it is, and its cause."""
    return (row.from_offset, row.to_offset, row.certain_from, row.certain_to, row.confidence, row.cause)


def read_on() -> Story:
    """A member read from 0 and committed up to 100."""
    return Story().group("Stable").commit(0, 50, 100)


def test_a_reset_of_an_empty_group_that_reads_on_is_certain(spark: SparkSession) -> None:
    """All that lies between the reset and the old commit was read again."""
    story = read_on().group("Empty").commit(40).group("Stable").commit(70, 130)
    assert [told(row) for row in story.claims(spark)] == [(40, 100, 40, 100, "certain", "admin reset")]


def test_certain_ends_where_the_members_got_to(spark: SparkSession) -> None:
    """What was not committed again yet is not sure."""
    story = read_on().group("Empty").commit(40).group("Stable").commit(70)
    assert told(story.claims(spark)[0])[2:4] == (40, 70)


def test_without_a_commit_afterwards_nothing_is_certain(spark: SparkSession) -> None:
    """The reset alone made nobody read."""
    assert told(read_on().group("Empty").commit(40).claims(spark)[0]) == (40, 100, None, None, "bounded", "admin reset")


def test_a_second_reset_is_no_reading_on(spark: SparkSession) -> None:
    """Set back and then forward by an admin: no member ever started from the lower offset."""
    story = read_on().group("Empty").commit(40, 100).group("Stable").commit(130)
    assert told(story.claims(spark)[0])[2:5] == (None, None, "bounded")


def test_a_lower_commit_while_members_are_there_is_bounded(spark: SparkSession) -> None:
    """A member's own seek and a late commit look alike."""
    assert told(read_on().commit(40, 130).claims(spark)[0]) == (40, 100, None, None, "bounded", "unknown")


def test_a_group_without_any_record_is_bounded(spark: SparkSession) -> None:
    """Simple consumers write no generations: nothing says who set the offset."""
    assert told(Story().commit(100, 40, 130).claims(spark)[0])[4:] == ("bounded", "unknown")


def test_what_was_never_read_is_not_read_again(spark: SparkSession) -> None:
    """A group that began at 60 and was reset to 0 read [0, 60) for the first time."""
    story = Story().group("Stable").commit(60, 100).group("Empty").commit(0).group("Stable").commit(130)
    assert told(story.claims(spark)[0])[:4] == (0, 100, 60, 100)


def test_a_forward_reset_before_breaks_the_proof(spark: SparkSession) -> None:
    """[50, 90) was skipped by an admin; only what was read since then is surely read again."""
    story = Story().group("Stable").commit(0, 50).group("Empty").commit(90).group("Stable").commit(100)
    story.group("Empty").commit(20).group("Stable").commit(130)
    assert told(story.claims(spark)[-1])[:4] == (20, 100, 90, 100)


def test_records_below_the_log_start_cannot_have_been_read_again(spark: SparkSession) -> None:
    """They were deleted."""
    story = read_on().group("Empty").commit(0).group("Stable").commit(130)
    assert told(story.claims(spark, log_start=30)[0])[:4] == (0, 100, 30, 100)


def test_a_removed_offset_ends_the_proof(spark: SparkSession) -> None:
    """After a removal the members start where auto.offset.reset says, not where the reset said."""
    story = read_on().group("Empty").commit(40).remove().group("Stable").commit(130)
    assert told(story.claims(spark)[0])[2:5] == (None, None, "bounded")
