"""How much of the history answers rest on, and where log ends are known from, on rows by hand."""

from __future__ import annotations

from typing import Final

import pytest

from assets.catalog import TABLES
from tests.assets.rows import Book

STANDING: Final = (
    *("raw.offset_records", "raw.segments", "raw.retired_ranges", "raw.quarantine", "raw.external_commits"),
    *("core.log_ends", "mart.offsets_now"),
)
LOG: Final = {"cluster": "c", "topic": "__consumer_offsets", "partition": 7}
AT: Final = 1_767_225_600_000
"""The first instant of 2026."""


def book(*offsets: int, end: int = 10) -> Book:
    """A read of one partition up to an end, in which the records of these offsets were left."""
    tables = Book(STANDING)
    tables.insert("raw.segments", **LOG, end_offset=end, batch_count=3)
    for offset in offsets:
        record = {"cluster": "c", "log_partition": 7, "log_offset": offset, "timestamp_ms": AT + 1000 * offset}
        tables.insert("raw.offset_records", **record)
    return tables


def basis(tables: Book, columns: str, topic: str = "__consumer_offsets") -> list[tuple[object, ...]]:
    """What the model says of a topic."""
    tables.make("mart.basis")
    return tables.ask(f"SELECT {columns} FROM mart.basis WHERE topic = '{topic}'")  # noqa: S608 - names that the tests write


@pytest.mark.parametrize(("offsets", "unseen"), [(range(10), 0), ((3, 9), 8), ((), 10)])
def test_what_no_copy_had_any_more_is_unseen(offsets: tuple[int, ...], unseen: int) -> None:
    """The history begins at offset 0, wherever the first segment that was read does."""
    assert basis(book(*offsets), "history_offsets, unseen_offsets, batches") == [(10, unseen, 3)]


def test_what_was_retired_was_seen() -> None:
    """It went out of the archive, and was read before."""
    tables = book(9)
    tables.insert("raw.retired_ranges", **LOG, from_offset=0, to_offset=9, row_count=6)
    assert basis(tables, "unseen_offsets") == [(3,)]


def test_the_newest_record_says_as_of_when() -> None:
    """By its place in the log: a time that a clock far ahead once gave stays in the past."""
    tables = book(3, 9)
    tables.ask(f"UPDATE raw.offset_records SET timestamp_ms = {AT + 10**12} WHERE log_offset = 3")  # noqa: S608 - a number of ours
    assert basis(tables, "epoch_ms(newest_record_at)") == [(AT + 9000,)]


def test_a_record_without_a_time_has_that_of_its_commit() -> None:
    """Before Kafka 0.10 records had none."""
    tables = book(3, 9)
    tables.ask("UPDATE raw.offset_records SET timestamp_ms = NULL")
    tables.ask(f"UPDATE raw.offset_records SET offset_commit = {{'commit_timestamp': {AT}}} WHERE log_offset = 9")  # noqa: S608 - a number of ours
    assert basis(tables, "epoch_ms(newest_record_at)") == [(AT,)]


def test_what_was_set_aside_is_counted() -> None:
    """In the offsets topic, not in data topics."""
    tables = book(*range(10))
    for topic, count in (("__consumer_offsets", 2), ("orders", 3)):
        tables.insert("raw.segments", **{**LOG, "topic": topic, "batches_set_aside": count})
    assert basis(tables, "batches_set_aside") == [(2,)]


@pytest.mark.parametrize(
    ("sources", "known"),
    [(("batch",), "segments"), (("live",), "samples"), (("live", "segment"), "segments"), (("gap",), None), ((), None)],
)
def test_where_a_log_end_is_known_from(sources: tuple[str, ...], known: str | None) -> None:
    """From data segments, else from what a broker said, else from nowhere; of each partition that a group has."""
    tables = book()
    place = {"cluster": "c", "topic": "orders", "partition": 0}
    tables.insert("mart.offsets_now", **place, group_id="g")
    tables.insert("mart.offsets_now", **place, group_id="h")
    for source in sources:
        tables.insert("core.log_ends", **place, source=source, log_end_offset=None if source == "gap" else 5)
    assert basis(tables, "history_offsets, log_ends_from", "orders") == [(None, known)]


def test_its_columns_are_the_described_ones() -> None:
    """Names and order."""
    tables = book()
    tables.make("mart.basis")
    assert [name for (name,) in tables.ask("SELECT column_name FROM (DESCRIBE mart.basis)")] == list(
        TABLES["mart.basis"].column_names
    )


def test_a_store_outside_kafka_has_the_time_of_its_newest_commit() -> None:
    """And no history by which a share of it could be told."""
    tables = book()
    for offset in (3, 5):
        row = {"cluster": "c", "log_partition": -4, "log_offset": offset, "timestamp_ms": AT + 1000 * offset}
        tables.insert("raw.external_commits", **row)
    tables.make("mart.basis")
    columns = "history_offsets, epoch_ms(newest_record_at), log_ends_from"
    assert tables.ask(f"SELECT {columns} FROM mart.basis WHERE partition = -4") == [(None, AT + 5000, None)]  # noqa: S608 - names that the tests write
