"""What is said of offsets that a group went past, on a few rows each."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import pytest

from assets import models
from assets.catalog import TABLES

if TYPE_CHECKING:
    import duckdb

KEY = {"cluster": "c", "group_id": "g", "topic": "t", "partition": 0}
LOG = {"cluster": "c", "group_id": "g", "log_partition": 7}
COLUMNS = ("kind", "possible_from", "possible_to", "certain_from", "certain_to", "estimate_to", "certainty", "evidence")


MIDNIGHT_MS = 1_767_225_600_000


def minute(position: int) -> str:
    """An instant on the first day of 2026."""
    return datetime.fromtimestamp(minute_ms(position) / 1000, timezone.utc).isoformat()


def minute_ms(position: int) -> int:
    """The same in milliseconds."""
    return MIDNIGHT_MS + position * 60_000


class Story:
    """A group's life, told in the order of its log: a position is a log offset and a minute."""

    def __init__(self, database: duckdb.DuckDBPyConnection) -> None:
        """Nothing is told yet."""
        self._database = database
        self._committed_offset: int | None = None
        self._state: str | None = None
        self._generation: int | None = None
        self._owner: str | None = None
        self.epoch: int | None = None
        self.topic_id: str | None = None

    def _insert(self, name: str, **row: Any) -> Story:  # noqa: ANN401 - a value of any column
        marks = ", ".join("?" * len(row))
        self._database.execute(f"INSERT INTO {name} ({', '.join(row)}) VALUES ({marks})", list(row.values()))  # noqa: S608 - names that the tests write
        return self

    def commit(
        self, position: int, offset: int | None, *, is_transactional: bool = False, cause: str | None = None
    ) -> Story:
        """A commit, or the removal of what stood."""
        before, self._committed_offset = self._committed_offset, offset
        kind = "removed" if offset is None else "first" if before is None else self._kind(before, offset)
        at = {"log_offset": position, "effective_log_offset": position, "effective_at": minute(position)}
        delta = None if None in (offset, before) else offset - before  # type: ignore[operator]
        delta = delta if delta is not None and abs(delta) < 2**63 else None
        values = {
            "kind": kind,
            "committed_offset": offset,
            "previous_offset": before,
            "is_previous_known": True,
            "delta": delta,
            "cause": cause,
            "leader_epoch": self.epoch,
            "topic_id": self.topic_id,
        }
        who = {} if offset is None else self._who(is_transactional=is_transactional)
        row = values | who | {"is_transactional": is_transactional}
        return self._insert("core.commits", **KEY, **at, **row, log_partition=7)

    @staticmethod
    def _kind(before: int, offset: int) -> str:
        """How an offset compares with what stood before it."""
        return "repeat" if offset == before else "advance" if offset > before else "rewind"

    def _who(self, *, is_transactional: bool) -> dict[str, Any]:
        """Who stands behind a commit now."""
        without_member = "simple_consumer" if self.epoch is not None else "admin" if self._state else "unknown"
        without_owner = without_member if self._state in (None, "Empty") else "unknown"
        by = "transaction" if is_transactional else "owner" if self._owner else without_owner
        host = "/h" if self._owner else None
        return {"actor": by, "generation": self._generation, "member_id": self._owner, "client_host": host}

    def hidden(self, position: int, offset: int) -> Story:
        """A commit of which nobody knows what stood before it."""
        at = {"log_offset": position, "effective_log_offset": position, "effective_at": minute(position)}
        row = {"kind": "unknown", "committed_offset": offset, "is_previous_known": False}
        self._committed_offset = offset
        return self._insert("core.commits", **KEY, **at, **row, log_partition=7, is_transactional=False)

    def commit_of(self, group: str, position: int, offset: int) -> Story:
        """A commit of another group, ten offsets after its last one."""
        row = {
            "kind": "advance",
            "committed_offset": offset,
            "previous_offset": offset - 10,
            "is_previous_known": True,
        }
        at = {"log_offset": position, "effective_log_offset": position, "effective_at": minute(position)}
        key = {**KEY, "group_id": group, "log_partition": 8, "is_transactional": False}
        return self._insert("core.commits", **key, **at, **row)

    def commit_far_away(self, log_offset: int) -> Story:
        """A commit of another group in the same partition, at any offset of its log."""
        at = {"log_offset": log_offset, "effective_log_offset": log_offset, "effective_at": minute(9)}
        row = {"kind": "first", "committed_offset": 1, "is_previous_known": True, "is_transactional": False}
        return self._insert("core.commits", **{**KEY, "group_id": "far"}, **at, **row, log_partition=7)

    def state(self, position: int, state: str | None, *, is_gap_free: bool = True) -> Story:
        """What the coordinator wrote of the group."""
        self._state, self._generation = state, position
        self._owner = None if state == "Empty" else self._owner
        row = {"log_offset": position, "from_at": minute(position), "generation": position, "state": state}
        self._insert("core.group_states", **LOG, **row, is_gap_free=is_gap_free)
        return self._insert("core.generations", **LOG, **row)

    def owner(self, position: int, member: str) -> Story:
        """Who came to own the partition."""
        self._owner = member
        row = {"log_offset": position, "seen_at": minute(position), "member_id": member, "client_host": "/h"}
        return self._insert("core.ownership", **LOG, **row, topic="t", partition=0)

    def log(self, position: int, *, start: int | None = None, end: int | None = None) -> Story:
        """What is known of the topic's log."""
        place = {"cluster": "c", "topic": "t", "partition": 0, "reached_at": minute(position)}
        return self._insert("core.log_ends", **place, log_start_offset=start, log_end_offset=end, source="live")

    def log_end(self, position: int, end: int) -> Story:
        """What the headers of a batch tell of the topic's log."""
        place = {"cluster": "c", "topic": "t", "partition": 0, "reached_at": minute(position)}
        return self._insert("core.log_ends", **place, log_end_offset=end, source="batch")

    def batch(self, first: int, last: int, **values: Any) -> Story:  # noqa: ANN401 - a value of any column
        """A batch of the topic."""
        place = {"cluster": "c", "topic": "t", "partition": 0, "base_offset": first, "last_offset": last}
        whole = {"record_count": last - first + 1, "is_control": False, "is_transactional": False, "size_bytes": 100}
        return self._insert("raw.batches", **{**place, **whole, **values})

    def segment(self, first: int, end: int, **values: Any) -> Story:  # noqa: ANN401 - a value of any column
        """A stretch of the topic's log that was read."""
        row = {"cluster": "c", "topic": "t", "partition": 0, "source": "file", "base_offset": first}
        return self._insert("raw.segments", **row, from_offset=first, end_offset=end, quarantined_count=0, **values)

    def topic_created(self, position: int) -> Story:
        """ZooKeeper logged that the topic was created."""
        row = {"cluster": "c", "topic": "t", "event": "topic_created", "timestamp_ms": minute_ms(position)}
        return self._insert("raw.zookeeper_events", **row)

    def update(self, change: str) -> Story:
        """Change what was told."""
        self._database.execute(f"UPDATE {change}")
        return self

    def columns(self) -> tuple[str, ...]:
        """What a claim says."""
        return tuple(self._database.sql(models.select("skips")).columns)

    def skips(self, *columns: str) -> list[tuple[Any, ...]]:
        """What is claimed."""
        select = ", ".join(columns or COLUMNS)
        return self._database.sql(f"SELECT {select} FROM ({models.select('skips')}) ORDER BY log_offset").fetchall()  # noqa: S608 - names that the tests write


@pytest.fixture
def story(database: duckdb.DuckDBPyConnection) -> Story:
    """Nothing happened yet."""
    return Story(database)


def test_members_that_read_on_skip_nothing(story: Story) -> None:
    """However far a commit goes."""
    story.state(1, "Stable").commit(2, 10).commit(3, 500).log(1, end=9000)
    assert story.skips() == []


def set_forward(story: Story) -> Story:
    """Committed 10, the group empty at minute 4 with 15 offsets in the log, then set to 30."""
    story.state(1, "Stable").commit(2, 10).log(1, end=15).state(4, "Empty").commit(6, 30)
    return story.batch(15, 40, max_timestamp_ms=minute_ms(5))


def test_an_admin_skips_what_came_while_nobody_was_there(story: Story) -> None:
    """The members may have read on from their last commit, to where the log was when the group was found empty."""
    set_forward(story)
    assert story.skips() == [("set_forward", 10, 30, 15, 30, 30, "proven", [2, 4, 6])]
    named = ("from_offset", "to_offset", "cause", "actor", "member_id", "generation_before", "generation_after")
    assert story.skips(*named) == [(10, 30, "admin_reset", "admin", None, 1, 4)]


def test_in_zookeeper_nothing_that_is_set_forward_is_proven(story: Story) -> None:
    """A consumer that lost its session may have read on, and committed."""
    set_forward(story).update("core.commits SET store_kind = 'zookeeper'")
    assert story.skips() == [("set_forward", 10, 30, None, None, 30, "likely", [2, 4, 6])]


@pytest.mark.parametrize(("created", "claims"), [(1, 1), (3, 0)])
def test_nothing_is_claimed_across_two_lives_that_zookeeper_tells_of(story: Story, created: int, claims: int) -> None:
    """The log that was read is gone when its topic is created anew."""
    set_forward(story).topic_created(created)
    assert len(story.skips()) == claims


def test_a_log_that_goes_on_far_away_takes_no_longer(story: Story) -> None:
    """Its offsets jump to where 64 bits end: what lies between is not gone through."""
    set_forward(story).commit_far_away((1 << 63) - 2)
    assert story.skips("kind", "certain_from", "certain_to", "certainty") == [("set_forward", 15, 30, "proven")]


def test_a_sample_of_later_bounds_what_was_there(story: Story) -> None:
    """A running cluster is asked now and then: by the next answer the log had come to 20, so it had not before."""
    story.state(1, "Stable").commit(2, 10).log(3, end=15).state(4, "Empty").log(5, end=20).commit(6, 30)
    assert story.skips("certain_from", "certain_to") == [(20, 30)]


def test_without_the_log_end_of_then_nothing_is_certain(story: Story) -> None:
    """Nobody knows how far the last member had read."""
    story.state(1, "Stable").commit(2, 10).state(4, "Empty").commit(6, 30)
    assert story.skips() == [("set_forward", 10, 30, None, None, 30, "likely", [2, 4, 6])]


def test_clocks_that_run_apart_prove_nothing(story: Story) -> None:
    """Another group had read to 25 by then, so what producers' clocks say of the log is wrong."""
    set_forward(story).commit_of("other", 3, 25)
    assert story.skips("certain_from", "certainty") == [(None, "likely")]


def test_a_batch_from_the_future_bounds_nothing(story: Story) -> None:
    """An admin set it to 30 at minute 6, so the batch was there before minute 9, whatever the clock of its producer."""
    story.state(1, "Stable").commit(2, 10).log(1, end=15).state(4, "Empty").commit(6, 30)
    story.batch(15, 40, max_timestamp_ms=minute_ms(9))
    assert story.skips("certain_from", "certainty") == [(None, "likely")]


def test_over_a_hole_nothing_is_certain(story: Story) -> None:
    """Members may have come and gone while the group seems empty."""
    story.state(1, "Stable").commit(2, 10).log(1, end=15).state(4, "Empty", is_gap_free=False).commit(6, 30)
    story.batch(15, 40, max_timestamp_ms=minute_ms(5))
    assert story.skips("possible_from", "possible_to", "certain_from", "certainty") == [(10, 30, None, "possible")]


def test_what_was_read_before_or_is_read_later_is_not_skipped(story: Story) -> None:
    """The group had come to 22 once, and is set back to 25 in the end."""
    story.state(1, "Stable").commit(2, 22).state(3, "Empty").commit(4, 10).batch(22, 40, max_timestamp_ms=minute_ms(6))
    story.state(5, "Empty").commit(6, 40).state(7, "Stable").state(8, "Empty").commit(9, 25)
    assert story.skips() == [("set_forward", 10, 40, 22, 25, 25, "proven", [4, 5, 6])]
    assert story.skips("estimate_from") == [(22,)]


def test_members_that_go_back_by_themselves_may_have_begun_anywhere(story: Story) -> None:
    """They keep their offsets elsewhere, perhaps, and read from 5 on what was to be skipped."""
    set_forward(story).state(7, "Stable").commit(8, 25)
    assert story.skips("certain_from", "certainty") == [(None, "likely")]


def test_an_epoch_is_known_only_to_who_reads(story: Story) -> None:
    """Somebody without a group read on in its name: this is no admin's doing, and probably nothing was passed over."""
    story.epoch = 4
    set_forward(story)
    columns = ("certain_from", "estimate_from", "estimate_to", "certainty", "cause")
    assert story.skips(*columns) == [(None, 10, 10, "possible", "unknown")]


def test_a_reset_that_was_taken_back_at_once_passes_over_nothing(story: Story) -> None:
    """The group is where it was, so nothing was passed over; a program that commits on and on gives no estimate."""
    set_forward(story).commit(7, 10)
    columns = ("possible_from", "possible_to", "estimate_from", "estimate_to", "certainty")
    assert story.skips(*columns) == [(10, 30, 10, 10, "possible")]
    story.commit(8, 20).commit(9, 5).commit(10, 10)
    assert story.skips(*columns) == [(10, to, None, None, "possible") for to in (30, 20)] + [
        (5, 10, None, None, "possible")
    ]


@pytest.mark.parametrize("later", ["hidden", "begun anew", "removed, with members", "removed"])
def test_who_may_have_begun_elsewhere_later_may_have_read_it(story: Story, later: str) -> None:
    """Behind a hole the group may have been set back; without an offset its members begin where they are told to."""
    set_forward(story)
    if later == "hidden":
        story.hidden(9, 60)
    else:
        story.commit(7, None)
    if later != "removed":
        story.state(8, "Stable")
    if later == "begun anew":
        story.commit(9, 60)
    assert story.skips("certainty")[0] == ("proven" if later == "removed" else "likely",)


def test_one_who_commits_again_and_again_reads_without_a_group(story: Story) -> None:
    """Members came and went; then a client reads without a group, or an admin set the offset two or three times."""
    set_forward(story).commit(7, 35)
    assert story.skips("possible_from", "possible_to", "certainty") == [(10, 30, "possible"), (30, 35, "possible")]
    story.commit(8, 36).commit(9, 37)
    assert story.skips() == []


def test_a_transaction_without_members_is_no_reset(story: Story) -> None:
    """Producers commit for consumers that are in no group."""
    story.state(1, "Stable").commit(2, 10).state(3, "Empty").commit(4, 20, is_transactional=True)
    assert story.skips() == []


def test_offsets_of_a_group_without_them_are_set_forward_too(story: Story) -> None:
    """They were deleted, and an admin set new ones: the members begin there and nowhere else."""
    story.state(1, "Stable").commit(2, 10).state(3, "Empty").commit(4, None, cause="offsets_deleted").commit(6, 30)
    story.batch(12, 40, max_timestamp_ms=minute_ms(5))
    assert story.skips() == [("set_forward", 10, 30, 12, 30, 30, "proven", [3, 4, 6])]


@pytest.mark.parametrize("bins", [0, 1, 2, 90])
def test_states_are_found_however_far_the_log_goes(story: Story, bins: int) -> None:
    """They are looked up by bins of the log's offsets."""
    place = {"cluster": "c", "log_partition": 7, "effective_at": minute(9), "is_transactional": False}
    story.state(1, "Stable").commit(2, 10).state(4, "Empty")
    story._insert(  # noqa: SLF001 - a commit far away
        "core.commits", **{**KEY, **place}, log_offset=6 + bins * 65536, effective_log_offset=6 + bins * 65536,
        kind="advance", previous_offset=10, committed_offset=30,
    )  # fmt: skip
    assert story.skips("possible_from", "possible_to") == [(10, 30)]


def restarted(story: Story, to: int, *, end: int = 500) -> Story:
    """Members that read ten offsets a minute; at minute 5 the offset 40 is removed, and at 8 they commit another."""
    story.state(1, "Stable").log(0, end=45).commit(1, 10).commit(2, 20).commit(3, 30).commit(4, 40)
    story.commit(5, None, cause="expired").log(6, end=end)
    return story.state(6, "Stable").owner(6, "m").log(7, end=end + 20).commit(8, to)


def test_a_group_without_its_offset_may_restart_at_the_end(story: Story) -> None:
    """Its first commit is within a step of the log end that it met, and too far from the log start for one step."""
    restarted(story, 506)
    assert story.skips() == [("restarted_at_latest", 40, 506, None, None, 500, "likely", [5, 6, 8])]
    assert story.skips("cause", "actor", "member_id", "client_host") == [("expired", "owner", "m", "/h")]


@pytest.mark.parametrize(("to", "end"), [(520, 500), (90, 85), (506, 507)])
def test_a_restart_that_may_have_been_elsewhere_has_no_estimate(story: Story, to: int, end: int) -> None:
    """Beyond a step behind the log end, within ten steps of the log start, or before the log end that it met."""
    restarted(story, to, end=end)
    assert story.skips("possible_from", "possible_to", "estimate_to", "certainty") == [(40, to, None, "possible")]


def test_a_group_that_restarted_at_the_start_once_does_so_again(story: Story) -> None:
    """Its policy is auto.offset.reset=earliest then, or its topic is made anew again and again."""
    restarted(story, 506).commit(9, None).commit(10, 17)
    assert story.skips("possible_to", "certainty") == [(506, "possible")]


def test_a_restart_in_a_topic_of_several_lives_has_no_estimate(story: Story) -> None:
    """No id tells which of the topics of this name the commits are of."""
    restarted(story, 506)
    for topic_id in ("one", "two"):
        story._insert("core.topics", cluster="c", topic="t", topic_id=topic_id)  # noqa: SLF001 - its own
    assert story.skips("certainty") == [("possible",)]


def test_a_log_that_is_younger_than_the_removal_gives_no_estimate(story: Story) -> None:
    """No batch of it tells that it is the log from which the group had read."""
    story.state(1, "Stable").commit(1, 10).commit(2, 20).commit(3, 30).commit(4, 40).commit(5, None)
    story.log(6, end=500).state(6, "Stable").owner(6, "m").commit(8, 506)
    assert story.skips("certainty") == [("possible",)]


@pytest.mark.parametrize(
    ("cause", "line", "cause_of_skip"),
    [
        ("old_coordinator_cleanup", None, "offsets_removed"),
        ("old_coordinator_cleanup", 3, "offsets_deleted"),
        ("old_coordinator_cleanup", 5, "offsets_removed"),
        ("expired", 3, "expired"),
    ],
)
def test_a_removal_by_an_old_coordinator_has_the_cause_that_its_text_log_tells(
    story: Story, cause: str, line: int | None, cause_of_skip: str
) -> None:
    """Its records are the same whether offsets, groups or topics are deleted."""
    story.state(1, "Stable").commit(2, 10).commit(3, None, cause=cause).state(6, "Stable").commit(7, 56)
    if line:
        story._insert(  # noqa: SLF001 - its own
            "raw.coordinator_events", cluster="c", group_id="g", event="offsets_are_deleted", logged_at=minute(line)
        )
    assert story.skips("cause") == [(cause_of_skip,)]


def test_members_begin_when_they_come_to_own_it(story: Story) -> None:
    """A later generation gave others something; who owned this partition went on."""
    story.state(1, "Stable").log(0, end=20).commit(1, 10).commit(2, 20).commit(3, None)
    story.state(4, "Stable").log(4, end=350).owner(4, "m").state(6, "Stable").log(6, end=354).commit(7, 356)
    assert story.skips("possible_from", "possible_to", "estimate_to", "cause") == [(20, 356, 350, "offsets_removed")]


def test_members_who_were_there_all_the_time_read_on(story: Story) -> None:
    """Old brokers let offsets expire under members that are there: these know where they were."""
    story.state(1, "Stable").owner(1, "m").commit(2, 10).commit(3, None, cause="expired").commit(7, 56)
    assert story.skips() == []


@pytest.mark.parametrize("shown_by", ["its removal", "its id", "its log", "nothing"])
def test_another_topic_of_the_name_is_another_log(story: Story, shown_by: str) -> None:
    """Its offsets have nothing to do with those of the topic that was deleted."""
    story.topic_id = "one"
    story.state(1, "Stable").commit(2, 10)
    story.commit(3, None, cause="topic_deleted" if shown_by == "its removal" else "unknown").state(5, "Stable")
    story.topic_id = "two" if shown_by == "its id" else None
    story.commit(7, 56).batch(0 if shown_by == "its log" else 30, 80, max_timestamp_ms=minute_ms(5))
    assert len(story.skips()) == (shown_by == "nothing")


def test_what_was_skipped_in_an_earlier_life_of_a_topic_nobody_can_count(story: Story) -> None:
    """All of the log came later, and so does not tell how far members had read."""
    story.state(1, "Stable").commit(2, 10).state(4, "Empty").commit(6, 30)
    story.batch(0, 40, max_timestamp_ms=minute_ms(5)).segment(0, 41)
    assert story.skips() == []
    story._database.execute("UPDATE raw.batches SET max_timestamp_ms = ?", [minute_ms(9)])  # noqa: SLF001 - its own
    assert story.skips("possible_from", "possible_to", "certain_from", "records_possible") == [(10, 30, None, None)]


def test_one_that_came_not_so_far_began_elsewhere(story: Story) -> None:
    """The log end was beyond its first commit, so there is no estimate; lower than before it skipped nothing."""
    story.state(1, "Stable").commit(2, 10).commit(3, None).log(4, end=50).state(5, "Stable").commit(7, 20)
    assert story.skips() == [("restarted_at_latest", 10, 20, None, None, None, "possible", [3, 5, 7])]
    story.commit(8, None).commit(9, 5)
    assert len(story.skips()) == 1


def stepping(story: Story) -> Story:
    """Members that read four offsets a minute, up to 10 at minute 2; the log ended at 90 at midnight."""
    return story.log(0, end=90).state(0, "Stable").commit(0, 2).commit(1, 6).commit(2, 10)


def test_a_log_that_began_later_took_what_was_not_read(story: Story) -> None:
    """Known before the group moved on; it came out before the end that the log had: it went on from the log start."""
    stepping(story).log(3, start=60).commit(4, 64).log(5, start=60)
    assert story.skips() == [("overtaken_by_log_start", 10, 60, None, None, 60, "likely", [2, 4])]
    assert story.skips("generation_before", "generation_after") == [(0, 0)]


def test_the_log_start_may_have_moved_since_it_was_last_known(story: Story) -> None:
    """To where the group went on, at most; or to where it was seen next."""
    stepping(story).log(3, start=60).commit(4, 64)
    assert story.skips("possible_to", "estimate_to") == [(64, 60)]
    story.log(5, start=62)
    assert story.skips("possible_to", "estimate_to") == [(62, 60)]


@pytest.mark.parametrize(("start", "certainty"), [(13, "possible"), (15, "likely")])
def test_what_is_gone_within_a_step_may_have_been_read(story: Story, start: int, certainty: str) -> None:
    """Members commit four offsets at once: they may have read so far when the log start moved."""
    stepping(story).log(3, start=start).commit(4, start + 1)
    assert story.skips("kind", "certainty") == [("overtaken_by_log_start", certainty)]


def test_what_came_and_went_while_nobody_was_there_was_surely_not_read(story: Story) -> None:
    """The group was empty from the log end 15 on, and the log began at 60 before members came."""
    story.state(1, "Stable").commit(2, 10).log(3, end=15).state(3, "Empty").batch(15, 90, max_timestamp_ms=minute_ms(4))
    story.log(5, start=60, end=90).state(6, "Stable").commit(7, 64).log(8, start=60)
    assert story.skips() == [("overtaken_by_log_start", 10, 64, 15, 60, 60, "proven", [2, 3, 7])]


def checkpoint(story: Story, start: int, **values: Any) -> Story:  # noqa: ANN401 - a value of any column
    """The last segment of a copy whose checkpoint names a log start."""
    return story.segment(start, start + 30, **{"log_start_offset": start, "broker_id": 1, **values})


def over(story: Story, start: int) -> Story:
    """A step of members from 10 to right behind a log start, found later."""
    return checkpoint(stepping(story).commit(5, start + 4), start)


def test_retention_takes_what_is_older_than_a_week(story: Story) -> None:
    """So a younger record was not taken by it, and nothing tells that the step went over a gap."""
    over(story, 60)
    assert story.skips("kind", "cause", "estimate_to", "certainty") == [
        ("overtaken_by_log_start", "unknown", None, "possible")
    ]
    story.batch(0, 59, max_timestamp_ms=minute_ms(0))
    story.log_end(-7 * 24 * 60, 60)
    assert story.skips("kind", "cause", "estimate_to", "certainty") == [
        ("overtaken_by_log_start", "retention", 60, "likely")
    ]


def test_a_log_start_within_a_segment_was_set_by_an_admin(story: Story) -> None:
    """Retention takes whole segments; so the age of records does not matter."""
    over(story, 60)
    story.segment(0, 61, log_start_offset=60)
    assert story.skips("cause", "estimate_to", "certainty") == [("records_deleted", 60, "likely")]


def test_a_running_cluster_does_not_tell_retention_from_deleted_records(story: Story) -> None:
    """What it had not got a week ago retention has not taken; else it may have."""
    stepping(story).log(3, start=60).commit(4, 64)
    assert story.skips("cause", "certainty") == [("unknown", "likely")]
    story.log(-7 * 24 * 60, end=60)
    assert story.skips("cause", "certainty") == [("retention", "likely")]


def test_a_step_that_ends_at_a_log_start_is_no_evidence(story: Story) -> None:
    """Commits run 12, 13, 14, 15, 16, and the log start reached 16 later."""
    story.state(1, "Stable")
    for position, offset in enumerate(range(12, 17), 2):
        story.commit(position, offset)
    checkpoint(story, 16).log_end(-7 * 24 * 60, 16)
    assert story.skips() == []


@pytest.mark.parametrize("broker", [1, 2])
def test_a_longer_copy_that_still_has_the_records_shows_that_they_were_there(story: Story, broker: int) -> None:
    """Another broker's, which had them when the log had come farther; a copy of the same broker is of another time."""
    over(story, 60).log_end(-7 * 24 * 60, 60)
    story.segment(0, 95, broker_id=broker)
    assert len(story.skips()) == (broker == 1)


def test_members_may_go_on_at_the_log_end_instead(story: Story) -> None:
    """They come out beyond the end that the log had before, so all of it may be lost."""
    story.log(0, end=61).state(0, "Stable").commit(0, 2).commit(1, 6).commit(2, 10)
    story.log(3, start=60, end=100).commit(4, 102)
    assert story.skips("possible_from", "possible_to", "estimate_to") == [(10, 102, 60)]


@pytest.mark.parametrize(("step", "count"), [(11, 0), (500, 1)])
def test_a_log_start_found_later_needs_a_step_unlike_the_others(story: Story, step: int, count: int) -> None:
    """Any group that reads on goes over it some time, by a step as long as its others."""
    story.state(1, "Stable").commit(2, 10).commit(3, 20).commit(4, 20 + step).commit(5, 30 + step)
    story.log(9, start=13 + step)
    assert len(story.skips()) == count


def test_or_it_is_the_first_step_after_nobody_was_there(story: Story) -> None:
    """Where members ask anew what there is: the step need not be longer than the others, but then nothing is likely."""
    story.state(1, "Stable").commit(2, 10).commit(3, 80).state(4, "Empty").state(5, "Stable").commit(6, 120)
    story.commit(7, 150).log(9, start=110)
    assert story.skips("kind", "possible_from", "possible_to", "estimate_to") == [
        ("overtaken_by_log_start", 80, 120, None)
    ]


@pytest.mark.parametrize(("to", "count"), [(290, 1), (190, 0)])
def test_who_comes_back_and_commits_seldom_went_on_nobody_knows_where(story: Story, to: int, count: int) -> None:
    """Its first step is unlike the others and comes out far behind the log start, so there is no estimate."""
    story.state(1, "Stable").commit(2, 10).commit(3, 80).state(4, "Empty").state(5, "Stable").commit(6, to)
    story.commit(7, to + 10).log(9, start=110)
    assert (
        story.skips("kind", "possible_from", "possible_to", "estimate_to")
        == [("overtaken_by_log_start", 80, to, None)] * count
    )


def test_a_log_that_began_earlier_still_took_nothing_then(story: Story) -> None:
    """By minute 7 it began at 5, so at minute 4 the step went over offsets that were there."""
    story.state(1, "Stable").commit(2, 10).commit(3, 20).commit(4, 520).commit(5, 530).log(7, start=5).log(9, start=513)
    assert story.skips() == []


def test_what_others_read_later_was_still_there(story: Story) -> None:
    """Another group reads before the log start that was found in the end, so the long step was a long read."""
    story.state(1, "Stable").commit(2, 10).commit(3, 20).commit(4, 520).log(9, start=513)
    assert len(story.skips()) == 1
    story.commit_of("other", 5, 300).commit_of("other", 6, 310)
    assert story.skips("kind", "group_id") == [("below_log_start", "other")]


def test_a_long_step_that_goes_on_is_a_long_read(story: Story) -> None:
    """Members that had to begin at the log start come out right behind it."""
    story.state(1, "Stable").commit(2, 10).commit(3, 20).commit(4, 520).log(9, start=100)
    assert story.skips() == []


@pytest.mark.parametrize(("previous", "start", "to"), [(10, 60, 64), (10, 70_000, 70_004), (10, 70_000, 900_000)])
def test_log_starts_are_found_however_long_a_step_is(story: Story, previous: int, start: int, to: int) -> None:
    """They are looked up by bins of offsets."""
    story.state(1, "Stable").commit(1, previous - 4).commit(2, previous).log(3, start=start).commit(4, to)
    assert story.skips("kind", "estimate_to") == [("overtaken_by_log_start", start)]


def test_a_group_that_never_came_back_is_left_behind(story: Story) -> None:
    """The log begins beyond it; that is dated by when it came so far, however often it committed the same later."""
    story.state(1, "Stable").commit(2, 10).commit(3, 10).state(4, "Empty").log(1, start=5).log(5, start=60)
    story.log(8, start=90)
    assert story.skips() == [("below_log_start", 10, 90, None, None, 90, "likely", [3])]
    columns = (
        "from_offset",
        "to_offset",
        "epoch_ms(occurred_at)",
        "to_time",
        "generation_before",
        "generation_after",
        "cause",
    )
    assert story.skips(*columns) == [(10, None, minute_ms(2), None, 1, 4, "unknown")]


def test_what_was_lost_was_lost_after_it_was_written(story: Story) -> None:
    """The newest batch before the log start is later than the last commit."""
    checkpoint(story.state(1, "Stable").commit(2, 10), 90).log_end(7, 80)
    assert story.skips("kind", "epoch_ms(occurred_at)", "to_time") == [("below_log_start", minute_ms(7), None)]


@pytest.mark.parametrize(("days", "expected"), [(5, ("unknown", "possible")), (8, ("retention", "likely"))])
def test_a_group_is_left_behind_by_retention_only_if_that_is_over(
    story: Story, days: int, expected: tuple[str, str]
) -> None:
    """Eight offsets, five days older than the newest record, which another copy of the log still has."""
    checkpoint(story.state(1, "Stable").commit(2, 10), 18).log_end(2 - days * 24 * 60, 18)
    assert story.skips("cause", "certainty") == [expected]


def test_who_left_within_a_step_of_the_log_start_may_have_read_up_to_it(story: Story) -> None:
    """Members commit ten offsets at once, and the last of them may not have been committed."""
    story.state(1, "Stable").commit(2, 10).commit(3, 20).log(8, start=30)
    assert story.skips("kind", "certainty") == [("below_log_start", "possible")]


def test_another_topic_of_the_name_leaves_nobody_behind(story: Story) -> None:
    """Its log start says nothing of what the group committed in the topic before."""
    story.topic_id = "one"
    checkpoint(story.state(1, "Stable").commit(2, 10), 90, topic_id="two")
    assert story.skips() == []


def test_what_was_gone_when_it_was_committed_is_no_loss_since(story: Story) -> None:
    """It was set back below the log start, which moved on afterwards."""
    story.state(1, "Stable").commit(2, 70).log(3, start=60).state(4, "Empty").commit(5, 20)
    assert story.skips() == []
    story.log(8, start=90)
    assert story.skips("kind", "possible_from", "possible_to") == [("below_log_start", 70, 90)]


def reads_with_epochs(story: Story, end: int) -> None:
    """A member reads on and says epochs, from position 2 to before another; it says none any more then."""
    story.state(1, "Stable").owner(1, "m")
    story.epoch = 3
    for position in range(2, end):
        story.commit(position, position * 10)
    story.epoch = None


def test_a_member_that_was_told_to_go_on_elsewhere_knows_no_epoch(story: Story) -> None:
    """It had not read anything there when it committed; a group that never says epochs tells nothing by it."""
    reads_with_epochs(story, 30)
    story.commit(30, 5000)
    assert story.skips() == []
    story.epoch = 3
    story.commit(31, 5010)
    assert story.skips() == [("skipped_ahead", 290, 5000, None, None, 5000, "likely", [1, 29, 30])]
    assert story.skips("cause", "actor", "member_id") == [("seek", "owner", "m")]


@pytest.mark.parametrize("start", [None, 60, 400])
def test_so_does_who_met_another_log_start_when_it_came(story: Story, start: int | None) -> None:
    """It goes on committing where it was put until it has read; the log start of then is known seldom."""
    reads_with_epochs(story, 30)
    story.state(30, "Empty").commit(31, 100).state(32, "Stable").owner(32, "m").commit(33, 350).commit(34, 350)
    story.epoch = 3
    story.commit(35, 360)
    if start:
        story.log(50, start=start)
    columns = ("kind", "possible_from", "possible_to", "estimate_to", "cause", "certainty")
    expected = (None, "unknown", "possible") if start == 400 else (350, "seek", "likely")
    assert story.skips(*columns)[:1] == [("skipped_ahead", 100, 350, *expected)]


@pytest.mark.parametrize("then", ["another state", "a set-back", "one step more"])
def test_who_went_back_to_where_it_stops_has_read_all(story: Story, then: str) -> None:
    """It fetched more than it was to process, sought back and committed that: what comes next is not its reading on."""
    reads_with_epochs(story, 30)
    story.commit(30, 295).commit(31, 295)
    if then == "another state":
        story.state(32, "Stable").owner(32, "n")
    if then == "a set-back":
        story.commit(32, 20)
    story.epoch = 3
    story.commit(33, 300)
    assert [row[:3] for row in story.skips()] == ([("skipped_ahead", 290, 295)] if then == "one step more" else [])


def test_a_client_that_knows_no_epochs_reads_all(story: Story) -> None:
    """Other clients of its group say them, after it and before."""
    reads_with_epochs(story, 50)
    story.state(50, "Stable").owner(50, "n").commit(51, 500).commit(52, 510)
    story.epoch = 3
    story.state(53, "Stable").owner(53, "m").commit(54, 520)
    assert story.skips() == []


def test_records_are_counted_where_segments_tell(story: Story) -> None:
    """The possible range and the certain one, each for itself."""
    story.log(1, end=10).state(1, "Stable").commit(2, 10).state(4, "Empty").commit(6, 30)
    counted = ("records_possible", "records_certain", "bytes", "epoch_ms(first_record_at)", "epoch_ms(last_record_at)")
    story.batch(8, 19, base_timestamp_ms=1, max_timestamp_ms=5).batch(20, 20, is_control=True)
    story.batch(21, 40, base_timestamp_ms=6, max_timestamp_ms=minute_ms(5))
    assert story.skips(*counted) == [(None, None, None, None, None)]
    story.segment(0, 41)
    assert story.skips(*counted) == [(19, 9, 200, 1, minute_ms(5))]


@pytest.mark.parametrize("offset", [2**63 - 1, -5])
def test_offsets_that_no_log_has_do_no_harm(story: Story, offset: int) -> None:
    """Anybody may commit any number."""
    story.state(1, "Stable").commit(2, offset).log(1, end=15, start=3).state(4, "Empty").commit(6, 2**63 - 2).commit(
        7, 9
    )
    assert all(row[1] < row[2] for row in story.skips())


def test_the_columns_are_the_described_ones(story: Story) -> None:
    """Names and order."""
    set_forward(story)
    assert story.columns() == TABLES["mart.skips"].column_names
