"""What is known of a transaction from its records and its marker."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assets.catalog.core.transactions import TRANSACTIONS
from assets.transforms import projection
from assets.transforms.transactions import Transactions
from tests.assets.transforms.offsets_log import Log, Row, logs, project

if TYPE_CHECKING:
    from collections.abc import Sequence

EMPTY = Log()


def transactions(log: Log, cuts: Sequence[int] = ()) -> list[Row]:
    """The transactions of a log, in the order of their first record."""
    return sorted(project(Transactions, log, cuts)["core.transactions"], key=lambda row: row["log_offset"])


def ends(log: Log) -> list[tuple[int, str, int, int | None]]:
    """Producer, outcome, first record and marker of each."""
    rows = transactions(log)
    return [(row["producer_id"], row["outcome"], row["log_offset"], row["marker_log_offset"]) for row in rows]


def test_a_transaction_is_what_lies_before_its_marker() -> None:
    """Its records, the groups they are of, and how long it took."""
    log = EMPTY.commit(1).commit(2, producer=5, producer_epoch=3, group_id="h").commit(3, producer=5)
    (row,) = transactions(log.commit(4, producer=5).marker("COMMIT", 5, producer_epoch=4, timestamp_ms=2500))
    assert row["ended_at"].timestamp() == 2.5
    assert {name: value for name, value in row.items() if name not in ("started_at", "ended_at")} == {
        "producer_id": 5,
        "producer_epoch": 3,
        "log_offset": 1,
        "last_log_offset": 3,
        "marker_log_offset": 4,
        "outcome": "committed",
        "record_count": 3,
        "groups": ["g", "h"],
        "age_ms": 1499,
        "is_gap_free": True,
    }


def test_producers_do_not_end_each_others_transactions() -> None:
    """Each is ended by the next marker of its own producer, and the next one begins behind it."""
    log = EMPTY.commit(1, producer=5).commit(2, producer=6).marker("ABORT", 6).marker("COMMIT", 5).commit(3, producer=5)
    assert ends(log.marker("ABORT", 5)) == [(5, "committed", 0, 3), (6, "aborted", 1, 2), (5, "aborted", 4, 5)]


def test_what_is_open_is_as_old_as_the_log_is_new() -> None:
    """Until a marker comes it has none, and its age grows with every record of the partition."""
    log = (
        EMPTY.commit(1, producer=5)
        .commit(2, producer=5, partition=3)
        .add(record_type=2, is_tombstone=True, group_id="x")
    )
    (row,) = transactions(log)
    assert (row["outcome"], row["marker_log_offset"], row["age_ms"], row["record_count"]) == ("open", None, 2, 2)


def test_a_marker_without_records_is_an_empty_transaction() -> None:
    """Its records may have been compacted away, or there were none."""
    (row,) = transactions(EMPTY.marker("COMMIT", 5, producer_epoch=1))
    assert (row["log_offset"], row["last_log_offset"], row["record_count"], row["groups"]) == (0, None, 0, [])
    assert (row["started_at"], row["age_ms"], row["producer_epoch"]) == (None, None, 1)


def test_behind_a_hole_there_may_have_been_more() -> None:
    """Unless the hole lies before the producer's marker before it."""
    log = EMPTY.commit(0, producer=5).hole().commit(1, producer=5).marker("COMMIT", 5).commit(1, producer=5)
    assert [row["is_gap_free"] for row in transactions(log.marker("COMMIT", 5))] == [False, True]
    assert [row["is_gap_free"] for row in transactions(log)] == [False, True]
    assert [row["is_gap_free"] for row in transactions(EMPTY.hole().commit(1, producer=5))] == [False]


def test_a_marker_of_a_strange_epoch_behind_a_hole_leaves_the_outcome_unknown() -> None:
    """The transaction's own marker is lost."""
    log = EMPTY.commit(10, producer=5, producer_epoch=3).hole().marker("COMMIT", 5, producer_epoch=7)
    assert [outcome for _, outcome, *_ in ends(log)] == ["unknown"]


def test_columns_are_the_described_ones() -> None:
    """Ended and open ones, with rows and without."""
    schema = pa.schema([field for field in TRANSACTIONS.schema if field.name not in ("cluster", "log_partition")])
    for log in (EMPTY.commit(1), EMPTY.commit(1, producer=5).marker("ABORT", 5).commit(1, producer=5)):
        (chunk,) = log.chunks()
        replay = Transactions.resume({})
        for rows in (replay.replay(chunk), replay.open_rows()):
            assert rows["core.transactions"].cast(schema).column_names == schema.names


@settings(max_examples=20)
@given(logs(), st.lists(st.integers(0, 30), max_size=4))
def test_where_the_log_is_cut_does_not_matter(log: Log, cuts: list[int]) -> None:
    """However a log is cut into runs, the transactions are those of one run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(projection, "REMEMBERED_OFFSETS", 5)
        assert transactions(log, cuts) == transactions(log)


def test_memory_is_what_is_open() -> None:
    """However many transactions ended, and however many records one has."""
    log = EMPTY
    for number in range(20):
        log = log.commit(number, producer=5).marker("ABORT", 5).commit(number, producer=6)
    (chunk,) = log.chunks()
    replay = Transactions.resume({})
    replay.replay(chunk)
    assert {name: table.num_rows for name, table in replay.memory().items()} == {"open": 1, "ended": 0, "clock": 1}
