"""Where nobody saw the log: each hole once, between the times of its neighbours, however the log is cut into runs."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assets.transforms.log_chunks import Reader
from assets.transforms.log_gaps import LogGaps
from tests.assets.transforms.offsets_log import LATER_TYPE, UNREAD, Log, logs, project, records

if TYPE_CHECKING:
    from assets.transforms.log_chunks import Spans


def holes(log: Log, cuts: list[int] | None = None) -> list[dict[str, Any]]:
    """The rows of core.log_gaps."""
    return project(LogGaps, log, cuts or [])["core.log_gaps"]


def spans(log: Log, damaged: Spans = ()) -> list[tuple[int, int, bool]]:
    """From where to where, and whether something was damaged there."""
    rows = LogGaps.resume({}).replay(Reader(damaged=damaged).chunk(*records(*log.records)))["core.log_gaps"].to_pylist()
    return [(row["from_log_offset"], row["to_log_offset"], row["is_damage"]) for row in rows]


def at(log_offset: int) -> datetime:
    """When the record of a log offset was appended."""
    return datetime.fromtimestamp((1000 + log_offset) / 1000, timezone.utc)


def test_a_hole_lies_between_two_records() -> None:
    """What stood in it is not older than the one before, and not younger than the one behind."""
    (hole,) = holes(Log().commit(1).hole(3).commit(2))
    assert (hole["from_log_offset"], hole["to_log_offset"]) == (1, 4)
    assert (hole["from_at"], hole["to_at"], hole["is_damage"]) == (at(0), at(4), False)


def test_before_the_first_record_any_time_is_possible() -> None:
    """A log that was compacted from its beginning on says nothing of when."""
    (hole,) = holes(Log().hole(5).commit(2))
    assert (hole["from_log_offset"], hole["to_log_offset"], hole["from_at"]) == (0, 5, None)


def test_a_whole_log_has_none() -> None:
    """Whatever stands in it; a type of a later Kafka is no hole."""
    assert holes(Log().commit(1).marker("COMMIT", 5).add(**LATER_TYPE).remove().commit(2)) == []


def test_what_cannot_be_read_is_damage() -> None:
    """It stands there with its time, and may have said anything."""
    (hole,) = holes(Log().commit(1).commit(2, **UNREAD).commit(3))
    assert (hole["from_log_offset"], hole["to_log_offset"], hole["is_damage"]) == (1, 2, True)
    assert (hole["from_at"], hole["to_at"]) == (at(1), at(1))


def test_what_cannot_be_read_behind_a_hole_is_another_one() -> None:
    """The cleaner made the one, and damage the other."""
    assert spans(Log().commit(1).hole(2).commit(2, **UNREAD)) == [(1, 3, False), (3, 4, True)]


@pytest.mark.parametrize(
    ("damaged", "is_damage"),
    [
        ((), False),
        (((1, 2),), True),
        (((3, 4),), True),
        (((0, 1),), False),
        (((4, 9),), False),
        (((0, 1), (2, 3)), True),
    ],
)
def test_a_hole_in_which_something_was_set_aside_is_damage(damaged: Spans, is_damage: bool) -> None:  # noqa: FBT001
    """Half-open ranges that only touch have nothing in common."""
    assert spans(Log().commit(1).hole(3).commit(2), damaged) == [(1, 4, is_damage)]


def test_a_record_without_a_time_tells_none() -> None:
    """Before Kafka 0.10 records had none."""
    log = Log().commit(1, timestamp_ms=None).hole().commit(2, timestamp_ms=None)
    assert [(hole["from_at"], hole["to_at"]) for hole in holes(log)] == [(None, None)]


@settings(max_examples=60)
@given(logs(), st.lists(st.integers(0, 30), max_size=4))
def test_where_the_log_is_cut_does_not_matter(log: Log, cuts: list[int]) -> None:
    """A hole on the cut, too, begins at the time of the record before it, which another run read."""
    assert holes(log, cuts) == holes(log)


@settings(max_examples=60)
@given(logs())
def test_holes_and_records_make_up_the_log(log: Log) -> None:
    """Each offset up to the last record's was seen or lies in one hole."""
    offsets = [row["log_offset"] for row in log.records]
    hidden = [offset for hole in holes(log) for offset in range(hole["from_log_offset"], hole["to_log_offset"])]
    assert sorted([*offsets, *hidden]) == list(range(max(offsets, default=-1) + 1))
