"""The records of share partitions as rows: what each changed, over gaps, resets and removals, in one run or in many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow.dataset as ds
import pytest

from assets.catalog import TABLES
from assets.ingest.ingest import ingest
from assets.ingest.plan import Sources, plan
from assets.steps.table_steps import from_any_transform
from assets.storage.warehouse import Warehouse
from assets.transforms.shares.share_states import TRANSFORM
from parsers.layouts.share_group_state import SHARE_SNAPSHOT, SHARE_STATE_KEY, SHARE_UPDATE
from tests.assets.inline import inline
from tests.parsers.encode import encode
from tests.parsers.log_writer import batch, record

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

NAME: Final = "core.share_states"
TOPIC_ID: Final = "AAAAAAAAAAEAAAAAAAAAAg"
LOG: Final = "__share_group_state-0/00000000000000000000.log"
Batches = list[tuple[int, int, int, int]]


def key(kind: int, group: str, partition: int) -> bytes:
    """A key of record type 0, a snapshot, or 1, an update."""
    values = {"group_id": group, "topic_id": TOPIC_ID, "partition": partition}
    return kind.to_bytes(2, "big") + encode(SHARE_STATE_KEY, kind, values)


def batches_of(batches: Batches) -> list[dict[str, int]]:
    """State batches of first and last offset, state and count."""
    return [
        dict(zip(("first_offset", "last_offset", "delivery_state", "delivery_count"), one, strict=True))
        for one in batches
    ]


def snapshot(start: int, *batches: tuple[int, int, int, int], epoch: int = 1, group: str = "g") -> tuple[bytes, bytes]:
    """The key and value of a snapshot."""
    numbers = {"snapshot_epoch": 0, "state_epoch": epoch, "leader_epoch": 3, "start_offset": start}
    times = {"create_timestamp": 5, "write_timestamp": 6, "delivery_complete_count": 0}
    value = encode(SHARE_SNAPSHOT, 0, {**numbers, **times, "state_batches": batches_of(list(batches))})
    return key(0, group, 0), b"\0\0" + value


def update(start: int, *batches: tuple[int, int, int, int], group: str = "g") -> tuple[bytes, bytes]:
    """The key and value of an update."""
    numbers = {"snapshot_epoch": 0, "leader_epoch": 3, "start_offset": start, "delivery_complete_count": 7}
    value = encode(SHARE_UPDATE, 0, {**numbers, "state_batches": batches_of(list(batches))})
    return key(1, group, 0), b"\0\0" + value


class Log:
    """A warehouse, and a log that grows."""

    def __init__(self, folder: Path) -> None:
        """Begin with neither."""
        self.warehouse, self._file = Warehouse(str(folder / "warehouse")), folder / "logs" / LOG
        self._file.parent.mkdir(parents=True)
        self._batches: list[bytes] = []

    def append(self, *records: tuple[bytes, bytes | None] | None) -> Log:
        """Append records, a batch each; None is a batch that is not there."""
        for pair in records:
            self._batches.append(b"" if pair is None else batch(len(self._batches), [record(0, *pair)]))
        self._file.write_bytes(b"".join(self._batches))
        return self

    def fill(self, offset: int, pair: tuple[bytes, bytes | None]) -> Log:
        """Put a batch where there was none."""
        self._batches[offset] = batch(offset, [record(0, *pair)])
        self._file.write_bytes(b"".join(self._batches))
        return self

    def run(self) -> list[dict[str, Any]]:
        """Read what is new, and the rows of the table."""
        place = str(self._file.parents[1])
        ingest(inline, self.warehouse, plan(self.warehouse, Sources((place,), "c")))
        from_any_transform(self.warehouse, TABLES[NAME], TRANSFORM)
        files = self.warehouse.files(NAME)
        rows = ds.dataset(files, schema=TABLES[NAME].schema).to_table().to_pylist() if files else []
        return sorted(rows, key=lambda row: row["record_offset"])


@pytest.fixture
def log(tmp_path: Path) -> Log:
    """An empty log."""
    return Log(tmp_path)


def columns_of(rows: Sequence[dict[str, Any]], *names: str) -> list[tuple[Any, ...]]:
    """Some columns of rows."""
    return [tuple(row[name] for name in names) for row in rows]


def changes(row: dict[str, Any]) -> list[tuple[Any, ...]]:
    """The changes of a row."""
    return [tuple(one.values()) for one in row["changes"]]


def test_an_update_says_what_changed(log: Log) -> None:
    """A release, a second delivery that is accepted, and a start offset that passes both."""
    rows = log.append(snapshot(-1), update(0, (0, 4, 2, 1), (5, 5, 0, 1)), update(5, (5, 5, 2, 2)), update(6)).run()
    assert columns_of(rows, "record_kind", "start_offset", "previous_start_offset", "undelivered_offsets") == [
        ("snapshot", None, None, None),
        ("update", 0, None, None),
        ("update", 5, 0, 0),
        ("update", 6, 5, 0),
    ]
    assert changes(rows[1]) == [(0, 5, "acknowledged", 1, None, None), (5, 6, "available", 1, None, None)]
    assert changes(rows[2]) == [(5, 6, "acknowledged", 2, "available", 1)]
    (first, *_rest) = columns_of(rows, "group_id", "topic_id", "partition", "state_epoch", "leader_epoch")
    assert first == ("g", TOPIC_ID, 0, 1, 3)


def test_offsets_that_were_passed_without_an_answer_are_counted(log: Log) -> None:
    """Three of the ten were acknowledged or archived."""
    rows = log.append(snapshot(0), update(0, (0, 1, 2, 1), (2, 2, 4, 3), (3, 4, 0, 1)), update(10)).run()
    assert rows[2]["undelivered_offsets"] == 7


def test_a_reset_begins_a_new_epoch(log: Log) -> None:
    """What was delivered in the epoch before is no state of the new one."""
    rows = log.append(snapshot(0), update(0, (0, 9, 2, 1)), snapshot(0, epoch=2), update(0, (0, 9, 2, 1))).run()
    assert columns_of(rows, "is_new_epoch", "state_epoch") == [(True, 1), (False, 1), (True, 2), (False, 2)]
    assert changes(rows[3]) == [(0, 10, "acknowledged", 1, None, None)]


def test_behind_a_gap_the_state_is_unknown_until_a_snapshot(log: Log) -> None:
    """The gap may hide any update of any share partition."""
    other = snapshot(0, group="h")
    rows = log.append(snapshot(0), None, update(4, (4, 5, 0, 2)), other, snapshot(4, (4, 5, 0, 2)), update(6)).run()
    assert columns_of(rows, "record_offset", "is_gap_free", "previous_start_offset") == [
        (0, True, None),
        (2, False, None),
        (3, True, None),
        (4, True, None),
        (5, True, 4),
    ]


def test_a_value_that_no_layout_reads_is_a_gap(log: Log) -> None:
    """Its row says so, and the next update rests on nothing."""
    rows = log.append(snapshot(0), (key(1, "g", 0), b"\0\1"), update(3), (key(0, "g", 0), None)).run()
    assert columns_of(rows, "record_kind", "is_gap_free") == [
        ("snapshot", True),
        ("unreadable", False),
        ("update", False),
        ("tombstone", True),
    ]


RECORDS: Final = (
    snapshot(0),
    snapshot(0, group="h"),
    update(0, (0, 9, 0, 1)),
    update(2, (2, 3, 2, 1), group="h"),
    None,
    update(5, (5, 9, 2, 2)),
    snapshot(5, (5, 9, 2, 2)),
    update(10, (10, 12, 4, 3)),
    snapshot(0, epoch=4, group="h"),
    update(13, (13, 20, 2, 1)),
    update(0, (0, 3, 0, 2), group="h"),
)


@pytest.mark.parametrize("first", range(1, len(RECORDS), 2))
def test_rows_are_the_same_in_one_run_and_in_two(tmp_path: Path, first: int) -> None:
    """A run goes on from the newest snapshot before what is new."""
    twice = Log(tmp_path / "twice").append(*RECORDS[:first])
    twice.run()
    assert twice.append(*RECORDS[first:]).run() == Log(tmp_path / "once").append(*RECORDS).run()


def test_a_gap_that_is_filled_later_changes_the_rows_behind_it(tmp_path: Path) -> None:
    """As if it had never been there."""
    late = update(2, (2, 2, 2, 1))
    filled = Log(tmp_path / "filled").append(*RECORDS)
    filled.run()
    whole = [late if pair is None else pair for pair in RECORDS]
    assert filled.fill(RECORDS.index(None), late).run() == Log(tmp_path / "whole").append(*whole).run()
