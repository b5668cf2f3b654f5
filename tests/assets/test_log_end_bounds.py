"""Between which offsets a log ended while that is not known exactly: from samples, batches and commits made up here."""

from __future__ import annotations

from itertools import chain
from typing import Any

import pytest

from assets.catalog import TABLES
from assets.materialize import model_reads
from tests.assets.rows import NOON, Book, second

DERIVED = ("core.log_ends", "internal.batch_index", "core.log_end_bounds")
LOG = {"cluster": "c", "topic": "t", "partition": 0}
AT_MS = int(NOON.timestamp() * 1000)
Bounds = tuple[int | None, int | None]


@pytest.fixture
def book() -> Book:
    """The tables that bounds are made of."""
    return Book({*chain.from_iterable(model_reads(TABLES[name]) for name in DERIVED), *DERIVED})


def sample(book: Book, at: float, end: int | None, **more: Any) -> None:  # noqa: ANN401 - a value of any column
    """What a broker said; of another partition than 0 it only tells that there was a round."""
    book.insert(
        "raw.log_offset_samples",
        **{**LOG, "sampled_at": second(at), "partition_count": 2, "high_watermark": end, **more},
    )


def batch(book: Book, base: int, last: int, at: float) -> None:
    """A batch of the log."""
    ms = AT_MS + int(at * 1000)
    kind = dict.fromkeys(("is_transactional", "is_control", "is_log_append_time"), False)
    sizes = {"record_count": last - base + 1, "size_bytes": 100, "segment_base_offset": 0}
    times = {"base_timestamp_ms": ms, "max_timestamp_ms": ms}
    book.insert("raw.batches", **LOG, **kind, **sizes, **times, base_offset=base, last_offset=last)


def commit(book: Book, at: float, offset: int, actor: str = "owner") -> None:
    """A commit of some group."""
    row = {"group_id": "g", "effective_at": second(at), "kind": "advance", "committed_offset": offset, "actor": actor}
    book.insert("core.commits", **LOG, **row, log_partition=7, log_offset=int(at * 1000))


def bounds(book: Book, *instants: float) -> list[Bounds | None]:
    """The bounds at instants; None where there are none, since the end is known exactly or not at all."""
    book.make("core.log_ends", "internal.batch_index", "core.log_end_bounds")
    query = """SELECT log_end_lower, log_end_upper FROM core.log_end_bounds
               WHERE partition = 0 AND from_at <= ?::TIMESTAMPTZ AND (to_at > ?::TIMESTAMPTZ OR to_at IS NULL)"""
    answers = [book.ask(query, second(at), second(at)) for at in instants]
    assert all(len(rows) <= 1 for rows in answers)
    return [rows[0] if rows else None for rows in answers]


def newest(book: Book) -> list[Any]:
    """The bounds at the end of what was read, by the macro."""
    return book.ask("SELECT log_end_lower, log_end_upper FROM log_end_bounds_at('infinity') WHERE partition = 0")


def test_between_two_samples_both_are_bounds(book: Book) -> None:
    """At the instants of the samples themselves the end is known; behind the last one there is no upper bound."""
    sample(book, 10, 100)
    sample(book, 20, 200)
    assert bounds(book, 10, 10.1, 19.9, 20, 20.1) == [None, (100, 200), (100, 200), None, (200, None)]


def test_a_round_without_a_row_gave_the_same_answer(book: Book) -> None:
    """Through the last round before the next row the end is exact, and again where a row says the same end."""
    sample(book, 10, 100)
    sample(book, 15, 1, partition=1)
    sample(book, 20, 200, leader_epoch=1)
    sample(book, 30, 200, leader_epoch=2)
    sample(book, 40, 2, partition=1)
    assert bounds(book, 14, 15, 16, 25, 39, 41) == [None, None, (100, 200), None, None, (200, None)]


def test_a_round_in_which_nothing_was_said_confirms_nothing(book: Book) -> None:
    """The topic may not be described any more, and goes on."""
    sample(book, 10, 100)
    sample(book, 20, None)
    sample(book, 30, 1, partition=1)
    assert bounds(book, 15, 25, 35) == [(100, None)] * 3


def test_commits_raise_the_lower_bound(book: Book) -> None:
    """From when they took effect, and never lower again."""
    sample(book, 10, 100)
    commit(book, 12, 90)
    commit(book, 14, 130)
    commit(book, 16, 120)
    commit(book, 18, 150)
    sample(book, 20, 200)
    assert bounds(book, 13, 15, 17, 19) == [(100, 200), (130, 200), (130, 200), (150, 200)]


def test_a_commit_beyond_the_next_sample_leaves_no_upper_bound(book: Book) -> None:
    """Either of the two is wrong; nor does it raise the lower bound."""
    sample(book, 10, 100)
    commit(book, 12, 9_223_372_036_854_775_807)
    sample(book, 20, 200)
    assert bounds(book, 11, 15) == [(100, None), (100, None)]


@pytest.mark.parametrize("actor", ["admin", "unknown"])
def test_what_an_admin_sets_tells_nothing_of_the_log(book: Book, actor: str) -> None:
    """It may be any number; nor does a commit of somebody who may have been one."""
    sample(book, 10, 100)
    commit(book, 12, 5000, actor=actor)
    assert bounds(book, 15) == [(100, None)]


def test_before_the_first_sample_its_end_is_the_upper_bound(book: Book) -> None:
    """From the first commit on, which is the lower one."""
    commit(book, 2, 40)
    commit(book, 4, 60)
    sample(book, 10, 100)
    assert bounds(book, 1, 3, 5) == [None, (40, 100), (60, 100)]


def test_while_a_broker_is_asked_there_is_no_upper_bound(book: Book) -> None:
    """What it answers was so at some instant between the question and the answer; so is what it confirms."""
    sample(book, 10, 100)
    sample(book, 20, 200, asked_at=second(18))
    sample(book, 30, 1, partition=1, asked_at=second(28))
    assert bounds(book, 17, 19, 20, 27, 29) == [(100, 200), (100, None), None, None, (200, None)]


def test_between_two_lives_of_a_topic_nothing_is_known(book: Book) -> None:
    """Neither that the old log went on nor that the new one began; of each life its own samples are bounds."""
    for at, end, topic in ((10, 100, "old"), (20, 150, "old"), (30, 5, "new"), (40, 9, "new")):
        sample(book, at, end, topic_id=topic)
    commit(book, 25, 160)
    assert bounds(book, 15, 20, 25, 35, 45) == [(100, 150), None, (None, None), (5, 9), (9, None)]


def test_batches_tell_the_end_exactly_but_over_a_hole(book: Book) -> None:
    """What stood in the hole came between the batch before it and the one behind it."""
    batch(book, 0, 9, 1)
    batch(book, 10, 19, 2)
    batch(book, 30, 39, 5)
    assert bounds(book, 1.5, 3, 6) == [None, (20, 40), None]


def test_a_log_that_was_read_whole_is_exact_until_a_commit_is_beyond_it(book: Book) -> None:
    """Then it had grown, nobody knows when, since its last batch."""
    batch(book, 0, 9, 1)
    commit(book, 3, 10)
    assert bounds(book, 2, 4) == [None, None]
    commit(book, 5, 25)
    assert bounds(book, 0.5, 2, 4, 6) == [None, (10, None), (10, None), (25, None)]


def test_a_sample_beyond_the_batches_bounds_what_came_behind_them(book: Book) -> None:
    """From the last batch to the sample; one that says no more than the batches do tells nothing new but when."""
    batch(book, 0, 9, 1)
    sample(book, 5, 10)
    sample(book, 9, 50)
    assert bounds(book, 3, 5, 7) == [None, None, (10, 50)]


def test_at_the_end_of_what_was_read_the_last_sample_is_exact_unless_commits_came_later(book: Book) -> None:
    """What is newest of the log is the sample, or the commit."""
    sample(book, 10, 100)
    commit(book, 8, 50)
    bounds(book)
    assert newest(book) == []
    commit(book, 12, 60)
    bounds(book)
    assert newest(book) == [(100, None)]
    commit(book, 14, 160)
    bounds(book)
    assert newest(book) == [(160, None)]


def test_every_bound_holds_in_a_made_up_log(book: Book) -> None:
    """A log that grows by 7 a second, asked every 13 seconds, read by a group that is close behind."""
    for number in range(20):
        sample(book, 13 * number, 7 * 13 * number)
    for number in range(250):
        commit(book, number + 0.5, int(7 * (number + 0.5)))
    instants = [number + 0.7 for number in range(240)]
    for at, bound in zip(instants, bounds(book, *instants), strict=True):
        lower, upper = bound or (None, None)
        assert (lower or 0) <= 7 * at <= (upper or 0) <= 7 * (at + 13)
        assert (lower or 0) >= 7 * (at - 2)
