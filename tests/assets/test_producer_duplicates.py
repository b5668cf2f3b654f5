"""What came in twice, and what producers counted that did not come, on a few batches each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from assets import models
from assets.catalog import TABLES
from tests.assets.test_models import insert

if TYPE_CHECKING:
    import duckdb

LOG = {"cluster": "c", "topic": "t", "partition": 0}
LAST: int = 2**31 - 1


def batch(database: duckdb.DuckDBPyConnection, first: int, count: int = 3, **values: Any) -> None:  # noqa: ANN401 - any column
    """A batch of t-0 whose checksum is its own; with a sequence it is of producer 6."""
    times = {"base_timestamp_ms": 5, "max_timestamp_ms": 7, "is_log_append_time": False, "codec": "none"}
    held = {"record_count": count, "size_bytes": 100, "crc": first, "is_control": False, "is_transactional": False}
    place = {**LOG, "base_offset": first, "last_offset": first + count - 1}
    producer = {"producer_id": 6, "producer_epoch": 0} if "base_sequence" in values else {}
    insert(database, "raw.batches", **{**place, **times, **held, **producer, **values})


def duplicates(
    database: duckdb.DuckDBPyConnection, columns: str = "kind, from_offset, first_from, certainty"
) -> list[Any]:
    """What is told."""
    model = models.select("producer_duplicates")
    return database.sql(f"SELECT {columns} FROM ({model}) ORDER BY from_offset").fetchall()  # noqa: S608 - names


def test_a_producer_that_counts_sent_a_batch_twice(database: duckdb.DuckDBPyConnection) -> None:
    """Each further copy is told, with the first one; another partition's batch is another's."""
    for first in (0, 10, 20):
        batch(database, first, base_sequence=0, crc=77)
    batch(database, 0, base_sequence=0, crc=77, partition=1)
    assert duplicates(database) == [("sent_twice", 10, 0, "proven"), ("sent_twice", 20, 0, "proven")]
    assert duplicates(database, "to_offset, first_to, record_count, bytes, producer_id, base_sequence")[0] == (
        13,
        3,
        3,
        100,
        6,
        0,
    )


@pytest.mark.parametrize("other", [{"crc": 78}, {"producer_epoch": 1}, {"producer_id": 7}, {"base_sequence": 3}])
def test_other_numbers_or_other_bytes_are_another_batch(
    database: duckdb.DuckDBPyConnection, other: dict[str, int]
) -> None:
    """A producer that begins to count anew uses the same numbers for other records."""
    batch(database, 0, base_sequence=0, crc=77)
    batch(database, 3, **{"base_sequence": 0, "crc": 77, **other})
    assert duplicates(database) == []


def test_a_checksum_says_nothing_where_the_broker_sets_the_times(database: duckdb.DuckDBPyConnection) -> None:
    """The numbers still do."""
    for first in (0, 3):
        batch(database, first, base_sequence=0, is_log_append_time=True)
    assert duplicates(database) == [("sent_twice", 3, 0, "likely")]


def test_a_producer_that_does_not_count_may_have_sent_the_same_twice(database: duckdb.DuckDBPyConnection) -> None:
    """The same times, size and checksum: a retry, or an application that said it twice."""
    for first in (0, 3):
        batch(database, first, crc=77)
    assert duplicates(database) == [("same_bytes", 3, 0, "likely")]


@pytest.mark.parametrize(
    "changes",
    [
        {"is_log_append_time": True},
        {"base_timestamp_ms": None, "max_timestamp_ms": None},
        {"is_control": True},
        {"crc": None},
        {"record_count": 0},
    ],
)
def test_without_times_and_a_checksum_nothing_is_the_same(
    database: duckdb.DuckDBPyConnection, changes: dict[str, Any]
) -> None:
    """The same words at another time are another record; markers and batches that the cleaner emptied hold none."""
    for first in (0, 3):
        batch(database, first, **{"crc": 77, **changes})
    assert duplicates(database) == []


@pytest.mark.parametrize("other", [{"max_timestamp_ms": 8}, {"size_bytes": 101}, {"crc": 78}, {"codec": "zstd"}])
def test_all_must_be_the_same(database: duckdb.DuckDBPyConnection, other: dict[str, Any]) -> None:
    """A checksum alone has but 32 bits."""
    batch(database, 0, crc=77)
    batch(database, 3, **{"crc": 77, **other})
    assert duplicates(database) == []


def test_numbers_that_do_not_follow_leave_a_gap(database: duckdb.DuckDBPyConnection) -> None:
    """Nothing lies between that was not read; others may have written in between."""
    batch(database, 0, base_sequence=0)
    batch(database, 3)
    batch(database, 6, base_sequence=8)
    assert duplicates(database) == [("sequence_gap", 6, 0, "proven")]
    assert duplicates(database, "base_sequence, expected_sequence, first_to") == [(8, 3, 3)]


@pytest.mark.parametrize(
    "second", [{"base_sequence": 3}, {"base_sequence": 0}, {"base_sequence": 8, "producer_epoch": 1}]
)
def test_numbers_that_follow_or_begin_anew_leave_none(
    database: duckdb.DuckDBPyConnection, second: dict[str, int]
) -> None:
    """A producer counts anew in another epoch, and where its broker had forgotten it."""
    batch(database, 0, base_sequence=0)
    batch(database, 3, **second)
    assert duplicates(database) == []


def test_numbers_begin_at_zero_after_the_last(database: duckdb.DuckDBPyConnection) -> None:
    """A batch may lie across the end."""
    batch(database, 0, base_sequence=LAST - 1)
    batch(database, 3, base_sequence=1)
    assert duplicates(database) == []


def test_a_hole_in_the_log_is_no_gap(database: duckdb.DuckDBPyConnection) -> None:
    """The batch that is missing was not read, or the cleaner took it, or retention did."""
    batch(database, 0, base_sequence=0)
    batch(database, 4, base_sequence=8)
    batch(database, 0, base_sequence=20, partition=1)
    assert duplicates(database) == []


def test_what_the_cleaner_emptied_still_counts(database: duckdb.DuckDBPyConnection) -> None:
    """It leaves the last batch of each producer, for its numbers."""
    batch(database, 0, base_sequence=0, record_count=0)
    batch(database, 3, base_sequence=3, record_count=1)
    assert duplicates(database) == []


def test_the_columns_are_the_described_ones(database: duckdb.DuckDBPyConnection) -> None:
    """Names and order."""
    columns = database.sql(models.select("producer_duplicates")).columns
    assert tuple(columns) == TABLES["mart.producer_duplicates"].column_names
