"""How many records lie in a range of offsets: what is counted, what is not, and where nobody can tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.assets.test_models import insert

if TYPE_CHECKING:
    import duckdb

PLACE = {"cluster": "c", "topic": "t", "partition": 0}
LATER = 253_402_300_800_000
"""The first millisecond that no calendar of ours holds."""


def batch(database: duckdb.DuckDBPyConnection, first: int, last: int, **values: Any) -> None:  # noqa: ANN401 - any column
    """A batch of t-0 with a record at each of its offsets, 100 bytes long."""
    row = {"base_offset": first, "last_offset": last, "record_count": last - first + 1, "size_bytes": 100}
    kind = {"is_control": False, "is_transactional": False}
    insert(database, "raw.batches", **{**PLACE, **row, **kind, **values})


def marker(database: duckdb.DuckDBPyConnection, at: int, control_type: str, producer: int = 1) -> None:
    """The end of a transaction."""
    batch(database, at, at, is_control=True, is_transactional=True, producer_id=producer, control_type=control_type)


def segment(database: duckdb.DuckDBPyConnection, first: int, end: int, quarantined: int = 0) -> None:
    """A stretch of the log that was read."""
    insert(database, "raw.segments", **PLACE, from_offset=first, end_offset=end, quarantined_count=quarantined)


def counted(
    database: duckdb.DuckDBPyConnection, first: int, end: int, columns: str = "records"
) -> tuple[Any, ...] | None:
    """What is said of one range of t-0."""
    return database.execute(
        f"WITH asked AS (SELECT 'c' AS cluster, 't' AS topic, 0 AS partition, ? AS from_offset, ? AS to_offset)"  # noqa: S608 - names that the tests write
        f" SELECT {columns} FROM records_in('asked')",
        [first, end],
    ).fetchone()


def test_a_batch_that_is_cut_counts_by_its_offsets(database: duckdb.DuckDBPyConnection) -> None:
    """It has a record at each of them; its bytes count whole."""
    segment(database, 0, 30)
    batch(database, 0, 9)
    batch(database, 10, 29)
    assert counted(database, 5, 12, "records, bytes") == (7, 200)
    assert counted(database, 0, 30, "records, bytes") == (30, 200)


def test_what_the_cleaner_took_is_not_counted(database: duckdb.DuckDBPyConnection) -> None:
    """A batch with fewer records than offsets counts whole, or, when it is cut, not at all."""
    segment(database, 0, 40)
    batch(database, 0, 9, record_count=4)
    batch(database, 30, 39)
    assert counted(database, 0, 40) == (14,)
    assert counted(database, 0, 5) == (None,)
    assert counted(database, 15, 25, "records, bytes, first_record_at") == (0, 0, None)


def test_a_batch_that_does_not_say_how_many_it_holds_is_unknown(database: duckdb.DuckDBPyConnection) -> None:
    """A compressed one of the oldest formats; its bytes and times are known all the same."""
    segment(database, 0, 10)
    batch(database, 0, 9, record_count=None, max_timestamp_ms=1000)
    assert counted(database, 0, 10, "records, bytes, epoch_ms(last_record_at)") == (None, 100, 1000)


def test_aborted_data_and_markers_are_not_counted(database: duckdb.DuckDBPyConnection) -> None:
    """The next marker of the same producer tells; that of another does not."""
    segment(database, 0, 40)
    batch(database, 0, 9, is_transactional=True, producer_id=1)
    batch(database, 10, 14, is_transactional=True, producer_id=2)
    marker(database, 15, "COMMIT", producer=2)
    marker(database, 16, "ABORT", producer=1)
    batch(database, 17, 19, is_transactional=True, producer_id=1)
    marker(database, 20, "COMMIT", producer=1)
    assert counted(database, 0, 21, "records, bytes") == (5 + 3, 200)
    assert counted(database, 2, 8, "records, bytes") == (0, 0)


def test_an_open_transaction_may_end_either_way(database: duckdb.DuckDBPyConnection) -> None:
    """And so may one whose end lies behind something that was not read."""
    segment(database, 0, 10)
    batch(database, 0, 4, is_transactional=True, producer_id=1)
    assert counted(database, 0, 5) == (None,)
    segment(database, 20, 30)
    marker(database, 25, "COMMIT")
    assert counted(database, 0, 5) == (None,)
    segment(database, 10, 20)
    assert counted(database, 0, 5) == (5,)


def test_what_was_not_read_whole_is_unknown(database: duckdb.DuckDBPyConnection) -> None:
    """Two stretches that meet are one; a third lies apart, in a fourth something was set aside."""
    batch(database, 0, 69)
    assert counted(database, 0, 5, "records, bytes") == (None, None)
    segment(database, 0, 10)
    segment(database, 5, 20)
    segment(database, 30, 40)
    segment(database, 20, 30, quarantined=1)
    assert counted(database, 0, 20) == (20,)
    assert counted(database, 0, 21) == counted(database, 15, 35) == (None,)
    assert counted(database, 30, 40) == (10,)


def test_what_was_retired_is_unknown(database: duckdb.DuckDBPyConnection) -> None:
    """Batches that were taken out for their age had records."""
    segment(database, 0, 40)
    batch(database, 20, 39)
    insert(database, "raw.retired_ranges", **PLACE, from_offset=0, to_offset=20)
    assert counted(database, 10, 30) == (None,)
    assert counted(database, 20, 30) == (10,)


def test_times_are_those_of_what_is_counted(database: duckdb.DuckDBPyConnection) -> None:
    """Of markers none, and of no time that no calendar holds."""
    segment(database, 0, 40)
    batch(database, 0, 9, base_timestamp_ms=5, max_timestamp_ms=9)
    batch(database, 10, 19, base_timestamp_ms=-1, max_timestamp_ms=LATER)
    batch(database, 20, 20, is_control=True, base_timestamp_ms=1, max_timestamp_ms=99)
    times = "epoch_ms(first_record_at), epoch_ms(last_record_at)"
    assert counted(database, 0, 21, times) == (5, 9)


@pytest.mark.parametrize(("first", "end"), [(-5, 5), (7, 7), (9, 3)])
def test_what_is_no_range_has_no_answer(database: duckdb.DuckDBPyConnection, first: int, end: int) -> None:
    """Offsets in commits are whatever somebody wrote."""
    segment(database, 0, 40)
    assert counted(database, first, end) is None


def test_the_largest_offsets_there_are_do_no_harm(database: duckdb.DuckDBPyConnection) -> None:
    """A commit may say any number."""
    segment(database, 0, 2**63 - 1)
    batch(database, 2**63 - 12, 2**63 - 3)
    assert counted(database, 0, 2**63 - 1) == (10,)
