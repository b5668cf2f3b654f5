"""Lagbook against a real broker: what its commands said while it ran, and what its log directory says afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.broker.book import answered, standing_of
from tests.broker.commands import assigned
from tests.broker.story import EXACTLY_ONCE, FIRST, PARTITIONS, READERS, RESET_TO, TOPIC
from tests.parsers.test_dump_log import compare

if TYPE_CHECKING:
    from tests.broker.book import Book
    from tests.broker.story import Answers, Story


@pytest.mark.parametrize("moment", ["reading", "reset", "cleaned"])
def test_offsets_log_ends_and_lag_are_the_brokers_own(story: Story, book: Book, moment: str) -> None:
    """At three instants, asked of one warehouse when the day is over and the log was cleaned."""
    answers: Answers = getattr(story, moment)
    assert answered(book.describe(answers.at_ms)) == standing_of(answers.offsets)


def test_now_is_the_last_moment(story: Story, book: Book) -> None:
    """Without a time the answer is of the newest copy."""
    assert answered(book.describe()) == standing_of(story.cleaned.offsets)


def test_owners_are_the_brokers_own(story: Story, book: Book) -> None:
    """Member, host and client of each partition while two members shared them."""
    broker = {
        (topic, partition): (row["CONSUMER-ID"], row["HOST"], row["CLIENT-ID"])
        for row in story.members
        for topic, partition in assigned(row.get("CURRENT-ASSIGNMENT") or row["ASSIGNMENT"], TOPIC)
    }
    rows = book.describe(story.reading.at_ms)
    assert broker == {
        (row["topic"], row["partition"]): (row["member_id"], row["client_host"], row["client_id"]) for row in rows
    }
    assert len({row["CONSUMER-ID"] for row in story.members}) == len(story.members) > 1


def test_the_admins_reset_is_a_replay_of_exactly_what_was_read_again(story: Story, book: Book) -> None:
    """Each partition's range is certain, is the admin's, and was processed twice by the members' own logs."""
    claims = book.query(
        "SELECT group_id, topic, partition, from_offset, to_offset, certain_from, certain_to, cause "
        "FROM mart.replays WHERE kind = 'set_back' ORDER BY partition"
    )
    span = (RESET_TO, FIRST + 1)
    assert claims == [(READERS, TOPIC, partition, *span, *span, "admin_reset") for partition in range(PARTITIONS)]
    twice = {record for record in story.processed if story.processed.count(record) > 1}
    assert twice == {(partition, offset) for partition in range(PARTITIONS) for offset in range(*span)}


def test_offsets_of_an_aborted_or_open_transaction_never_show(book: Book) -> None:
    """Offset 30 was aborted, 33 is in an open transaction; neither is in the history, what was committed is."""
    history = book.query(
        f"SELECT partition, committed_offset FROM core.commits WHERE group_id = '{EXACTLY_ONCE}'"  # noqa: S608
    )
    assert sorted(history) == [(0, 5), (0, 12), (1, 13), (2, 6)]


def test_the_archive_keeps_what_the_cleaner_removed(story: Story, book: Book) -> None:
    """It holds each record that kafka-dump-log found in any of the copies once, and no other."""
    archived = book.query("SELECT log_partition, log_offset FROM raw.offset_records")
    assert len(archived) == len(set(archived))
    assert set(archived) == story.reading.records | story.reset.records | story.cleaned.records
    assert story.reset.records - story.cleaned.records


@pytest.mark.parametrize("moment", ["reading", "reset", "cleaned"])
def test_a_dump_shows_what_kafkas_own_shows(story: Story, moment: str) -> None:
    """Every batch and record of the offsets topic, field by field."""
    answers: Answers = getattr(story, moment)
    assert compare(answers.logs, answers.dumped.splitlines()) > 20


@pytest.mark.slow
def test_what_the_cleaner_left_still_answers_for_now(story: Story, cleaned_book: Book) -> None:
    """Who reads only the cleaned log gets the broker's offsets all the same."""
    assert answered(cleaned_book.describe()) == standing_of(story.cleaned.offsets)
