"""How records become effective commits. Only the subject is under test; bytes are decoded elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assets.catalog.core.commits import COMMITS
from assets.transforms import projection
from assets.transforms.coordinator import Coordinator
from assets.transforms.projection import LogChunk
from tests.assets.transforms.offsets_log import Log, Row, logs, project

if TYPE_CHECKING:
    from collections.abc import Sequence

EMPTY = Log()


def history(log: Log, cuts: Sequence[int] = ()) -> list[Row]:
    """The effective commits of a log, in order of effect."""
    return project(Coordinator, log, cuts)["core.commits"]


def claims(log: Log) -> list[tuple[str, int | None, int, int]]:
    """What each row claims: kind, offset, own position, position of effect."""
    return [(r["kind"], r["committed_offset"], r["log_offset"], r["effective_log_offset"]) for r in history(log)]


def kinds(log: Log) -> list[tuple[str, int | None]]:
    """The kind of each row, and what it says stood before."""
    return [(row["kind"], row["previous_offset"]) for row in history(log)]


def test_each_commit_is_compared_with_the_one_before() -> None:
    """First, advance, repeat, rewind and removed are told apart, and a commit after a removal is a first one."""
    log = EMPTY.commit(10).commit(15).commit(15).commit(4).remove().commit(3)
    assert [(r["kind"], r["committed_offset"], r["previous_offset"], r["delta"]) for r in history(log)] == [
        ("first", 10, None, None),
        ("advance", 15, 10, 5),
        ("repeat", 15, 15, 0),
        ("rewind", 4, 15, -11),
        ("removed", None, 4, None),
        ("first", 3, None, None),
    ]


def test_offsets_too_far_apart_have_no_difference() -> None:
    """A stranger's commits must not stop a run: the kind is still told, the delta is unknown."""
    rows = history(EMPTY.commit(-5).commit(2**63 - 1).commit(-5))
    assert [(row["kind"], row["delta"]) for row in rows] == [("first", None), ("advance", None), ("rewind", None)]


def test_columns_are_the_described_ones() -> None:
    """The result has the columns of the table, in order and of its types, but for those that the replay adds."""
    schema = pa.schema([field for field in COMMITS.schema if field.name not in ("cluster", "log_partition")])
    (chunk,) = EMPTY.commit(1).chunks()
    rows = Coordinator.resume({}).replay(chunk)["core.commits"]
    assert rows.cast(schema).schema == schema
    assert rows.column_names == schema.names


def test_kafkas_unknowns_become_null() -> None:
    """Leader epoch -1, expiry -1 and the zero topic id are NULL; so is a time beyond any calendar."""
    (row,) = history(EMPTY.commit(1, timestamp_ms=2**62))
    assert (row["leader_epoch"], row["expire_at"], row["topic_id"], row["effective_at"]) == (None, None, None, None)
    assert row["commit_at"] is not None


def test_records_that_are_no_commits_are_passed_over() -> None:
    """A key without a group says nothing of anyone's offset."""
    assert history(EMPTY.commit(1, group_id=None).add(record_type=2, group_id="g", is_tombstone=True)) == []


def test_a_transactional_commit_counts_at_its_marker() -> None:
    """It takes effect where COMMIT stands, with that marker's time."""
    # The plain commit came after the pending one, so the coordinator ignores the pending one at the marker.
    assert claims(EMPTY.commit(10, producer=5).commit(3).marker("COMMIT", 5)) == [("first", 3, 1, 1)]
    log = EMPTY.commit(3).commit(10, producer=5).marker("COMMIT", 5)
    assert claims(log) == [("first", 3, 0, 0), ("advance", 10, 1, 2)]
    assert [row["producer_id"] for row in history(log)] == [None, 5]
    assert history(log)[1]["effective_at"].timestamp() == 1.002


@pytest.mark.parametrize("ending", [EMPTY.commit(10, producer=5).marker("ABORT", 5), EMPTY.commit(10, producer=5)])
def test_aborted_and_open_transactions_never_count(ending: Log) -> None:
    """Without a COMMIT marker of the same producer there is no commit."""
    assert history(ending) == []


def test_a_marker_ends_its_own_producers_transaction_only() -> None:
    """Two producers' transactions interleave; each follows its own marker."""
    log = EMPTY.commit(10, producer=5).commit(20, producer=6).marker("ABORT", 6).marker("COMMIT", 5)
    assert claims(log) == [("first", 10, 0, 3)]


def test_of_two_pending_commits_the_later_record_wins() -> None:
    """Whichever marker comes first: a pending commit older than what stands is ignored."""
    log = EMPTY.commit(10, producer=5).commit(20, producer=6).marker("COMMIT", 6).marker("COMMIT", 5)
    assert claims(log) == [("first", 20, 1, 2)]


def test_within_a_transaction_the_last_commit_of_a_key_wins() -> None:
    """The coordinator keeps one pending commit per producer and key."""
    log = EMPTY.commit(10, producer=5).commit(12, producer=5).marker("COMMIT", 5)
    assert claims(log) == [("first", 12, 1, 2)]


def test_a_removal_removes_pending_commits_too() -> None:
    """A removal between a pending commit and its marker wins over it."""
    assert [kind for kind, _ in kinds(EMPTY.commit(10, producer=5).remove().marker("COMMIT", 5))] == ["removed"]


def test_an_old_coordinator_brings_back_what_was_pending() -> None:
    """Before Kafka 4 a removal took what stood and left what was pending; its batches have no sequence."""
    log = EMPTY.commit(10, producer=5).commit(12).remove(base_sequence=None).marker("COMMIT", 5)
    assert claims(log)[1:] == [("removed", None, 2, 2), ("first", 10, 0, 3)]
    assert kinds(log.commit(11))[-1] == ("advance", 10)
    for cuts in ((1,), (2,), (3,)):
        assert history(log, cuts) == history(log)


def test_after_an_old_removal_a_marker_may_bring_back_what_was_pending_in_a_hole() -> None:
    """Without a marker between nothing came back, wherever the log begins and is cut."""
    removed = EMPTY.hole().commit(9).remove(base_sequence=None)
    came_back = removed.marker("COMMIT", 5).commit(3)
    for log, kind in (
        (removed.commit(3), "first"),
        (came_back, "unknown"),
        (removed.marker("ABORT", 5).commit(3), "first"),
    ):
        assert kinds(log)[-1] == (kind, None)
        for cut in range(1, len(log.rows)):
            assert history(log, (cut,)) == history(log)


def test_an_effect_over_a_hole_is_what_a_coordinator_would_conclude() -> None:
    """A newer commit may be lost there, which the coordinator then saw and preferred."""
    log = EMPTY.commit(1).commit(10, producer=5).hole().marker("COMMIT", 5)
    assert [row["is_effect_known"] for row in history(log)] == [True, False]


def test_a_marker_of_a_strange_epoch_behind_a_hole_ends_another_transaction() -> None:
    """The marker of these records is lost; what became of them is not known, and they don't count."""
    for epoch, count in ((3, 1), (4, 1), (5, 0), (2, 0)):
        log = EMPTY.commit(10, producer=5, producer_epoch=3).hole()
        assert len(history(log.marker("COMMIT", 5, producer_epoch=epoch))) == count
    with_hole = EMPTY.commit(10, producer=5, producer_epoch=3).marker("COMMIT", 5, producer_epoch=9)
    assert len(history(with_hole)) == 1


def test_one_marker_ends_one_transaction() -> None:
    """A producer's next transaction waits for its own marker."""
    log = EMPTY.commit(10, producer=5).marker("COMMIT", 5).commit(20, producer=5).marker("ABORT", 5)
    assert claims(log) == [("first", 10, 0, 1)]


def test_behind_a_hole_it_is_unknown_what_stood_before() -> None:
    """A commit may have been lost there, so that nothing is compared; what follows without a hole is known again."""
    assert kinds(EMPTY.commit(10).hole().commit(15).commit(16)) == [
        ("first", None),
        ("unknown", None),
        ("advance", 15),
    ]


def test_a_log_that_begins_late_has_no_first_commits() -> None:
    """What was committed before the log begins is not known; but after a removal nothing stands."""
    assert kinds(EMPTY.hole(5).commit(10).remove().commit(2)) == [
        ("unknown", None),
        ("removed", 10),
        ("first", None),
    ]


def test_a_removal_far_back_is_forgotten_behind_a_hole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever the log was cut: or all that was ever removed would have to be remembered."""
    monkeypatch.setattr(projection, "REMEMBERED_OFFSETS", 2)
    for begin, kind in ((EMPTY.commit(9, partition=3), "first"), (EMPTY.hole(), "unknown")):
        log = begin.commit(1).remove().commit(1, partition=1).commit(1, partition=1).commit(4)
        for cuts in ((), (3,), (3, 4), (1, 2, 3, 4, 5)):
            assert history(log, cuts)[-1]["kind"] == kind


@settings(max_examples=20)
@given(logs(), st.lists(st.integers(0, 30), max_size=4))
def test_where_the_log_is_cut_does_not_matter(log: Log, cuts: list[int]) -> None:
    """However a log is cut into runs, the history is that of one run."""
    assert history(log, cuts) == history(log)


def test_memory_is_what_stands() -> None:
    """Neither the number of commits nor what was removed or ended makes it grow."""
    log = EMPTY
    for number in range(50):
        log = (
            log.commit(number).commit(number, producer=5).marker("ABORT", 5).commit(1, partition=9).remove(partition=9)
        )
    (chunk,) = log.chunks()
    commits = Coordinator.resume({})
    commits.replay(chunk)
    sizes = {name: table.num_rows for name, table in commits.memory().items() if table.num_rows}
    assert sizes == {"last": 1, "place": 1}


def test_a_chunk_without_commits_changes_nothing() -> None:
    """There may be only groups in it."""
    (chunk,) = EMPTY.commit(1).chunks()
    commits = Coordinator.resume({})
    commits.replay(chunk)
    empty = LogChunk(chunk.commits.slice(0, 0), chunk.groups, 1, 0)
    assert commits.replay(empty)["core.commits"].num_rows == 0
    assert commits.memory()["last"].num_rows == 1
