"""What is said of offsets that a group read again, on a few rows each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from assets.catalog import TABLES
from assets.transforms.marts import commit_sums, replays
from tests.assets.rows import computed_replays

if TYPE_CHECKING:
    import duckdb

KEY = {"cluster": "c", "group_id": "g", "topic": "t", "partition": 0}
LOG = {"cluster": "c", "group_id": "g", "log_partition": 7}
PLACE = {"cluster": "c", "topic": "t", "partition": 0}
COLUMNS = ("kind", "possible_from", "possible_to", "certain_from", "certain_to", "certainty", "cause")
SESSION_MS = 10_000
END = 1 << 40


def second(position: float) -> str:
    """An instant of the first day of 2026."""
    return f"2026-01-01 {int(position) // 3600:02d}:{int(position) // 60 % 60:02d}:{position % 60:06.3f}+00"


class Story:
    """A group's life, told in the order of its log: a position is a log offset and a second."""

    def __init__(self, database: duckdb.DuckDBPyConnection) -> None:
        """Begin with empty tables."""
        self._database = database
        self._committed_offset: int | None = None
        self._owned: dict[str, int] = {}
        database.execute("CREATE SCHEMA IF NOT EXISTS raw")
        database.execute("CREATE SCHEMA IF NOT EXISTS mart")
        for name in replays.TRANSFORM.reads:
            if not name.startswith("core.") and name != commit_sums.FULL_NAME:
                database.register("no_rows", TABLES[name].schema.empty_table())
                database.execute(f"CREATE TABLE IF NOT EXISTS {name} AS FROM no_rows")
                database.unregister("no_rows")

    def insert(self, name: str, **row: Any) -> Story:  # noqa: ANN401 - a value of any column
        """Add a row."""
        marks = ", ".join("?" * len(row))
        self._database.execute(f"INSERT INTO {name} ({', '.join(row)}) VALUES ({marks})", list(row.values()))  # noqa: S608 - names that the tests write
        return self

    def commit(self, position: int, offset: int | None, **values: Any) -> Story:  # noqa: ANN401 - a value of any column
        """A commit, or the removal of what stood."""
        before, self._committed_offset = self._committed_offset, offset
        kind = (
            "removed"
            if offset is None
            else "first"
            if before is None
            else "advance"
            if offset > before
            else "repeat"
            if offset == before
            else "rewind"
        )
        at = {"log_offset": position, "effective_log_offset": position, "effective_at": second(position)}
        step = {"kind": kind, "committed_offset": offset, "previous_offset": before, "is_previous_known": True}
        also = {"log_partition": 7, "is_transactional": False, "cause": "unknown" if offset is None else None}
        return self.insert("core.commits", **{**KEY, **at, **step, **also, **values})

    def reads(self, positions: range, begin: int, step: int) -> Story:
        """Commits, one after the other, so many offsets apart."""
        for number, position in enumerate(positions):
            self.commit(position, begin + step * number)
        return self

    def state(self, position: int, state: str, protocol: str = "range", *, is_gap_free: bool = True) -> Story:
        """What the coordinator wrote of the group."""
        chosen = {"group_type": "classic", "protocol_type": "consumer", "protocol": protocol}
        values = {"log_offset": position, "from_at": second(position), "generation": position, "state": state}
        values |= {"is_gap_free": is_gap_free}
        return self.insert("core.generations", **LOG, **chosen, **values)

    def owner(self, begin: int, end: int | None, ended: str = "left_or_expired", **values: Any) -> Story:  # noqa: ANN401
        """A member that owned the partition."""
        member = {"member_id": f"m-{begin}", "client_id": "m", "client_host": "/h"}
        at = {"log_offset": begin, "from_log_offset": begin, "seen_at": second(begin), "generation": begin}
        to = {"until_log_offset": end, "to_log_offset": end, "until_at": second(end)} if end else {}
        row = {**KEY, "log_partition": 7, **member, **at, **to, "last_generation": begin}
        self.insert("core.ownership", **{**row, "end_reason": ended if end else None, **values})
        session = {"log_offset": begin, "session_timeout_ms": SESSION_MS}
        return self.insert("core.members", **LOG, **{"member_id": f"m-{begin}", **session})

    def batch(self, position: float, first: int, last: int, **values: Any) -> Story:  # noqa: ANN401 - a value of any column
        """A batch of the topic, made at a second, in a segment of its own that was read whole."""
        at_ms = 1_767_225_600_000 + int(1000 * position)
        whole = {"record_count": last - first + 1, "is_control": False, "is_transactional": False, "size_bytes": 100}
        times = {"base_timestamp_ms": at_ms, "max_timestamp_ms": at_ms}
        self.segment(first, last + 1)
        return self.insert(
            "raw.batches", **{**PLACE, "base_offset": first, "last_offset": last, **whole, **times, **values}
        )

    def segment(self, first: int, end: int) -> Story:
        """A stretch of the log that was read."""
        return self.insert("raw.segments", **PLACE, from_offset=first, end_offset=end, quarantined_count=0)

    def produced(self, until: int, rate: int = 10) -> Story:
        """A batch of so many records each second."""
        for at in range(until):
            self.batch(at, rate * at, rate * at + rate - 1)
        return self

    def log_start(self, position: int, offset: int) -> Story:
        """The log was found to begin here."""
        row = {"reached_at": second(position), "log_start_offset": offset, "source": "checkpoint"}
        return self.insert("core.log_ends", **PLACE, **row)

    def replays(self, *columns: str, where: str = "TRUE") -> list[tuple[Any, ...]]:
        """What is claimed."""
        select = ", ".join(columns or COLUMNS)
        self._database.register("computed_rows", computed_replays(self._database))
        question = f"SELECT {select} FROM computed_rows WHERE {where} ORDER BY log_offset"  # noqa: S608 - names that the tests write
        return self._database.sql(question).fetchall()


@pytest.fixture
def story(database: duckdb.DuckDBPyConnection) -> Story:
    """Nothing happened yet."""
    return Story(database)


def read_and_left(story: Story) -> Story:
    """Members read to 100, kept up with the log and left; an admin may come now."""
    story.state(1, "Stable").owner(1, 13).reads(range(2, 13), 0, 10)
    return story.state(13, "Empty").produced(60)


def test_members_that_read_on_read_nothing_again(story: Story) -> None:
    """However far a commit goes."""
    story.state(1, "Stable").owner(1, None).commit(2, 10).commit(3, 10).commit(4, 500).produced(60)
    assert story.replays() == []


def test_a_set_back_of_an_empty_group_that_reads_on_is_certain(story: Story) -> None:
    """All that lies between the lower commit and the old one was read again; the admin did it."""
    read_and_left(story).commit(14, 40).state(15, "Stable").owner(15, None).commit(16, 70).commit(17, 130)
    assert story.replays() == [("set_back", 40, 100, 40, 100, "proven", "admin_reset")]
    assert story.replays("from_offset", "to_offset", "actor", "member_id", "evidence") == [
        (40, 100, "admin", None, [12, 13, 14])
    ]
    assert story.replays("generation_before", "generation_after", "epoch_ms(to_time) - epoch_ms(occurred_at)") == [
        (1, 13, 3000)
    ]


@pytest.mark.parametrize(("by", "proof"), [("owner", (40, 100)), ("unknown", (None, None))])
def test_in_zookeeper_only_the_owner_reads_on(story: Story, by: str, proof: tuple[int | None, int | None]) -> None:
    """Anybody can set an offset there while members are."""
    of_store = {"store_kind": "zookeeper"}
    state = {**LOG, "group_type": "zookeeper", "is_gap_free": True}
    for position, name in ((1, "Stable"), (13, "Empty"), (15, "Stable")):
        row = {"log_offset": position, "from_at": second(position), "state": name}
        story.insert("internal.recorded_group_states", **state, **row)
    story.owner(1, 13, "left", group_type="zookeeper").produced(60)
    for position in range(2, 13):
        story.commit(position, 10 * (position - 2), actor="owner", **of_store)
    story.commit(14, 40, actor="admin", **of_store).owner(15, None, group_type="zookeeper")
    story.commit(16, 70, actor=by, **of_store).commit(17, 130, actor=by, **of_store)
    assert story.replays("certain_from", "certain_to", "actor", "cause") == [(*proof, "admin", "admin_reset")]


def test_a_topic_that_zookeeper_says_was_created_since_was_not_read_before(story: Story) -> None:
    """Other records are at the offsets that were declared to be read."""
    read_and_left(story).commit(14, 40).state(15, "Stable").owner(15, None).commit(16, 70).commit(17, 130)
    created = {"cluster": "c", "topic": "t", "event": "topic_created"}
    story.insert("raw.zookeeper_events", **created, timestamp_ms=1_767_225_600_000 + 13_500)
    assert [row[3:5] for row in story.replays()] == [(None, None)]


def test_a_state_that_may_have_been_another_proves_nothing(story: Story) -> None:
    """There may have been members while the lower offset was committed."""
    story.state(1, "Stable").owner(1, 13).reads(range(2, 13), 0, 10).state(13, "Empty", is_gap_free=False).produced(60)
    story.commit(14, 40).state(15, "Stable").owner(15, None).commit(16, 130)
    assert story.replays("kind", "certain_from", "cause") == [("set_back", None, "unknown")]


def test_certain_ends_where_the_members_got_to(story: Story) -> None:
    """What was not committed again yet is not sure; without a commit nothing is, and probably nothing was read."""
    estimate = ("estimate_from", "estimate_to")
    read_and_left(story).commit(14, 40)
    assert story.replays(*COLUMNS, *estimate) == [
        ("set_back", 40, 100, None, None, "possible", "admin_reset", None, None)
    ]
    story.state(15, "Stable").owner(15, None).commit(16, 70)
    assert story.replays(*COLUMNS, *estimate) == [("set_back", 40, 100, 40, 70, "proven", "admin_reset", 40, 70)]


def test_a_second_reset_is_no_reading_on(story: Story) -> None:
    """Set back and then forward by an admin: no member ever began at the lower offset."""
    read_and_left(story).commit(14, 40).commit(15, 100).state(16, "Stable").owner(16, None).commit(17, 130)
    assert story.replays("certain_from", "certainty", where="kind = 'set_back'") == [(None, "possible")]


def test_a_reset_that_was_taken_back_at_once_reads_nothing_again(story: Story) -> None:
    """The estimate is what was left of it when somebody came."""
    read_and_left(story).commit(14, 40).commit(15, 100).state(16, "Stable").owner(16, None).commit(17, 130)
    assert story.replays("possible_from", "estimate_from", "estimate_to", where="kind = 'set_back'") == [(40, 100, 100)]


def test_the_last_of_two_resets_counts(story: Story) -> None:
    """Set back too far and then corrected; or not far enough, and then farther."""
    columns = ("possible_from", "possible_to", "certain_from", "certain_to", "estimate_from", "estimate_to")
    read_and_left(story).commit(14, 40).commit(15, 80).state(16, "Stable").owner(16, 19).commit(17, 90).commit(18, 130)
    assert story.replays(*columns, where="kind = 'set_back'") == [(40, 100, 80, 100, 80, 100)]
    story.state(19, "Empty").commit(20, 120).commit(21, 90)
    story.state(22, "Stable").owner(22, None).commit(23, 100).commit(24, 200)
    assert story.replays(*columns, where="log_offset > 14 AND kind = 'set_back'") == [
        (120, 130, 120, 130, 120, 130),
        (90, 120, 90, 120, 90, 120),
    ]


def test_beyond_what_stood_nothing_was_read_before(story: Story) -> None:
    """Set forward to 150 by mistake, and then to 120."""
    read_and_left(story).commit(14, 150).commit(15, 120).state(16, "Stable").owner(16, None).commit(17, 180)
    assert story.replays("possible_from", "certain_from", "estimate_from", "estimate_to") == [(120, None, 120, 120)]


def test_who_knows_an_epoch_is_no_admin(story: Story) -> None:
    """Somebody without a group read from anywhere to 60 in its name, and left the rest to its members."""
    read_and_left(story).commit(14, 60, leader_epoch=3, actor="simple_consumer").state(15, "Stable").owner(
        15, None
    ).commit(16, 70).commit(17, 130)
    assert story.replays() == [("set_back", 0, 150, 60, 100, "proven", "unknown")]
    assert story.replays("actor") == [("simple_consumer",)]


@pytest.mark.parametrize(("first", "certain"), [(40, 40), (90, 40), (100, None), (130, None)])
def test_who_first_commits_beyond_what_stood_may_have_begun_anywhere(
    story: Story, first: int, certain: int | None
) -> None:
    """At the log end, as 40 was gone by then, or where offsets that it keeps elsewhere say; neither lies below 100."""
    read_and_left(story).commit(14, 40).state(15, "Stable").owner(15, None).commit(16, first).commit(17, 150)
    columns = ("possible_from", "certain_from", "estimate_from", "estimate_to")
    assert story.replays(*columns) == [(40, certain, 40, 100)]


def test_nor_had_it_read_all_before_when_it_is_set_back_again(story: Story) -> None:
    """What is sure of the first time begins at its first commit."""
    read_and_left(story).commit(14, 40).state(15, "Stable").owner(15, 18).commit(16, 110).commit(17, 150)
    story.state(18, "Empty").commit(19, 60).state(20, "Stable").owner(20, None).commit(21, 70).commit(22, 160)
    assert story.replays("certain_from", "certain_to", where="log_offset = 19") == [(110, 150)]


@pytest.mark.parametrize(
    ("kind", "certain"), [("overtaken_by_log_start", 70), ("skipped_ahead", 70), ("set_forward", 40)]
)
def test_what_members_went_past_is_not_read_again(story: Story, kind: str, certain: int) -> None:
    """Although they committed behind it; an admin's doing breaks the stretch by itself."""
    read_and_left(story).commit(14, 40).state(15, "Stable").owner(15, None).commit(16, 50).commit(17, 130)
    story.insert("mart.skips", **KEY, kind=kind, possible_from=50, possible_to=70)
    assert story.replays("certain_from", "certain_to") == [(certain, 100)]


def test_what_was_never_read_is_not_read_again(story: Story) -> None:
    """A group that began at 60 and is set to 0 reads what lies below for the first time."""
    story.state(1, "Stable").owner(1, 14).commit(12, 60).commit(13, 100).state(14, "Empty").produced(60)
    story.commit(15, 0).state(16, "Stable").owner(16, None).commit(17, 50).commit(18, 130)
    assert story.replays() == [("set_back", 0, 100, 60, 100, "proven", "admin_reset")]


def test_records_below_the_log_start_cannot_have_been_read_again(story: Story) -> None:
    """They were deleted."""
    read_and_left(story).commit(14, 0).state(15, "Stable").owner(15, None).commit(16, 50).commit(17, 130).log_start(
        20, 30
    )
    assert story.replays("possible_from", "certain_from", "certain_to") == [(0, 30, 100)]


def test_an_offset_set_anew_farther_than_it_stood_is_no_set_back(story: Story) -> None:
    """A member that was killed may have read beyond it all the same: that is told of the next owner."""
    story.state(1, "Stable").owner(1, 30).reads(range(2, 13), 0, 10).state(30, "Empty").produced(60)
    story.commit(31, None).commit(32, 150, actor="admin")
    assert story.replays() == []
    story.state(33, "Stable").owner(33, None).commit(34, 500)
    assert story.replays("kind", "possible_from", "possible_to", "certain_from") == [("handed_over", 150, 310, None)]


def test_a_member_that_was_killed_may_have_read_on_before_the_reset(story: Story) -> None:
    """To where the log was when the group was found empty; and what it committed last it may not have processed."""
    story.state(1, "Stable").owner(1, 40).reads(range(2, 13), 0, 10).state(40, "Empty").produced(60)
    story.commit(41, 40).state(42, "Stable").owner(42, None).commit(43, 80).commit(44, 130)
    assert story.replays() == [("set_back", 40, 410, 40, 90, "proven", "admin_reset")]


def test_nor_is_it_sure_what_a_killed_member_did_the_second_time(story: Story) -> None:
    """It committed 80 before it processed that, perhaps."""
    read_and_left(story).commit(14, 40).state(15, "Stable").owner(15, 40).commit(16, 60).commit(17, 80)
    story.state(40, "Stable").owner(40, None).commit(41, 150)
    assert story.replays("certain_from", "certain_to", where="kind = 'set_back'") == [(40, 60)]


def test_of_who_committed_nothing_nothing_is_in_doubt(story: Story) -> None:
    """It was killed before. Who may have owned the partition from earlier on may have committed before it did it."""
    read_and_left(story).commit(14, 40).state(15, "Stable").owner(15, 20).commit(21, 60).commit(22, 130)
    story.owner(20, 40).state(20, "Stable").state(40, "Stable").owner(40, None).commit(41, 150)
    certain = ("certain_from", "certain_to")
    assert story.replays(*certain, where="kind = 'set_back'") == [(40, 60)]
    story._database.execute("DELETE FROM core.ownership WHERE log_offset = 20")  # noqa: SLF001 - its own
    assert story.replays(*certain, where="kind = 'set_back'") == [(40, 100)]
    story._database.execute("UPDATE core.ownership SET from_log_offset = NULL")  # noqa: SLF001 - its own
    assert story.replays(*certain, where="kind = 'set_back'") == [(None, None)]


def test_what_a_killed_member_had_done_before_a_rebalance_it_did(story: Story) -> None:
    """Its last commit is in doubt, and what stood before that one is not, whenever it was written."""
    read_and_left(story).commit(14, 40).state(15, "Stable").owner(15, 40).commit(16, 60).state(17, "Stable")
    story.commit(18, 80).state(40, "Stable").owner(40, None).commit(41, 150)
    assert story.replays("certain_from", "certain_to", where="kind = 'set_back'") == [(40, 60)]


def test_a_lower_commit_of_a_member_may_have_begun_anywhere(story: Story) -> None:
    """Its own seek and an older commit that came late look alike; it had read to the log end at most."""
    story.state(1, "Stable").owner(1, None).commit(2, 100).commit(20, 40).commit(21, 80).commit(22, 130)
    story.produced(60).log_start(3, 5)
    assert story.replays() == [("set_back", 5, 210, None, None, "likely", "unknown")]
    assert story.replays("estimate_from", "estimate_to", "actor", "member_id") == [(40, 100, "owner", "m-1")]


@pytest.mark.parametrize(("epoch", "certainty"), [(3, "possible"), (None, "likely")])
def test_a_member_that_was_set_back_less_than_it_reads_at_once_may_have_begun_far_before(
    story: Story, epoch: int | None, certainty: str
) -> None:
    """Unless its commit names no leader epoch, where others do: then it had read nothing yet from there."""
    story.state(1, "Stable").owner(1, None).produced(60)
    story.commit(2, 100, leader_epoch=3).commit(20, 90, leader_epoch=epoch).commit(21, 150, leader_epoch=3)
    assert story.replays("certainty") == [(certainty,)]


@pytest.mark.parametrize(("rewritten_at", "estimate"), [(400, (40, 100)), (70, (40, 70)), (40, (40, 40))])
def test_what_a_later_leader_epoch_wrote_anew_is_not_read_again(
    story: Story, rewritten_at: int, estimate: tuple[int, int]
) -> None:
    """The old commit names the epoch of what was read: other records lie there now."""
    story.state(1, "Stable").owner(1, None).commit(2, 60, leader_epoch=0).commit(3, 100, leader_epoch=0)
    story.batch(1, 0, rewritten_at - 1, leader_epoch=0).batch(10, rewritten_at, 500, leader_epoch=1)
    story.commit(20, 40, leader_epoch=0).commit(21, 50, leader_epoch=1)
    assert story.replays("estimate_from", "estimate_to", where="kind = 'set_back'") == [estimate]


def test_nor_is_it_proven(story: Story) -> None:
    """Although an admin set the offset, and both stretches of commits hold it."""
    story.state(1, "Stable").owner(1, 13).reads(range(2, 12), 0, 10).commit(12, 100, leader_epoch=0)
    story.state(13, "Empty").batch(1, 0, 69, leader_epoch=0).batch(12.5, 70, 500, leader_epoch=1)
    story.commit(14, 40).state(15, "Stable").owner(15, None).commit(16, 50).commit(17, 120)
    assert story.replays("certain_from", "certain_to", where="kind = 'set_back'") == [(40, 70)]


def test_a_group_that_never_read_so_far_back_has_no_estimate(story: Story) -> None:
    """It began at 90 perhaps, and an admin sets it to 0: most of that is read for the first time."""
    story.state(1, "Stable").owner(1, 13).commit(2, 90).commit(3, 100).state(13, "Empty").produced(60).commit(14, 0)
    story.state(15, "Stable").owner(15, None).commit(16, 300)
    assert story.replays("estimate_from", "certainty", where="kind = 'set_back'") == [(None, "possible")]


ESTIMATE = ("kind", "estimate_from", "estimate_to", "certainty")


def test_commits_that_come_out_of_order_set_nothing_back(story: Story) -> None:
    """The lower one follows the higher one at once, and the next goes on from there."""
    story.state(1, "Stable").owner(1, None).reads(range(2, 12), 1000, 30).produced(60, 200)
    story.commit(12, 1300, effective_at=second(12)).commit(13, 1260, effective_at=second(12.001))
    story.commit(14, 1340)
    assert story.replays(*ESTIMATE) == [("set_back", 1260, 1260, "possible")]


@pytest.mark.parametrize(
    ("next_offset", "expected"), [(None, (None, None, "possible")), (1280, (1260, 1300, "likely"))]
)
def test_who_goes_on_from_the_lower_commit_was_set_back(
    story: Story, next_offset: int | None, expected: tuple[object, ...]
) -> None:
    """However soon it followed; without a next commit nothing tells."""
    story.state(1, "Stable").owner(1, None).reads(range(2, 12), 1000, 30).produced(60, 200)
    story.commit(12, 1300, effective_at=second(12)).commit(13, 1260, effective_at=second(12.001))
    if next_offset is not None:
        story.commit(14, next_offset)
    assert story.replays(*ESTIMATE) == [("set_back", *expected)]


def test_of_a_lower_commit_of_unknown_origin_only_the_next_one_tells(story: Story) -> None:
    """Who owned the partition then is not known: only who goes on between the two reads that again."""
    story.state(1, "Stable", is_gap_free=False).produced(60).commit(2, 100, leader_epoch=0).commit(20, 40)
    assert story.replays(*ESTIMATE, "actor") == [("set_back", None, None, "possible", "unknown")]
    story.commit(21, 60)
    assert story.replays(*ESTIMATE, "actor") == [("set_back", 40, 100, "likely", "unknown")]


def test_a_program_that_commits_by_itself_reads_nothing_again(story: Story) -> None:
    """Its commits look random; core.commits tells who made each, and so does the claim."""
    story.state(1, "Stable").owner(1, 3).commit(2, 150).state(3, "Empty").produced(60)
    program = {"actor": "simple_consumer"}
    story.commit(4, 134, actor="admin").commit(5, 54, actor="admin")
    story.commit(6, 4, **program).commit(7, 18, **program).commit(8, 3, **program)
    assert {row[1:] for row in story.replays(*ESTIMATE)} == {(None, None, "possible")}
    assert story.replays("actor", "cause") == [("admin", "unknown")] * 2 + [("simple_consumer", "unknown")] * 2


def test_an_earlier_life_of_a_topic_was_not_read_again(story: Story) -> None:
    """The surviving log began after the removal, and the same offsets come again: the topic was made anew."""
    series = (29, 46, 57, 71)
    story.state(1, "Stable").owner(1, 13)
    for position, offset in enumerate(series, 2):
        story.commit(position, offset)
    story.state(13, "Empty").commit(20, None).state(30, "Stable").owner(30, None)
    for position, offset in enumerate(series, 31):
        story.commit(position, offset)
    assert story.replays(*ESTIMATE) == [("restarted_at_earliest", None, None, "possible")]
    story.batch(25, 60, 500)
    assert {certainty for *_, certainty in story.replays(*ESTIMATE)} == {"possible"}
    story.batch(24, 0, 59)
    assert story.replays() == []


def test_what_is_begun_at_a_start_that_is_not_known_has_no_estimate(story: Story) -> None:
    """The log that is left begins behind where the group went on."""
    story.state(1, "Stable").owner(1, 13).reads(range(2, 13), 0, 10).state(13, "Empty").commit(20, None)
    story.state(30, "Stable").owner(30, None).commit(31, 30)
    story.batch(5, 50, 69).batch(11, 70, 500)
    assert story.replays(*ESTIMATE) == [("restarted_at_earliest", None, None, "possible")]
    story.batch(1, 0, 49)
    assert story.replays(*ESTIMATE) == [("restarted_at_earliest", 0, 100, "likely")]


def test_a_successor_that_repeats_the_offset_found_nothing_to_read_again(story: Story) -> None:
    """For seconds, where no segments tell of the log; a single repeat, as at a revocation, says nothing."""
    story.state(1, "Stable").owner(1, 24).reads(range(2, 14), 0, 10).owner(24, None).commit(25, 110)
    assert story.replays(*ESTIMATE, "possible_to") == [("handed_over", None, None, "possible", None)]
    story.commit(30, 110).commit(35, 150)
    assert story.replays(*ESTIMATE, "possible_to") == [("handed_over", 110, 110, "possible", None)]


def test_nothing_is_read_again_where_nothing_came_until_the_owner_stopped(story: Story) -> None:
    """What came later is possible all the same, for clocks run apart."""
    story.state(1, "Stable").owner(1, 24).reads(range(2, 14), 0, 10).owner(24, None).commit(26, 150)
    story.batch(1, 0, 109).batch(20, 110, 160)
    assert story.replays(*ESTIMATE, "possible_to") == [("handed_over", 110, 110, "possible", 161)]


@pytest.mark.parametrize(("until", "ended", "is_ordinary"), [(24, "left_or_expired", True), (60, "revoked", False)])
def test_what_lies_between_two_commits_is_ordinary(story: Story, until: int, ended: str, *, is_ordinary: bool) -> None:
    """A member that was killed was at its pace until then; one that fell silent may have read far more."""
    story.state(1, "Stable").owner(1, until, ended).reads(range(2, 14), 0, 10).owner(until, None).produced(90)
    assert story.replays("step", "is_ordinary") == [(10, is_ordinary)]


def test_a_set_back_is_never_ordinary(story: Story) -> None:
    """However few offsets it takes."""
    read_and_left(story).commit(14, 99).state(15, "Stable").owner(15, None).commit(16, 130)
    assert story.replays("step", "is_ordinary", where="kind = 'set_back'") == [(None, False)]


def test_a_former_owner_commits_late_and_nobody_begins_there(story: Story) -> None:
    """Probably; who came after it had read its own commit."""
    story.state(1, "Stable").owner(1, 5, "revoked").commit(2, 100).state(5, "Stable").commit(6, 90).produced(60)
    assert story.replays("cause", "actor", "estimate_from", "estimate_to") == [
        ("late_commit_of_former_owner", "former_owner", 90, 90)
    ]


def test_who_is_set_back_twice_makes_up_for_both_at_last(story: Story) -> None:
    """The commit that comes past an old offset may stand behind another set-back; without one, nothing is said."""
    story.commit(1, 100).commit(2, 40).commit(3, 60).commit(4, 20)
    assert story.replays("to_time") == [(None,), (None,)]
    story.commit(5, 130).commit(6, 10)
    assert story.replays("epoch_ms(to_time) - epoch_ms(occurred_at)") == [(3000,), (1000,), (None,)]


def test_some_partitions_of_the_offsets_topic_tell_what_is_theirs(
    story: Story, database: duckdb.DuckDBPyConnection
) -> None:
    """Set-backs and hand-overs alike; together the pieces say what the whole says."""
    story.state(1, "Stable").owner(1, 13).reads(range(2, 13), 0, 10).state(14, "Stable").owner(14, None).produced(60)
    whole = story.commit(15, 40).commit(16, 130).replays()
    assert {how for how, *_ in whole} == {"handed_over", "set_back"}
    for first, last, expected in ((7, 7, whole), (8, 9, []), (0, 6, [])):
        database.execute(f"SET VARIABLE from_partition = {first}")
        database.execute(f"SET VARIABLE to_partition = {last}")
        assert story.replays() == expected


def test_without_a_group_or_segments_little_is_known(story: Story) -> None:
    """A simple consumer writes no generations, and nothing tells how far it had read."""
    story.commit(1, 100).commit(2, 40, actor="simple_consumer")
    assert story.replays(*COLUMNS, "actor") == [
        ("set_back", 0, None, None, None, "possible", "unknown", "simple_consumer")
    ]


def test_a_log_that_lost_its_end_is_not_read_again(story: Story) -> None:
    """By then it held less than had been committed: other records have these offsets now."""
    story.state(1, "Stable").owner(1, None).commit(2, 100).commit(90, 45)
    story.batch(1, 0, 39).batch(80, 40, 60).batch(300, 61, 200)
    assert story.replays() == [("truncated", 0, 40, None, None, "possible", "truncation")]


def test_a_log_that_lost_its_end_before_a_commit_without_a_time(story: Story) -> None:
    """Nothing tells where the log began at such a commit, which any client can make by a time out of all calendars."""
    story.state(1, "Stable").owner(1, None).commit(2, 100).commit(90, 45, effective_at=None)
    story.batch(1, 0, 39).batch(80, 40, 60).batch(300, 61, 200)
    assert story.replays("kind", "possible_from", "cause") == [("truncated", 0, "truncation")]


def test_a_topic_that_was_made_anew_is_not_read_again(story: Story) -> None:
    """Its first record is younger than the old commit, or its commits name another id."""
    story.state(1, "Stable").owner(1, None).commit(2, 100).commit(90, 45).batch(80, 0, 60)
    assert story.replays() == []


def test_nor_is_one_that_was_made_anew_and_filled_at_once(story: Story) -> None:
    """Before Kafka 4.1 its removal looks like any other; but of what was committed nothing was there yet."""
    story.state(1, "Stable").owner(1, 13).reads(range(2, 13), 0, 10).state(13, "Empty")
    story.commit(20, None).state(30, "Stable").owner(30, None).commit(31, 30).commit(32, 80).batch(25, 0, 500)
    assert story.replays() == []


def test_in_an_earlier_life_of_a_topic_members_read_again_what_nobody_can_count(story: Story) -> None:
    """All of the log came later, so it tells neither how far one could read then nor what was in it."""
    story.state(1, "Stable").owner(1, 40).reads(range(2, 13), 0, 10).state(40, "Empty").commit(41, 40)
    story.state(42, "Stable").owner(42, 50, "revoked").commit(43, 130).owner(50, None).commit(51, 140).batch(
        100, 0, 500
    )
    assert story.replays(*COLUMNS, "records_possible") == [
        ("set_back", 40, None, None, None, "possible", "admin_reset", None),
        ("handed_over", 130, None, None, None, "possible", "rebalance", None),
    ]


def test_where_nothing_tells_of_the_log_it_may_be_another(story: Story) -> None:
    """So that nothing is certain after a removal, if commits don't name the topic's id."""
    for at, offset in ((2, 0), (12, 100), (20, None), (31, 30), (32, 80)):
        story.commit(at, offset)
    story.state(1, "Stable").owner(1, 13).state(13, "Empty").state(30, "Stable").owner(30, None)
    assert story.replays("kind", "certain_from") == [("restarted_at_earliest", None)]
    story._database.execute("UPDATE core.commits SET topic_id = 'A'")  # noqa: SLF001 - its own
    assert story.replays("certain_from", "certain_to") == [(30, 80)]


def test_an_id_of_another_topic_tells_too(story: Story) -> None:
    """However many records the new one has."""
    story.state(1, "Stable").owner(1, None).commit(2, 100, topic_id="A").commit(3, 45, topic_id="B").produced(60)
    assert story.replays() == []


def test_what_another_copy_of_the_log_contradicts_is_not_certain(story: Story) -> None:
    """From where the copies part."""
    read_and_left(story).commit(14, 40).state(15, "Stable").owner(15, None).commit(16, 50).commit(17, 130)
    story.insert("raw.diverged_batches", **PLACE, base_offset=70, last_offset=80)
    assert story.replays("certain_from", "certain_to") == [(40, 70)]


def killed(story: Story, **values: Any) -> Story:  # noqa: ANN401 - a value of any column
    """A member committed ten records each second up to 110, was expelled at 24, and another went on."""
    story.state(1, "Stable").owner(1, 24, **values).reads(range(2, 14), 0, 10).state(24, "Stable").owner(24, None)
    return story.commit(26, 200).produced(60)


OVERLAP = ("kind", "possible_from", "possible_to", "estimate_from", "estimate_to", "cause", "certainty")


def test_who_takes_over_from_a_killed_member_may_read_again(story: Story) -> None:
    """Up to the log end at which the old one was replaced; no record says how far it came after its last commit."""
    assert killed(story).replays(*OVERLAP) == [("handed_over", 110, 250, None, None, "member_crash", "possible")]
    columns = (
        "from_offset",
        "to_offset",
        "actor",
        "member_id",
        "client_id",
        "client_host",
        "generation_before",
        "generation_after",
    )
    assert story.replays(*columns) == [(110, None, "former_owner", "m-1", "m", "/h", 1, 24)]
    assert story.replays("evidence", "epoch_ms(detected_at) - epoch_ms(from_time)") == [([13, 24], 11_000)]


def test_what_a_coordinator_logged_tells_a_crash_from_leaving(story: Story) -> None:
    """Without a session timeout nothing else does."""
    story.state(1, "Stable").owner(1, 24).reads(range(2, 14), 0, 10).owner(24, None).produced(60)
    story._database.execute("UPDATE core.members SET session_timeout_ms = NULL")  # noqa: SLF001 - its own
    assert story.replays("cause", "estimate_to") == [("member_left_or_crashed", None)]
    story.insert("raw.coordinator_events", cluster="c", group_id="g", member_id="m-1", event="member_failed")
    assert story.replays("cause") == [("member_crash",)]
    story._database.execute("UPDATE raw.coordinator_events SET event = 'member_left'")  # noqa: SLF001 - its own
    assert story.replays("cause") == [("member_leave",)]


def test_a_member_that_committed_shortly_before_has_left_and_probably_cleanly(story: Story) -> None:
    """It can't have expired; still it may have read what it did not commit."""
    story.state(1, "Stable").owner(1, 14).reads(range(2, 14), 0, 10).owner(14, None).produced(60)
    assert story.replays(*OVERLAP) == [("handed_over", 110, 150, 110, 110, "member_leave", "possible")]


@pytest.mark.parametrize(
    ("least_ms", "cause"), [(None, "member_leave"), (12_000, "member_leave"), (6_000, "member_crash")]
)
def test_the_brokers_tell_how_long_a_member_of_a_consumer_group_is_waited_for(
    story: Story, least_ms: int | None, cause: str
) -> None:
    """A group may be given less than what they set, but no less than what they allow."""
    story.state(1, "Stable").owner(1, 19).reads(range(2, 14), 0, 10).owner(19, None).produced(60)
    story._database.execute("UPDATE core.members SET session_timeout_ms = NULL, group_type = 'consumer'")  # noqa: SLF001
    assert story.replays("cause") == [("member_left_or_crashed",)]
    names = {"group.consumer.session.timeout.ms": 12_000, "group.consumer.min.session.timeout.ms": least_ms}
    for name, value in names.items():
        setting = {"resource_type": "broker", "resource_name": "1", "source": "file", "read_at": second(900)}
        text = None if value is None else str(value)
        story.insert("raw.configurations", cluster="c", **setting, config_name=name, config_value=text)
    assert story.replays("cause") == [(cause,)]


@pytest.mark.parametrize(("until", "cause"), [(19, "member_leave"), (21, "member_crash")])
def test_it_is_heartbeats_that_keep_a_member(story: Story, until: int, cause: str) -> None:
    """It may expire as long after a commit as its session lasts, less the time between two of them."""
    story.state(1, "Stable").owner(1, until).reads(range(2, 14), 0, 10).owner(until, None).produced(60)
    assert story.replays("cause") == [(cause,)]


def test_of_several_that_end_at_once_one_may_have_left_long_before(story: Story) -> None:
    """A group waits for who does not come back until its session ends."""
    killed(story).owner(2, 24, partition=1)
    assert story.replays("cause", where="partition = 0") == [("member_left_or_crashed",)]


@pytest.mark.parametrize("epoch", [{"leader_epoch": 0}, {}])
def test_who_reads_without_a_group_after_a_killed_member_may_read_again(story: Story, epoch: dict[str, int]) -> None:
    """From where that one had come to, up to where the log was by the next owner; an admin reads nothing."""
    story.state(1, "Stable").owner(1, 24).reads(range(2, 14), 0, 10).state(24, "Empty").produced(60)
    story.commit(25, 130, actor="simple_consumer" if epoch else "admin", **epoch)
    story.state(30, "Stable").owner(30, None).commit(31, 300)
    assert story.replays("possible_from", "possible_to") == [(110, 310) if epoch else (130, 250)]


def test_a_member_that_stopped_committing_while_there_was_something_to_read_may_have_read_it_all(story: Story) -> None:
    """Its commits were refused, perhaps, as while the coordinator is away: that is more than what lies between two."""
    story.state(1, "Stable").owner(1, 50, "revoked").reads(range(2, 14), 0, 10).owner(50, None).produced(60)
    assert story.replays(*OVERLAP, "is_ordinary") == [
        ("handed_over", 110, 510, None, None, "rebalance", "possible", False)
    ]


def test_a_quiet_partition_changes_hands_without_a_claim(story: Story) -> None:
    """All that there was, was committed; a marker behind it is nothing to read."""
    story.state(1, "Stable").owner(1, 24).reads(range(2, 14), 0, 10).owner(24, None).batch(1, 0, 109)
    assert story.replays() == []
    story.batch(2, 110, 110, is_control=True, control_type="COMMIT")
    assert story.replays() == []


def test_a_group_that_nobody_came_back_to_has_read_nothing_again(story: Story) -> None:
    """Until somebody does."""
    story.state(1, "Stable").owner(1, 24).reads(range(2, 14), 0, 10).state(24, "Empty").produced(60)
    assert story.replays() == []
    story.owner(50, None)
    assert story.replays("possible_from", "possible_to") == [(110, 250)]


def test_without_segments_a_hand_over_has_no_end(story: Story) -> None:
    """Unknown is NULL."""
    story.state(1, "Stable").owner(1, 24).reads(range(2, 14), 0, 10).owner(24, None)
    assert story.replays("possible_from", "possible_to", "records_possible", "certainty") == [
        (110, None, None, "possible")
    ]


def test_a_log_end_below_the_commit_is_not_the_end(story: Story) -> None:
    """The producer's clock is ahead: the largest end that is known bounds it."""
    story.state(1, "Stable").owner(1, 24).reads(range(2, 14), 0, 10).owner(24, None)
    story.batch(10, 0, 99).batch(70, 100, 129).batch(90, 130, 159)
    assert story.replays("possible_from", "possible_to", "certainty") == [(110, 160, "possible")]


def test_who_had_committed_nothing_began_at_the_log_start(story: Story) -> None:
    """The next owner does too, if the group commits at all."""
    story.state(1, "Stable").owner(1, 24).owner(24, None).produced(60).log_start(0, 7)
    assert story.replays() == []
    story.commit(30, 250)
    assert story.replays("from_offset", "possible_from", "possible_to") == [(None, 7, 250)]


def test_an_unknown_beginning_or_end_widens_the_range(story: Story) -> None:
    """What was committed since may be the next owner's."""
    story.state(1, "Stable").owner(1, 24, to_log_offset=None).commit(1, 10).reads(range(2, 14), 20, 10)
    story.owner(24, None, from_log_offset=None).produced(60)
    assert story.replays("possible_from", "certainty") == [(0, "possible")]


def test_an_eager_rebalance_lets_a_member_begin_again(story: Story) -> None:
    """At its last commit; a cooperative one lets it go on."""
    story.state(1, "Stable").owner(1, None).reads(range(2, 14), 0, 10).state(14, "Stable").produced(60)
    assert story.replays(*OVERLAP) == [("reassigned_to_same_member", 110, 150, 110, 110, "rebalance", "possible")]
    story._database.execute("UPDATE core.generations SET protocol = 'cooperative-sticky'")  # noqa: SLF001 - its own
    assert story.replays() == []


def test_what_a_transaction_committed_was_done_once(story: Story) -> None:
    """What was read beyond it was undone with the transaction that was left open: read again, but not done twice."""
    story.state(1, "Stable").owner(1, 24).owner(24, None).produced(60)
    story.commit(2, 50, is_transactional=True).commit(3, 60, is_transactional=True)
    assert story.replays("possible_from", "possible_to", "estimate_from", "estimate_to") == [(60, 250, 60, 60)]


def begun_again(story: Story, first: int) -> Story:
    """The offset 100 was removed, and another member committed first."""
    return read_and_left(story).commit(20, None).state(30, "Stable").owner(30, None).commit(31, first)


@pytest.mark.parametrize(("line", "message"), [(20, "offsets_deleted"), (60, "offsets_removed")])
def test_a_removal_by_an_old_coordinator_has_the_cause_that_its_text_log_tells(
    story: Story, line: int, message: str
) -> None:
    """Its records are the same whether offsets, groups or topics are deleted."""
    read_and_left(story).commit(20, None, cause="old_coordinator_cleanup")
    story.state(30, "Stable").owner(30, None).commit(31, 30).commit(32, 80)
    logged = {"cluster": "c", "group_id": "g", "event": "offsets_are_deleted"}
    story.insert("raw.coordinator_events", **logged, logged_at=second(line))
    assert story.replays("kind", "cause") == [("restarted_at_earliest", message)]


def test_a_group_without_its_offset_may_begin_at_the_start(story: Story) -> None:
    """Its first commit is lower, so it did; what it then commits again is certain."""
    begun_again(story, 30).commit(32, 80)
    assert story.replays() == [("restarted_at_earliest", 0, 140, 30, 80, "proven", "offsets_removed")]
    assert story.replays("from_offset", "to_offset", "estimate_from", "estimate_to", "actor", "evidence") == [
        (None, 100, 0, 100, "owner", [12, 20, 31])
    ]


def test_one_that_comes_out_at_the_log_end_probably_began_there(story: Story) -> None:
    """It may still have read everything before its first commit."""
    begun_again(story, 311)
    assert story.replays("kind", "possible_from", "possible_to", "estimate_from", "estimate_to", "certainty") == [
        ("restarted_at_earliest", 0, 140, 0, 0, "possible")
    ]


def test_a_removed_offset_that_an_admin_sets_is_a_set_back(story: Story) -> None:
    """The group had no members."""
    read_and_left(story).commit(20, None).commit(21, 40).state(30, "Stable").owner(30, None).commit(31, 50).commit(
        32, 130
    )
    assert story.replays() == [("set_back", 40, 100, 40, 100, "proven", "admin_reset")]


def test_a_topic_that_was_deleted_is_not_read_again(story: Story) -> None:
    """Its records are gone."""
    read_and_left(story).commit(20, None, cause="topic_deleted").state(30, "Stable").owner(30, None).commit(31, 30)
    assert story.replays() == []


def test_records_are_counted_where_segments_were_read(story: Story) -> None:
    """Markers and aborted data are none; part of a batch that compaction went over tells nothing."""
    story.state(1, "Stable").owner(1, 24).commit(2, 5).owner(24, None)
    story.batch(1, 0, 9).batch(2, 10, 19, is_transactional=True, producer_id=4).batch(3, 20, 29)
    counted = ("records_possible", "bytes", "epoch(first_record_at) % 60", "epoch(last_record_at) % 60")
    assert story.replays(*counted) == [(None, 300, 1, 3)]
    story.batch(4, 30, 30, is_control=True, is_transactional=True, control_type="ABORT", producer_id=4)
    assert story.replays(*counted) == [(15, 200, 1, 3)]
    story.batch(5, 31, 40, record_count=3)
    assert story.replays(*counted) == [(18, 300, 1, 5)]
    story._database.execute("UPDATE raw.batches SET record_count = 7 WHERE base_offset = 0")  # noqa: SLF001 - its own
    assert story.replays(*counted) == [(None, 300, 1, 5)]


def test_records_are_counted_over_a_compacted_topic_and_not_over_a_segment_that_was_not_read(story: Story) -> None:
    """The cleaner may take a whole batch; without a segment nothing tells what was there."""
    story.state(1, "Stable").owner(1, 24).commit(2, 5).owner(24, None).batch(1, 0, 9).batch(3, 20, 29)
    counted = ("records_possible", "bytes", "epoch(first_record_at) % 60", "epoch(last_record_at) % 60")
    assert story.replays(*counted) == [(None, None, None, None)]
    story.segment(10, 20)
    assert story.replays(*counted) == [(15, 200, 1, 3)]


def test_what_is_certain_is_counted_too(story: Story) -> None:
    """Ten records of each second's batch."""
    read_and_left(story).commit(14, 45).state(15, "Stable").owner(15, None).commit(16, 70)
    assert story.replays("records_possible", "records_certain") == [(55, 25)]


def test_the_columns_are_the_described_ones(story: Story) -> None:
    """Names and order."""
    killed(story)
    replays.forget(story._database)  # noqa: SLF001 - its own
    rows = next(replays.replays(story._database))  # noqa: SLF001 - its own
    assert tuple(rows.schema.names) == TABLES["mart.replays"].column_names
