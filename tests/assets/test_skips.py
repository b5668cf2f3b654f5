"""What is said of offsets that a group went past, on a few rows each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from assets import models
from assets.tables import TABLES

if TYPE_CHECKING:
    import duckdb

KEY = {"cluster": "c", "group_id": "g", "topic": "t", "partition": 0}
LOG = {"cluster": "c", "group_id": "g", "log_partition": 7}
ASKED = ("how", "outer_from", "outer_to", "certain_from", "certain_to", "estimate_to", "confidence", "evidence")


def minute(position: int) -> str:
    """An instant on the first day of 2026."""
    return f"2026-01-01 00:{position:02d}:00+00"


class Story:
    """A group's life, told in the order of its log: a position is a log offset and a minute."""

    def __init__(self, database: duckdb.DuckDBPyConnection) -> None:
        """Nothing is told yet."""
        self._database = database
        self._stood: int | None = None

    def _insert(self, name: str, **row: Any) -> Story:  # noqa: ANN401 - a value of any column
        marks = ", ".join("?" * len(row))
        self._database.execute(f"INSERT INTO {name} ({', '.join(row)}) VALUES ({marks})", list(row.values()))  # noqa: S608 - names that the tests write
        return self

    def commit(self, position: int, offset: int | None, *, is_transactional: bool = False) -> Story:
        """A commit, or the removal of what stood."""
        before, self._stood = self._stood, offset
        kind = (
            "removed" if offset is None else "first" if before is None else "advance" if offset > before else "rewind"
        )
        at = {"log_offset": position, "effective_log_offset": position, "effective_at": minute(position)}
        delta = None if offset is None or before is None else offset - before
        said = {
            "kind": kind,
            "committed_offset": offset,
            "previous_offset": before,
            "is_previous_known": True,
            "delta": delta,
        }
        return self._insert("core.commits", **KEY, **at, **said, log_partition=7, is_transactional=is_transactional)

    def commit_of(self, group: str, position: int, offset: int) -> Story:
        """A commit of another group, ten offsets after its last one."""
        said = {
            "kind": "advance",
            "committed_offset": offset,
            "previous_offset": offset - 10,
            "is_previous_known": True,
        }
        at = {"log_offset": position, "effective_log_offset": position, "effective_at": minute(position)}
        key = {**KEY, "group_id": group, "log_partition": 8, "is_transactional": False}
        return self._insert("core.commits", **key, **at, **said)

    def state(self, position: int, state: str) -> Story:
        """What the coordinator wrote of the group."""
        said = {"log_offset": position, "from_at": minute(position), "generation": position, "state": state}
        return self._insert("core.generations", **LOG, **said)

    def log(self, position: int, *, start: int | None = None, end: int | None = None) -> Story:
        """What is known of the topic's log."""
        place = {"cluster": "c", "topic": "t", "partition": 0, "reached_at": minute(position)}
        return self._insert("core.log_ends", **place, log_start_offset=start, log_end_offset=end, source="live")

    def batch(self, first: int, last: int, **said: Any) -> Story:  # noqa: ANN401 - a value of any column
        """A batch of the topic."""
        place = {"cluster": "c", "topic": "t", "partition": 0, "base_offset": first, "last_offset": last}
        whole = {"record_count": last - first + 1, "is_control": False, "is_transactional": False, "size_bytes": 100}
        return self._insert("raw.batches", **{**place, **whole, **said})

    def skips(self, *columns: str) -> list[tuple[Any, ...]]:
        """What is claimed."""
        asked = ", ".join(columns or ASKED)
        return self._database.sql(f"SELECT {asked} FROM ({models.select('skips')}) ORDER BY log_offset").fetchall()  # noqa: S608 - names that the tests write


@pytest.fixture
def story(database: duckdb.DuckDBPyConnection) -> Story:
    """Nothing happened yet."""
    return Story(database)


def test_members_that_read_on_skip_nothing(story: Story) -> None:
    """However far a commit goes."""
    story.state(1, "Stable").commit(2, 10).commit(3, 500).log(1, end=9000)
    assert story.skips() == []


def test_an_admin_skips_what_came_while_nobody_was_there(story: Story) -> None:
    """The members may have read on from their last commit, to where the log was when the group was found empty."""
    story.state(1, "Stable").commit(2, 10).log(1, end=15).state(4, "Empty").log(5, end=40).commit(6, 30)
    assert story.skips() == [("set forward", 10, 30, 15, 30, 30, "certain", [2, 4, 6])]


def test_without_the_log_end_of_then_nothing_is_certain(story: Story) -> None:
    """Nobody knows how far the last member had read."""
    story.state(1, "Stable").commit(2, 10).state(4, "Empty").commit(6, 30)
    assert story.skips() == [("set forward", 10, 30, None, None, 30, "bounded", [2, 4, 6])]


def test_what_was_read_before_or_is_read_later_is_not_skipped(story: Story) -> None:
    """The group had come to 22 once, and goes back to 25 in the end."""
    story.state(1, "Stable").commit(2, 22).log(1, end=10).state(3, "Empty").commit(4, 10)
    story.state(5, "Empty").commit(6, 40).state(7, "Stable").commit(8, 25)
    assert story.skips() == [("set forward", 10, 40, 22, 25, 40, "certain", [4, 5, 6])]


def test_one_who_commits_again_and_again_reads_without_a_group(story: Story) -> None:
    """Members came and went; now somebody reads by himself."""
    story.state(1, "Stable").commit(2, 10).state(3, "Empty").commit(4, 20).commit(5, 30)
    assert story.skips() == []


def test_a_transaction_without_members_is_no_reset(story: Story) -> None:
    """Producers commit for consumers that are in no group."""
    story.state(1, "Stable").commit(2, 10).state(3, "Empty").commit(4, 20, is_transactional=True)
    assert story.skips() == []


def test_a_group_without_its_offset_may_begin_at_the_end(story: Story) -> None:
    """It met the log end of when its generation was made."""
    story.state(1, "Stable").commit(2, 10).commit(3, None).log(4, end=50).state(5, "Stable").log(6, end=70).commit(
        7, 56
    )
    assert story.skips() == [("begun at the end", 10, 56, None, None, 50, "inferred", [3, 5, 7])]


def test_one_that_came_not_so_far_began_elsewhere(story: Story) -> None:
    """The log end was beyond its first commit, so there is no estimate; lower than before it skipped nothing."""
    story.state(1, "Stable").commit(2, 10).commit(3, None).log(4, end=50).state(5, "Stable").commit(7, 20)
    assert story.skips() == [("begun at the end", 10, 20, None, None, None, "inferred", [3, 5, 7])]
    story.commit(8, None).commit(9, 5)
    assert len(story.skips()) == 1


def test_a_log_that_began_later_took_what_was_not_read(story: Story) -> None:
    """Known before the group moved on; it came out before the end that the log had: it went on from the log start."""
    story.log(0, end=90).state(1, "Stable").commit(2, 10).log(3, start=60).commit(4, 64)
    assert story.skips() == [("overtaken", 10, 60, None, None, 60, "inferred", [1, 2, 4])]


def test_members_may_go_on_at_the_log_end_instead(story: Story) -> None:
    """They come out beyond the end that the log had before, so all of it may be lost."""
    story.log(0, end=61).state(1, "Stable").commit(2, 10).log(3, start=60, end=100).commit(4, 102)
    assert story.skips("outer_from", "outer_to", "estimate_to") == [(10, 102, 60)]


@pytest.mark.parametrize(("step", "count"), [(11, 0), (500, 1)])
def test_a_log_start_found_later_needs_a_step_unlike_the_others(story: Story, step: int, count: int) -> None:
    """Any group that reads on goes over it some time, by a step as long as its others."""
    story.state(1, "Stable").commit(2, 10).commit(3, 20).commit(4, 20 + step).commit(5, 30 + step).log(
        9, start=13 + step
    )
    assert len(story.skips()) == count


def test_what_others_read_later_was_still_there(story: Story) -> None:
    """Another group reads before the log start that was found in the end, so the long step was a long read."""
    story.state(1, "Stable").commit(2, 10).commit(3, 20).commit(4, 520).log(9, start=513)
    assert len(story.skips()) == 1
    story.commit_of("other", 5, 300).commit_of("other", 6, 310)
    assert story.skips() == []


def test_a_long_step_that_goes_on_is_a_long_read(story: Story) -> None:
    """Members that had to begin at the log start come out right behind it."""
    story.state(1, "Stable").commit(2, 10).commit(3, 20).commit(4, 520).log(9, start=100)
    assert story.skips() == []


def test_records_are_counted_where_segments_tell(story: Story) -> None:
    """Markers are none, and where a transaction may be aborted nobody knows; a hole in the segments is no zero."""
    story.log(1, end=10).state(1, "Stable").commit(2, 10).state(4, "Empty").commit(6, 30)
    counted = ("records_outer", "bytes", "epoch_ms(first_record_at)", "epoch_ms(last_record_at)")
    assert story.skips(*counted) == [(None, None, None, None)]
    story.batch(8, 19, base_timestamp_ms=1, max_timestamp_ms=5).batch(20, 20, is_control=True)
    assert story.skips(*counted) == [(None, None, None, None)]
    story.batch(21, 40, base_timestamp_ms=6, max_timestamp_ms=9)
    assert story.skips(*counted) == [(19, 300, 1, 9)]
    story._insert("raw.batches", cluster="c", topic="t", partition=1, base_offset=0, last_offset=50)  # noqa: SLF001 - another partition's
    assert story.skips("records_outer") == [(19,)]


def test_a_transaction_may_be_aborted(story: Story) -> None:
    """Its records are there, and nobody reads them."""
    story.log(1, end=10).state(1, "Stable").commit(2, 10).state(4, "Empty").commit(6, 30)
    story.batch(10, 40, is_transactional=True)
    assert story.skips("records_outer", "bytes") == [(None, 100)]


def test_the_columns_are_the_described_ones(story: Story) -> None:
    """Names and order."""
    story.log(1, end=10).state(1, "Stable").commit(2, 10).state(4, "Empty").commit(6, 30)
    (row,) = story.skips("*")
    assert len(row) == len(TABLES["mart.skips"].columns)
