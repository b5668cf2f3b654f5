"""The macro explain_share, on a few rows each: what is one event, what is apart, and what a hole leaves open."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pytest

from assets.catalog import TABLES
from tests.assets.test_models import insert

if TYPE_CHECKING:
    import duckdb

PLACE: Final = {"cluster": "c", "group_id": "g", "topic": "t", "topic_id": "T", "partition": 0, "state_partition": 1}
NOON: Final = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
ALWAYS: Final = ("-infinity", "infinity")
READ: Final = ("core.share_deliveries", "core.share_start_offsets", "mart.share_archived")


@pytest.fixture
def groups(database: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """The tables that the macro reads, without rows."""
    for name in READ:
        nullable = pa.schema([field.with_nullable(nullable=True) for field in TABLES[name].schema])
        database.register("no_rows", nullable.empty_table())
        database.execute(f"CREATE OR REPLACE TABLE {name} AS FROM no_rows")
    return database


def record(groups: duckdb.DuckDBPyConnection, name: str, at: int, **values: Any) -> None:  # noqa: ANN401 - any column
    """A row that the record of this offset makes, as many minutes after noon."""
    own = {"record_offset": at, "written_at": NOON + timedelta(minutes=at), "state_epoch": 1}
    insert(groups, name, **{**PLACE, **own, **values})


def ended(groups: duckdb.DuckDBPyConnection, at: int, first: int, last: int, **values: Any) -> None:  # noqa: ANN401 - any column
    """Offsets that were accepted at their first delivery, unless it is said otherwise."""
    own = {"from_offset": first, "to_offset": last + 1, "delivery_state": "acknowledged", "delivery_count": 1}
    record(groups, READ[0], at, **{**own, "is_gap_free": True, **values})


def moved(groups: duckdb.DuckDBPyConnection, at: int, before: int | None, after: int, cause: str = "advanced") -> None:
    """A move of the start offset."""
    record(groups, READ[1], at, from_offset=before, to_offset=after, cause=cause)


def events(
    groups: duckdb.DuckDBPyConnection, columns: str, span: tuple[str, str] = ALWAYS, topic: str = "t"
) -> list[Any]:
    """Some columns of the events."""
    query = f"SELECT {columns} FROM explain_share('g', ?, 0, ?::TIMESTAMPTZ, ?::TIMESTAMPTZ)"  # noqa: S608 - names
    return groups.execute(query, [topic, *span]).fetchall()


def test_what_is_accepted_one_after_the_other_is_one_event(groups: duckdb.DuckDBPyConnection) -> None:
    """With the moves of the start offset that follow from it; a second delivery, and a return, are others."""
    moved(groups, 0, None, 0, "initialized")
    for at in range(1, 4):
        ended(groups, at, 10 * at, 10 * at + 9)
        moved(groups, at, 10 * at, 10 * at + 10)
    ended(groups, 4, 40, 40, delivery_state="available")
    ended(groups, 5, 40, 40, delivery_count=2)
    actual = events(groups, "event, offsets, records, previous_start_offset, start_offset, delivery_count")
    assert actual == [
        ("start_offset", None, 1, None, 0, None),
        ("acknowledged", 30, 3, 10, 40, 1),
        ("available", 1, 1, None, None, 1),
        ("acknowledged", 1, 1, None, None, 2),
    ]


def test_a_reset_and_another_epoch_end_an_event(groups: duckdb.DuckDBPyConnection) -> None:
    """Counts begin anew, and so does the story."""
    ended(groups, 1, 0, 9)
    moved(groups, 2, 10, 0, "reset")
    ended(groups, 3, 0, 9, state_epoch=2)
    assert events(groups, "event, cause") == [("acknowledged", None), ("start_offset", "reset"), ("acknowledged", None)]


def test_what_was_given_up_has_its_cause(groups: duckdb.DuckDBPyConnection) -> None:
    """Ranges of one record and cause are one event."""
    for first in (3, 7):
        ended(groups, 1, first, first, delivery_state="archived", delivery_count=2)
        given_up = {"record_offset": 1, "from_offset": first, "cause": "rejected", "certainty": "likely"}
        insert(groups, READ[2], **PLACE, **given_up)
    actual = events(groups, "event, from_offset, to_offset, offsets, ranges, cause, certainty")
    assert actual == [("archived", 3, 8, 2, 2, "rejected", "likely")]


def test_behind_a_hole_nothing_is_folded(groups: duckdb.DuckDBPyConnection) -> None:
    """Each record stands for itself, and says that it is behind one."""
    ended(groups, 1, 0, 1)
    ended(groups, 5, 2, 3, is_gap_free=False)
    ended(groups, 6, 4, 5, is_gap_free=False)
    assert events(groups, "record_offset, is_gap_free") == [(1, True), (5, False), (6, False)]


def test_a_topic_without_a_name_is_named_by_its_id(groups: duckdb.DuckDBPyConnection) -> None:
    """And one of another group is not told of."""
    ended(groups, 1, 0, 1, topic=None)
    ended(groups, 2, 0, 1, group_id="h")
    insert(groups, "core.share_states", **{name: PLACE[name] for name in PLACE if name != "topic"}, changes=[])
    assert events(groups, "offsets", topic="T") == [(2,)]


def test_times_bound_what_is_told(groups: duckdb.DuckDBPyConnection) -> None:
    """Both instants belong to it."""
    for at in range(1, 5):
        ended(groups, at, at, at, delivery_count=at)
    span = (f"{NOON + timedelta(minutes=2)}", f"{NOON + timedelta(minutes=3)}")
    assert events(groups, "record_offset", span) == [(2,), (3,)]


def test_extreme_offsets_end_nothing(groups: duckdb.DuckDBPyConnection) -> None:
    """Sums end at the largest number there is."""
    for at in (1, 2, 3):
        ended(groups, at, 0, (1 << 63) - 2)
    assert events(groups, "offsets") == [((1 << 63) - 1,)]
