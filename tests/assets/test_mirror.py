"""What checkpoints and offset syncs made up here say of a fail-over: bounds, runs of copying, which cluster it is."""

from __future__ import annotations

from typing import Any

import pytest

from tests.assets.rows import Book, second

TABLES = (
    "raw.cluster_aliases",
    "core.mirror_checkpoints",
    "core.mirror_offset_syncs",
    "core.commits",
    "mart.mirror_flows",
    "mart.mirror_checkpoints",
)
SYNCS_TOPIC = "mm2-offset-syncs.b.internal"
BOUNDS = "position_lower, position_upper, status"
COSTS = "read_again_lower, read_again_upper, missed_lower, missed_upper"


@pytest.fixture
def book() -> Book:
    """The tables of MirrorMaker and the commits, without a row."""
    return Book(TABLES)


def sync(book: Book, number: int, upstream: int, downstream: int, at: float = 0, **more: Any) -> None:  # noqa: ANN401 - a value of any column
    """An offset sync of orders-0, in the cluster east unless another is named."""
    place = {"cluster": "east", "syncs_topic": SYNCS_TOPIC, "other_alias": "b", "topic": "orders", "partition": 0}
    offsets = {"upstream_offset": upstream, "downstream_offset": downstream, "synced_at": second(at)}
    book.insert("core.mirror_offset_syncs", **{**place, **offsets, "log_partition": 0, "log_offset": number, **more})


def checkpoint(book: Book, number: int, upstream: int, downstream: int, at: float = 10, **more: Any) -> None:  # noqa: ANN401 - a value of any column
    """A checkpoint of the group billing in west, of what it had committed in a cluster with the alias a."""
    place = {"cluster": "west", "checkpoints_topic": "a.checkpoints.internal", "source_alias": "a"}
    key = {"group_id": "billing", "topic": "a.orders", "partition": 0, "checkpoint_at": second(at)}
    offsets = {"upstream_offset": upstream, "downstream_offset": downstream}
    row = {**place, **key, **offsets, "log_partition": 0, "log_offset": number, **more}
    book.insert("core.mirror_checkpoints", **row)


def commit(book: Book, at: float, offset: int, kind: str = "advance", cluster: str = "east") -> None:
    """A commit of the group billing in orders-0."""
    key = {"cluster": cluster, "group_id": "billing", "topic": "orders", "partition": 0}
    place = {"log_partition": 7, "log_offset": int(at * 1000), "effective_at": second(at)}
    book.insert("core.commits", **key, **place, kind=kind, committed_offset=offset)


def checkpoint_rows(book: Book, columns: str) -> list[tuple[Any, ...]]:
    """What the marts say of each checkpoint."""
    book.make("mart.mirror_flows", "mart.mirror_checkpoints")
    return book.ask(f"SELECT {columns} FROM mart.mirror_checkpoints ORDER BY log_offset")  # noqa: S608 - names that the tests write


def source(book: Book) -> list[tuple[Any, ...]]:
    """Which cluster the source is, how that is known, and where its syncs are."""
    book.make("mart.mirror_flows")
    return book.ask("SELECT source_cluster, source_basis, syncs_cluster FROM mart.mirror_flows")


def test_between_equal_steps_the_place_is_exact(book: Book) -> None:
    """MirrorMaker goes back to the offset after a sync; all between are read again, whatever it knew by then."""
    sync(book, 1, 100, 40)
    sync(book, 2, 200, 140, at=60)
    checkpoint(book, 1, 150, 41)
    assert checkpoint_rows(book, BOUNDS) == [(90, 90, "behind")]
    assert checkpoint_rows(book, COSTS) == [(49, 49, 0, 0)]


def test_at_a_sync_nothing_is_read_again(book: Book) -> None:
    """The copy of the next record is where the sync says."""
    sync(book, 1, 100, 40)
    checkpoint(book, 1, 100, 40)
    assert checkpoint_rows(book, f"{BOUNDS}, {COSTS}") == [(40, 40, "at", 0, 0, 0, 0)]


def test_records_that_were_not_copied_leave_bounds(book: Book) -> None:
    """Of 99 offsets between two syncs 49 were copied, nobody knows which."""
    sync(book, 1, 100, 40)
    sync(book, 2, 200, 90, at=60)
    checkpoint(book, 1, 120, 41)
    assert checkpoint_rows(book, BOUNDS) == [(41, 60, "at_or_behind")]
    assert checkpoint_rows(book, COSTS) == [(0, 19, 0, 0)]


def test_after_the_last_sync_each_record_was_copied_once_at_most(book: Book) -> None:
    """The run shows that nothing else stands at the target."""
    sync(book, 1, 0, 0)
    sync(book, 2, 100, 100)
    checkpoint(book, 1, 130, 101)
    assert checkpoint_rows(book, BOUNDS) == [(101, 130, "at_or_behind")]


def test_markers_at_the_target_leave_its_end_open(book: Book) -> None:
    """MirrorMaker's own transactions put more there than records: behind the last sync there may be any number."""
    sync(book, 1, 0, 0)
    sync(book, 2, 100, 110)
    checkpoint(book, 1, 130, 111)
    checkpoint(book, 2, 50, 1)
    assert checkpoint_rows(book, BOUNDS) == [(111, None, "at_or_behind"), (1, 110, "at_or_behind")]
    assert checkpoint_rows(book, COSTS)[0] == (0, None, None, 0)


def test_one_sync_alone_leaves_the_end_open(book: Book) -> None:
    """Nothing shows yet how MirrorMaker writes."""
    sync(book, 1, 100, 40)
    checkpoint(book, 1, 130, 41)
    assert checkpoint_rows(book, BOUNDS) == [(41, None, "at_or_behind")]


def test_an_offset_behind_the_copy_of_the_next_record_misses_it(book: Book) -> None:
    """Whatever wrote such a checkpoint: between the two nobody reads."""
    sync(book, 1, 0, 0)
    sync(book, 2, 100, 100)
    checkpoint(book, 1, 50, 80)
    checkpoint(book, 2, 100, 100)
    assert checkpoint_rows(book, f"status, {COSTS}")[0] == ("ahead", 0, 0, 30, 30)


def test_a_step_back_begins_a_run_of_which_alone_is_claimed(book: Book) -> None:
    """MirrorMaker copied 90 to 150 twice: who begins before the second run reads some of them again, some not."""
    sync(book, 1, 0, 0)
    sync(book, 2, 100, 100)
    sync(book, 3, 90, 151, at=20)
    sync(book, 4, 220, 281, at=30)
    checkpoint(book, 1, 110, 101, at=10)
    checkpoint(book, 2, 130, 101, at=40)
    checkpoint(book, 3, 130, 152, at=50)
    assert checkpoint_rows(book, BOUNDS) == [(101, 110, "at_or_behind"), (None, None, "unknown"), (191, 191, "behind")]
    assert checkpoint_rows(book, COSTS)[1] == (None, None, None, None)


def test_second_copies_are_neither_read_again_nor_missed_for_sure(book: Book) -> None:
    """MirrorMaker copied 120 to 150 twice, at 120 and at 151, and no sync tells of the first time."""
    sync(book, 1, 0, 0)
    sync(book, 2, 100, 100)
    sync(book, 3, 120, 151)
    sync(book, 4, 220, 251)
    checkpoint(book, 1, 130, 101)
    checkpoint(book, 2, 130, 140, at=20)
    checkpoint(book, 3, 50, 140, at=30)
    assert checkpoint_rows(book, f"status, {COSTS}") == [
        ("behind", 10, 60, 0, 0),  # 101 to 129 and 120 to 129 again: 39
        ("behind", 10, 21, 0, 0),  # 120 to 129 again
        ("ahead", 0, 0, 50, 90),  # 50 to 119 missed: 70
    ]


def test_before_the_first_sync_nothing_is_claimed(book: Book) -> None:
    """A checkpoint that is older than what was read of the syncs."""
    sync(book, 1, 0, 0, at=100)
    sync(book, 2, 50, 50, at=100)
    checkpoint(book, 1, 50, 50, at=10)
    assert checkpoint_rows(book, BOUNDS) == [(None, None, "unknown")]


def test_a_group_that_is_set_back_is_ahead_at_its_old_checkpoint(book: Book) -> None:
    """Until MirrorMaker writes another; a commit after that says nothing of the old one."""
    sync(book, 1, 0, 0)
    sync(book, 2, 200, 200)
    commit(book, 5, 200)
    checkpoint(book, 1, 200, 200, at=10)
    commit(book, 12, 50, "rewind")
    checkpoint(book, 2, 50, 1, at=20)
    commit(book, 30, 10, "rewind")
    first, second_one = checkpoint_rows(book, "committed_offset, set_back_to, set_back_status, set_back_missed_lower")
    assert first == (200, 50, "ahead", 150)
    assert second_one == (50, 10, "behind", 0)
    assert checkpoint_rows(book, "ended_at IS NULL") == [(False,), (True,)]


def test_a_tombstone_ends_a_checkpoint_and_claims_nothing(book: Book) -> None:
    """MirrorMaker writes none; somebody else may."""
    sync(book, 1, 100, 40)
    checkpoint(book, 1, 100, 40)
    checkpoint(book, 2, 0, 0, at=20, upstream_offset=None, downstream_offset=None)
    assert checkpoint_rows(book, "status, ended_at IS NULL") == [("at", False), (None, True)]


@pytest.mark.parametrize("offset", [-(2**63), -1, 2**63 - 1])
def test_extreme_offsets_are_no_errors(book: Book, offset: int) -> None:
    """Any client may write into these topics."""
    sync(book, 1, 0, 0)
    sync(book, 2, 2**63 - 1, 2**63 - 1)
    sync(book, 3, offset, offset)
    sync(book, 4, 0, offset)
    commit(book, 12, offset, "rewind")
    checkpoint(book, 1, 100, 100)
    checkpoint(book, 2, offset, offset, group_id="other")
    checkpoint(book, 3, 5, offset, at=20)
    assert len(checkpoint_rows(book, f"{BOUNDS}, {COSTS}")) == 3


def test_the_source_is_the_cluster_that_has_the_syncs(book: Book) -> None:
    """A checkpoint is translated to a sync at its offset, or to the offset after an earlier one."""
    sync(book, 1, 100, 40)
    sync(book, 1, 100, 77, cluster="north")
    checkpoint(book, 1, 130, 41)
    assert source(book) == [("east", "syncs", "east")]


def test_two_clusters_that_could_be_the_source_are_none(book: Book) -> None:
    """Both have syncs that explain the checkpoint: nothing is guessed."""
    sync(book, 1, 100, 40)
    sync(book, 1, 90, 40, cluster="north")
    checkpoint(book, 1, 130, 41)
    assert source(book) == [(None, None, None)]
    assert checkpoint_rows(book, BOUNDS) == [(None, None, "unknown")]


def test_with_syncs_at_the_target_the_source_is_known_by_its_commits(book: Book) -> None:
    """As with offset-syncs.topic.location=target; the name of their topic has the alias of the source."""
    sync(book, 1, 100, 40, cluster="west", syncs_topic="mm2-offset-syncs.a.internal", other_alias="a")
    commit(book, 1, 130)
    checkpoint(book, 1, 130, 41)
    assert source(book) == [("east", "commits", "west")]


def test_what_the_user_says_counts(book: Book) -> None:
    """And no syncs of another cluster are believed then."""
    sync(book, 1, 100, 40)
    sync(book, 1, 90, 40, cluster="north")
    checkpoint(book, 1, 130, 41)
    book.insert("raw.cluster_aliases", alias="a", cluster="east", declared_at=second(0))
    book.insert("raw.cluster_aliases", alias="a", cluster="north", declared_at=second(1))
    assert source(book) == [("north", "declared", "north")]


def test_commits_and_syncs_that_disagree_name_no_source(book: Book) -> None:
    """Neither is believed."""
    sync(book, 1, 100, 40)
    commit(book, 1, 130, cluster="north")
    checkpoint(book, 1, 130, 41)
    assert source(book) == [(None, None, None)]


def test_a_topic_that_came_from_the_target_is_not_taken_for_one_of_its_name(book: Book) -> None:
    """Between two clusters that mirror each other, orders is what west calls its own topic."""
    sync(book, 1, 100, 40)
    checkpoint(book, 1, 130, 41)
    checkpoint(book, 2, 130, 41, topic="orders")
    assert checkpoint_rows(book, "source_topic, status") == [("orders", "at_or_behind"), (None, "unknown")]


def test_topics_that_keep_their_names_are_the_same_at_both_ends(book: Book) -> None:
    """As with IdentityReplicationPolicy."""
    sync(book, 1, 100, 40)
    checkpoint(book, 1, 100, 40, topic="orders")
    assert checkpoint_rows(book, "source_topic, status") == [("orders", "at")]
