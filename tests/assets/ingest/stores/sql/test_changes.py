"""What of a table's rows is new: changes since the last reading, and rows of a history."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assets.ingest.stores.positions import MOST_IN_BATCH, base_of
from assets.ingest.stores.sql.changes import Key, Known, StoredCommit, history_commits, sampled_commits
from assets.ingest.stores.sql.values import BadRow, StoredOffset

if TYPE_CHECKING:
    import pytest

NOW_MS = 1_795_176_000_000


def _row(
    partition: int, offset: int | None, timestamp_ms: int | None = None, position: int | None = None
) -> StoredOffset:
    return StoredOffset("g", "t", partition, offset, timestamp_ms, None, position)


def _sample(rows: list[StoredOffset], known: dict[Key, Known], bad: list[BadRow] | None = None) -> list[StoredCommit]:
    return sampled_commits(rows, known, 5, NOW_MS, [] if bad is None else bad)


def _offsets(commits: list[StoredCommit]) -> list[tuple[int, int | None, int | None]]:
    return [(one.stored.partition, one.stored.committed_offset, one.stored.timestamp_ms) for one in commits]


def test_the_first_reading_takes_every_offset() -> None:
    """In one batch, with the time of the reading where the row has none."""
    commits = _sample([_row(1, 20), _row(0, 10, 7), _row(2, None)], {})
    assert _offsets(commits) == [(0, 10, 7), (1, 20, NOW_MS)]
    assert [(one.log_offset, one.batch_base_offset) for one in commits] == [
        (base_of(5), base_of(5)),
        (base_of(5) + 1, base_of(5)),
    ]


def test_later_readings_take_what_changed() -> None:
    """An offset, a row's own time, a row that is gone, one that came again."""
    known = {Key("g", "t", one): Known(offset, 7) for one, offset in enumerate((10, 10, 10, 10, None, None))}
    rows = [_row(0, 10), _row(1, 11), _row(2, 10, 8), _row(4, 3), _row(5, None)]
    assert _offsets(_sample(rows, known)) == [(1, 11, NOW_MS), (2, 10, 8), (4, 3, NOW_MS), (3, None, NOW_MS)]


def test_what_may_have_come_and_gone_is_unknown_but_a_lower_offset_was_set_back() -> None:
    """Whatever stood in between, the lower one came behind the higher."""
    known = {Key("g", "t", one): Known(offset, 7) for one, offset in enumerate((10, 10, None))}
    commits = _sample([_row(0, 9), _row(1, 11), _row(2, 1), _row(3, 1)], known)
    assert [one.is_sampled for one in commits] == [False, True, True, True]


def test_a_reading_without_a_change_gives_nothing() -> None:
    """However often it is repeated."""
    known = {Key("g", "t", 0): Known(10, 7)}
    assert _sample([_row(0, 10, 7)], known) == _sample([_row(0, 10)], known) == []


def test_a_key_in_two_rows_is_set_aside() -> None:
    """It is neither changed nor gone."""
    bad: list[BadRow] = []
    assert _sample([_row(0, 10), _row(0, 11)], {Key("g", "t", 0): Known(9, 7)}, bad) == []
    assert bad == [BadRow("one row for a group, topic and partition", "several for ('g', 't', 0)")]


def test_a_reading_goes_on_in_the_next_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a batch is full."""
    monkeypatch.setattr("assets.ingest.stores.sql.changes.MOST_IN_BATCH", 2)
    commits = _sample([_row(one, 1) for one in range(3)], {})
    assert [one.log_offset for one in commits] == [base_of(5), base_of(5) + 1, base_of(6)]
    assert MOST_IN_BATCH == 1 << 20


def test_each_row_of_a_history_stands_at_its_position() -> None:
    """Those that are known are passed by, also when others come between them late."""
    rows = [_row(0, 10, 7, 3), _row(0, 11, 8, 4), _row(0, 12, 9, 6)]
    bad: list[BadRow] = []
    commits = history_commits(rows, {3, 6}, bad)
    assert [(one.log_offset, one.batch_base_offset) for one in commits] == [(base_of(4), base_of(4))]
    assert not bad


def test_a_position_twice_is_set_aside() -> None:
    """The first row that has it stays."""
    bad: list[BadRow] = []
    commits = history_commits([_row(0, 10, 7, 3), _row(0, 11, 8, 3)], (), bad)
    assert [one.stored.committed_offset for one in commits] == [10]
    assert [one.actual for one in bad] == ["position 3 again"]
