"""States that only a text log tells, between those that records tell, on a few rows each."""

from __future__ import annotations

from typing import Any

import pytest

from assets.models import MACROS, lineage
from tests.assets.rows import Answer, Book, second

PLACE = {"cluster": "c", "group_id": "g"}
KEY = {**PLACE, "topic": "t", "partition": 0, "log_partition": 7}
(MACRO,) = (macro for macro in MACROS if macro.name == "group_states_at")


class History:
    """The records and the lines about a group, and the states that follow."""

    def __init__(self) -> None:
        """Begin without any."""
        self.book = Book(["internal.recorded_group_states", "raw.coordinator_events", *lineage.tables_of_macro(MACRO)])
        self._position = 0
        self._line = 0

    def record(self, at: float, state: str, generation: int | None, **row: Any) -> History:  # noqa: ANN401 - a value of any column
        """A record of the group."""
        ends = (
            "UPDATE internal.recorded_group_states SET to_log_offset = ?, to_at = ?"
            " WHERE log_offset = ? AND state <> 'Dead'"
        )
        self.book.ask(ends, self._position + 1, second(at), self._position)
        self._position += 1
        values = {"group_type": "classic", "log_partition": 7, "is_gap_free": True, "from_at": second(at)} | row
        self.book.insert(
            "internal.recorded_group_states",
            **PLACE,
            log_offset=self._position,
            state=state,
            generation=generation,
            **values,
        )
        return self

    def line(self, at: float, event: str, generation: int | None = None, **row: Any) -> History:  # noqa: ANN401 - a value of any column
        """A line of the coordinator's text log."""
        self._line += 1
        values = {"broker_id": 1, "line": self._line, "message": "", "repeat": 0} | row
        self.book.insert(
            "raw.coordinator_events", **PLACE, logged_at=second(at), event=event, generation=generation, **values
        )
        return self

    def commit(self, at: float, kind: str = "first", **row: Any) -> History:  # noqa: ANN401 - a value of any column
        """An offset of the group, committed or removed."""
        self._position += 1
        values = {
            "effective_at": second(at),
            "effective_log_offset": self._position,
            "log_offset": self._position,
        } | row
        self.book.insert("core.commits", **KEY, kind=kind, is_previous_known=True, is_effect_known=True, **values)
        return self

    def read(self, start: int, end: int, at: float = 90, **row: Any) -> History:  # noqa: ANN401 - a value of any column
        """A stretch of the partition's log that was read, by default without a hole."""
        place = {"cluster": "c", "topic": "__consumer_offsets", "partition": 7, "path": "", "read_at": second(at)}
        zero = dict.fromkeys(("base_offset", "size_bytes", "start_position", "end_position", "torn_bytes"), 0)
        values = {"from_offset": start, "end_offset": end, "record_count": end - start, "quarantined_count": 0} | row
        self.book.insert("raw.segments", **place, **zero, source="file", is_continued=False, batch_count=1, **values)
        return self

    def group_at(self, at: str) -> Answer:
        """What is told of the group at an instant, asked for alone."""
        self.book.make("core.group_states")
        return self.book.ask(
            "SELECT state, group_type, member_count, source FROM group_states_at(?::TIMESTAMPTZ, 'g')", at
        )

    def states(self, columns: str = "state, generation, source") -> Answer:
        """What is told of the group, in order."""
        self.book.make("core.group_states")
        return self.book.ask(f"SELECT {columns} FROM core.group_states")  # noqa: S608 - names that the tests write

    def state_at(self, at: float) -> Answer:
        """The state at an instant."""
        self.book.make("core.group_states")
        return self.book.ask("SELECT state, source, reason FROM group_states_at(?::TIMESTAMPTZ)", second(at))


def rebalance() -> History:
    """A group that goes from generation 1 to 2 within four seconds."""
    history = History().record(0, "Stable", 1)
    history.line(10, "rebalance_begins", 1, reason="Adding new member b").line(13, "members_joined", 2, member_count=2)
    return history.line(14, "assignment_received", 2).record(14, "Stable", 2)


def test_a_rebalance_stands_between_two_records() -> None:
    """Each state ends where the next begins; what the record says, no line has to."""
    assert rebalance().states(
        "state, generation, source, epoch(to_at - from_at)::INTEGER, log_offset, to_log_offset"
    ) == [
        ("Stable", 1, "record", 10, 1, 2),
        ("PreparingRebalance", 1, "text_log", 3, 1, 2),
        ("CompletingRebalance", 2, "text_log", 1, 1, 2),
        ("Stable", 2, "record", None, 2, None),
    ]


def test_the_state_at_an_instant_is_that_of_the_line_or_the_record_before_it() -> None:
    """With the reason where a line gives one."""
    history = rebalance()
    assert [history.state_at(at) for at in (9, 10, 13.5, 14)] == [
        [("Stable", "record", None)],
        [("PreparingRebalance", "text_log", "Adding new member b")],
        [("CompletingRebalance", "text_log", None)],
        [("Stable", "record", None)],
    ]


@pytest.mark.parametrize(
    ("at", "event", "generation"),
    [
        (10, "rebalance_begins", 2),
        (10, "rebalance_begins", 0),
        (10, "members_joined", 1),
        (10, "members_joined", 3),
        (10, "assignment_received", 2),
        (10, "group_is_empty", 2),
        (10, "group_is_dead", 1),
        (30, "rebalance_begins", 1),
        (-5, "rebalance_begins", 1),
        (10, "group_is_loaded", None),
        (10, "member_failed", None),
        (10, "rebalance_begins", -7),
        (10, "rebalance_begins", 1 << 40),
    ],
)
def test_a_line_that_fits_no_two_records_says_nothing(at: float, event: str, generation: int | None) -> None:
    """Another generation, another time (a log in another time zone), or what a record would have told."""
    history = History().record(0, "Stable", 1).record(20, "Stable", 2).line(at, event, generation)
    assert history.states() == [("Stable", 1, "record"), ("Stable", 2, "record")]


def test_within_a_millisecond_generations_tell_what_came_first() -> None:
    """A group is made, begins to rebalance and is empty again, each at once."""
    history = History().record(0, "Empty", 0).line(0, "rebalance_begins", 0)
    history.line(3, "rebalance_begins", 1).record(1, "Stable", 1).record(3, "Empty", 2)
    assert history.states("state, generation, log_offset, from_at = to_at") == [
        ("Empty", 0, 1, True),
        ("PreparingRebalance", 0, 1, False),
        ("Stable", 1, 2, False),
        ("PreparingRebalance", 1, 2, True),
        ("Empty", 2, 3, None),
    ]


def test_generations_that_no_member_was_given_are_still_a_rebalance() -> None:
    """Nobody synced in 2, so nothing was written of it; of 3 there is a record."""
    history = History().record(0, "Stable", 1).line(1, "rebalance_begins", 1).line(2, "members_joined", 2)
    history.line(3, "rebalance_begins", 2).line(4, "members_joined", 3).record(5, "Stable", 3)
    assert [state for state, *_ in history.states()] == [
        "Stable",
        "PreparingRebalance",
        "CompletingRebalance",
        "PreparingRebalance",
        "CompletingRebalance",
        "Stable",
    ]


def test_a_state_whose_record_is_gone_is_told_by_the_line() -> None:
    """Only where offsets were not seen: elsewhere its record would be there."""
    for is_gap_free, states in ((True, ["Stable", "Stable"]), (False, ["Stable", "Stable", "Empty", "Stable"])):
        history = History().record(0, "Stable", 1, is_gap_free=is_gap_free).line(2, "assignment_received", 2)
        history.line(3, "group_is_empty", 3).record(9, "Stable", 5)
        assert [state for state, *_ in history.states()] == states


def test_beyond_the_last_record_lines_go_on() -> None:
    """The text log may have been read further than the log of offsets."""
    history = History().record(0, "Stable", 1).line(5, "rebalance_begins", 1).line(6, "members_joined", 2)
    assert history.line(7, "assignment_received", 2).states("state, source, to_at")[-1] == ("Stable", "text_log", None)
    assert history.state_at(99) == [("Stable", "text_log", None)]


def test_a_group_of_which_no_record_is_known() -> None:
    """Its lines are all there is; the partition is what they say."""
    history = History().line(1, "rebalance_begins", 0, log_partition=9).line(2, "members_joined", 1, log_partition=9)
    assert history.states("state, log_partition, log_offset, is_gap_free") == [
        ("PreparingRebalance", 9, None, False),
        ("CompletingRebalance", 9, None, False),
    ]


def test_a_coordinator_that_takes_over_knows_of_no_rebalance() -> None:
    """The group is what its record says again, until a rebalance begins anew."""
    history = History().record(0, "Stable", 1, member_count=2).line(5, "rebalance_begins", 1)
    history.line(6, "group_is_loaded", broker_id=2, member_count=2).line(7, "group_is_loaded", broker_id=2)
    assert history.states("state, generation, member_count, source")[1:] == [
        ("PreparingRebalance", 1, None, "text_log"),
        ("Stable", 1, 2, "text_log"),
    ]


def test_a_death_that_no_record_tells() -> None:
    """Coordinators before Kafka 4 wrote nothing when a group without a generation of its own died."""
    history = History().record(0, "Empty", 4).line(5, "group_is_dead", 4)
    assert history.states() == [("Empty", 4, "record"), ("Dead", None, "text_log")]


def test_after_its_death_a_group_counts_from_the_beginning() -> None:
    """Lines about its next life are not held against generations of the last."""
    history = (
        History().record(0, "Empty", 9).record(1, "Dead", None).line(3, "rebalance_begins", 0).record(5, "Stable", 1)
    )
    assert [state for state, *_ in history.states()] == ["Empty", "Dead", "PreparingRebalance", "Stable"]
    assert history.state_at(2) == [("Dead", "record", None)]


def test_groups_whose_coordinator_writes_down_every_state_need_no_lines() -> None:
    """Records of a consumer group say when it is reconciling."""
    history = History().record(0, "Stable", 4, group_type="consumer").line(5, "rebalance_begins", 4)
    assert history.states() == [("Stable", 4, "record")]


def test_records_without_times_stand_alone() -> None:
    """Nothing can be put between them; the end of the log is what it is."""
    history = (
        History()
        .record(0, "Stable", 1, from_at=None)
        .line(5, "rebalance_begins", 1)
        .record(9, "Stable", 2, from_at=None)
    )
    assert history.states("state, source") == [("Stable", "record"), ("Stable", "record")]


EMPTY = [("Empty", "simple", 0, "offsets")]
UNKNOWN = [(None, None, None, "offsets")]


def test_a_group_that_only_committed_is_empty_while_it_has_offsets() -> None:
    """Its coordinator calls it so from the first offset on, and forgets it with the last."""
    history = History().commit(10).commit(20, "removed").read(0, 9)
    assert [history.group_at(second(at)) for at in (9, 10, 19, 20)] == [[], EMPTY, EMPTY, []]
    assert history.group_at("infinity") == []


def test_a_group_that_commits_behind_its_removal_is_empty() -> None:
    """As after a reset of a group that was deleted; once its offsets are gone, too, it is dead again."""
    history = History().record(0, "Empty", 3, member_count=0).commit(5).commit(10, "removed").record(10, "Dead", None)
    dead = [("Dead", "classic", None, "record")]
    history.commit(20).commit(30, "removed").read(0, 9)
    assert [history.group_at(second(at)) for at in (9, 10, 20, 30)] == [
        [("Empty", "classic", 0, "record")],
        dead,
        EMPTY,
        dead,
    ]


def test_an_offset_that_outlived_its_group_does_not_bring_it_back() -> None:
    """It was committed before the group was removed: to the coordinator there is none."""
    history = History().record(0, "Stable", 3).commit(5).record(10, "Dead", None).read(0, 9)
    assert history.group_at(second(20)) == history.group_at("infinity") == [("Dead", "classic", None, "record")]


def test_a_group_that_has_a_record_is_what_the_record_says() -> None:
    """Offsets say nothing of it."""
    history = History().record(0, "Stable", 3, member_count=2).commit(5).read(0, 9)
    assert history.group_at(second(20)) == [("Stable", "classic", 2, "record")]


def test_after_a_line_that_says_it_died_a_commit_counts_by_its_time() -> None:
    """A line has no place in the log."""
    history = History().record(0, "Empty", 3).commit(1).line(10, "group_is_dead", 3).read(0, 9)
    dead = [("Dead", "classic", None, "text_log")]
    assert history.group_at(second(20)) == dead
    history.commit(25, "advance")
    assert [history.group_at(second(at)) for at in (20, 25)] == [dead, EMPTY]


@pytest.mark.parametrize(
    ("stretches", "then", "now"),
    [
        ([(0, 9, {})], EMPTY, EMPTY),
        ([(0, 4, {}), (4, 9, {})], EMPTY, EMPTY),
        ([(0, 9, {"record_count": 5})], UNKNOWN, EMPTY),
        ([(0, 9, {"record_count": 5}), (0, 9, {})], EMPTY, EMPTY),
        ([(4, 9, {})], UNKNOWN, UNKNOWN),
        ([(4, 9, {"log_start_offset": 4})], UNKNOWN, EMPTY),
        ([(0, 3, {}), (5, 9, {})], UNKNOWN, UNKNOWN),
        ([(0, 9, {"quarantined_count": 1})], UNKNOWN, UNKNOWN),
        ([(0, 5, {}), (5, 9, {"quarantined_count": 1})], UNKNOWN, UNKNOWN),
        ([], UNKNOWN, UNKNOWN),
    ],
)
def test_a_record_of_the_group_may_be_among_what_nobody_saw(
    stretches: list[tuple[int, int, dict[str, int]]], then: Answer, now: Answer
) -> None:
    """In the end it is not among what the cleaner removed, which leaves the last record of each group."""
    history = History().commit(10)
    for start, end, row in stretches:
        history.read(start, end, **row)
    assert [history.group_at(at) for at in (second(20), second(90), "infinity")] == [then, now, now]


def test_what_was_missed_before_its_removal_hides_no_record_of_a_group() -> None:
    """That it had none then is known of a group that was removed."""
    history = History().record(10, "Dead", None).commit(20).read(1, 9)
    assert history.group_at(second(30)) == EMPTY
