"""The fate of every record: status by status, wherever the log is cut, and against what a real cleaner left."""

from __future__ import annotations

import tarfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from assets.catalog.core.record_compaction import RECORD_COMPACTION, RETAINED
from assets.transforms import projection
from assets.transforms.compaction.cleaner import BATCH_LAST, IS_EMPTY, CleanerPass, clean, log_of, records_in
from assets.transforms.compaction.record_compaction import RecordCompaction
from assets.transforms.compaction.record_rows import NAMES
from tests.assets.transforms.offsets_log import LATER_TYPE, PLACE, SCHEMA, Log, Row, project
from tests.assets.transforms.recorded_logs import cleaned_up_to, compaction_of, log_in, retained_in

if TYPE_CHECKING:
    from collections.abc import Sequence

RECORDED = Path(__file__).parents[3] / "bytes" / "cleaner"
EMPTY = Log()
NAME = "core.record_compaction"


def rows_of(log: Log, cuts: Sequence[int] = ()) -> list[Row]:
    """The rows of a log's records, in the order of the log."""
    return sorted(project(RecordCompaction, log, cuts)[NAME], key=lambda row: row["log_offset"])


def statuses(log: Log) -> list[str]:
    """The status of each record."""
    return [row["status"] for row in rows_of(log)]


def fates(log: Log) -> list[tuple[str, int | None, int | None]]:
    """The status of each record, what superseded it, and from where on nothing needs it."""
    rows = duckdb.from_arrow(pa.Table.from_pylist([PLACE | row for row in rows_of(log)], RECORD_COMPACTION.file_schema))
    columns = {column.name: column.selection for column in RECORD_COMPACTION.columns}
    named = ("status", "superseded_by_log_offset", "obsolete_from_log_offset")
    return rows.select(", ".join(columns[name] for name in named)).fetchall()


def test_the_next_record_of_the_key_supersedes_a_record() -> None:
    """When that one was appended; a third record changes nothing about the first."""
    log = EMPTY.commit(1).commit(2, partition=1).commit(3).commit(4)
    assert fates(log) == [("superseded", 2, 2), ("current", None, None), ("superseded", 3, 3), ("current", None, None)]
    assert [row["obsolete_at"] and row["obsolete_at"].timestamp() for row in rows_of(log)] == [1.002, None, 1.003, None]


def test_a_tombstone_supersedes_and_stays_until_its_horizon() -> None:
    """The horizon is its batch's; a record that is no tombstone has none."""
    log = EMPTY.commit(1).remove(delete_horizon_ms=5000).commit(1, partition=1, delete_horizon_ms=5000)
    assert statuses(log) == ["superseded", "tombstone", "current"]
    horizons = [row["delete_horizon_at"] for row in rows_of(log)]
    assert [at and at.timestamp() for at in horizons] == [None, 5, None]
    assert statuses(log.commit(2)) == ["superseded", "superseded", "current", "current"]


def test_a_transaction_supersedes_at_its_marker() -> None:
    """Not before: until then both records are needed."""
    log = EMPTY.commit(1).commit(2, producer=5)
    assert statuses(log) == ["current", "pending"]
    committed = [("superseded", 1, 2), ("current", None, None), ("marker", None, None)]
    assert fates(log.marker("COMMIT", 5)) == committed
    assert statuses(log.marker("ABORT", 5)) == ["current", "aborted", "spent_marker"]


def test_a_record_behind_a_pending_one_supersedes_it_when_it_is_committed() -> None:
    """The record with the highest offset stands, whichever took effect last."""
    log = EMPTY.commit(1, producer=5).commit(2)
    assert statuses(log) == ["pending", "current"]
    assert fates(log.marker("COMMIT", 5)) == [("superseded", 1, 2), ("current", None, None), ("spent_marker", None, 2)]


def test_a_marker_is_spent_when_no_record_of_its_transaction_is_needed() -> None:
    """From the record on that superseded the last of them; a marker without records from itself on."""
    log = EMPTY.commit(1, producer=5).commit(1, partition=1, producer=5).marker("COMMIT", 5).commit(2)
    assert statuses(log) == ["superseded", "current", "marker", "current"]
    assert fates(log.commit(3, partition=1))[2] == ("spent_marker", None, 4)
    assert fates(EMPTY.marker("COMMIT", 5)) == [("spent_marker", None, 0)]


def test_a_record_without_a_key_is_dropped() -> None:
    """Kafka refuses them in a compacted topic, but a log may have one."""
    assert fates(EMPTY.add().commit(1)) == [("without_key", None, 0), ("current", None, None)]


def test_a_gap_may_hide_the_marker_of_a_transaction() -> None:
    """The next marker is of another epoch: the record supersedes nothing, as core.commits has it."""
    log = EMPTY.commit(1).commit(2, producer=5, producer_epoch=1).hole().marker("ABORT", 5, producer_epoch=4)
    assert statuses(log) == ["current", "unknown", "spent_marker"]


def test_records_that_no_layout_reads_and_unusable_ones_have_a_row() -> None:
    """By their key, as for the cleaner, which reads no value."""
    key = {"record_type": 1, "group_id": "g", "topic": "t", "partition": 0, "key_bytes": 9}
    log = EMPTY.commit(1).add(**key, undecoded_value=b"\xff").add(**LATER_TYPE, key_bytes=2)
    assert statuses(log) == ["superseded", "current", "current"]
    assert statuses(EMPTY.add(**key, is_transactional=True).commit(1)) == ["pending", "current"]


def test_the_last_batch_of_a_producer_stays_empty() -> None:
    """Once nothing needs a record of it; the producer's next batch takes its place."""
    log = EMPTY.commit(1, producer=5).commit(2, producer=5, batch_base_offset=0).marker("COMMIT", 5).commit(3)
    assert [row["leaves_empty_batch"] for row in rows_of(log)] == [False, True, False, False]
    again = log.commit(4, producer=5).marker("COMMIT", 5)
    assert not any(row["leaves_empty_batch"] for row in rows_of(again))


def test_open_rows_are_those_of_keys_and_producers() -> None:
    """However long the log is: the checkpoint does not grow with it."""
    log = EMPTY
    for offset in range(40):
        log = log.commit(offset, partition=offset % 3).commit(offset, producer=5).marker("COMMIT", 5)
    subject = RecordCompaction.resume({})
    for chunk in log.chunks():
        final = subject.replay(chunk)[NAME]
    assert subject.memory()["open"].num_rows == 4
    assert final.num_rows == len(log.rows) - 4


def test_tombstones_of_keys_that_are_gone_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """After so many offsets; then no record supersedes them."""
    monkeypatch.setattr(projection, "REMEMBERED_OFFSETS", 3)
    log = EMPTY.remove().remove(partition=1).commit(1, partition=2).commit(1, partition=1).commit(1, partition=0)
    assert statuses(log) == ["tombstone", "superseded", "current", "current", "current"]
    (chunk,) = log.without({3, 4}).commit(1, partition=3).chunks()
    subject = RecordCompaction.resume({})
    assert subject.replay(chunk)[NAME]["log_offset"].to_pylist() == [0, 1]


keys = st.sampled_from(["a", "b", "c"])
batch_records = st.lists(
    st.tuples(keys, st.sampled_from(["commit", "commit", "remove", "add"])), min_size=1, max_size=3
)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("batch"), batch_records, st.sampled_from([None, None, 5, 6]), st.booleans()),
        st.tuples(
            st.just("marker"),
            st.sampled_from(["COMMIT", "ABORT"]),
            st.sampled_from([5, 6]),
            st.sampled_from([0, 0, 1, 3, -1]),
        ),
        st.tuples(st.just("hole")),
    ),
    max_size=14,
)


def batch_of(log: Log, records: Sequence[tuple[str, str]], batch: dict[str, Any]) -> Log:
    """The log with a batch."""
    base = log.rows[-1]["log_offset"] + 1 if log.rows else 0
    for key, kind in records:
        columns = {"batch_base_offset": base, **batch, **({} if kind == "add" else {"group_id": key})}
        log = getattr(log, kind)(*([1] if kind == "commit" else []), **columns)
    return log


def log_of_steps(done: Sequence[tuple[Any, ...]], *, holes: bool = True) -> tuple[Log, list[int]]:
    """A log, and where its batches begin; epochs of producers may go up with a marker."""
    log, bases, epochs = EMPTY, [0], {5: 0, 6: 0}
    for kind, *step in done:
        if kind == "batch":
            records, producer, is_transactional = step
            batch = {"producer_id": producer, "producer_epoch": epochs.get(producer)}
            log = batch_of(log, records, batch | {"is_transactional": is_transactional and producer is not None})
        elif kind == "marker":
            outcome, producer, rise = step
            epochs[producer] += rise
            log = log.marker(outcome, producer, producer_epoch=epochs[producer])
        elif holes:
            log = log.hole()
        bases.append(log.rows[-1]["log_offset"] + 1 if log.rows else 0)
    return log, bases


PENDING_AT_THE_LIMIT = [
    ("batch", [("a", "remove")], None, False),
    ("batch", [("a", "commit")], 5, True),
    ("marker", "COMMIT", 5, 0),
]


@settings(max_examples=150)
@example(PENDING_AT_THE_LIMIT, [2], 1)
@given(steps, st.lists(st.integers(0, 14), max_size=4), st.sampled_from([1, 4, 1 << 24]))
def test_where_the_log_is_cut_does_not_matter(done: list[tuple[Any, ...]], cuts: list[int], remembered: int) -> None:
    """In runs or chunks of whole batches, and however long tombstones are remembered."""
    log, bases = log_of_steps(done)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(projection, "REMEMBERED_OFFSETS", remembered)
        whole = rows_of(log)
        assert [row["log_offset"] for row in whole] == [row["log_offset"] for row in log.records]
        assert rows_of(log, sorted({bases[cut] for cut in cuts if cut < len(bases)})) == whole


@settings(max_examples=150)
@given(steps)
def test_a_pass_of_the_cleaner_leaves_what_is_retained(done: list[tuple[Any, ...]]) -> None:
    """Of a log in which every transaction has ended: the same records, and the same empty batches."""
    log, _ = log_of_steps(done, holes=False)
    log = (
        log.marker("COMMIT", 5, producer_epoch=999)
        .marker("ABORT", 6, producer_epoch=999)
        .commit(1, group_id="the newest")
    )
    end = log.rows[-1]["log_offset"] + 1
    left = clean(log_of(pa.Table.from_pylist([*log.rows], SCHEMA)), CleanerPass((0, end), 0))
    rows = rows_of(log)
    assert [row["log_offset"] for row in rows if row["status"] in RETAINED] == records_in(left)[
        "log_offset"
    ].to_pylist()
    empties = left.filter(left[IS_EMPTY])[BATCH_LAST].to_pylist()
    assert [row["log_offset"] for row in rows if row["leaves_empty_batch"] and row["status"] not in RETAINED] == empties


@pytest.mark.parametrize("recording", sorted(path.name.removesuffix(".tar.xz") for path in RECORDED.glob("*.tar.xz")))
def test_a_real_cleaner_left_what_is_retained(recording: str, tmp_path: Path) -> None:
    """Of the segments that it went over: every record, and every empty batch."""
    with tarfile.open(RECORDED / f"{recording}.tar.xz") as packed:
        packed.extractall(tmp_path, filter="data")
    compared = 0
    for partition, end in cleaned_up_to(tmp_path / "after").items():
        before, _ = log_in(tmp_path / "before" / partition)
        after, empties = log_in(tmp_path / "after" / partition)
        below = before.filter(pc.less(before["log_offset"], end))
        rows = compaction_of(below)
        left = after.filter(pc.less(after["log_offset"], end))["log_offset"]
        assert retained_in(rows) == left.to_pylist()
        leaves = set(rows.filter(rows["leaves_empty_batch"])["log_offset"].to_pylist()) - set(left.to_pylist())
        assert sorted(leaves) == sorted(last for _, last in empties if last < end)
        compared += rows.num_rows - len(left)
    assert compared > 0


def test_every_status_is_declared() -> None:
    """As the rows name them."""
    (status,) = (column for column in RECORD_COMPACTION.columns if column.name == "status")
    assert tuple(status.values) == NAMES
