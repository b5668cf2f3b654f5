"""What the cleaner keeps: rule by rule, and against logs from before and after a real one went over them."""

from __future__ import annotations

import re
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from assets.transforms.compaction.cleaner import BATCH_LAST, DAY_MS, IS_EMPTY, CleanerPass, clean, log_of, records_in
from tests.assets.transforms.offsets_log import SCHEMA, Log
from tests.assets.transforms.recorded_logs import cleaned_up_to, log_in

if TYPE_CHECKING:
    from collections.abc import Sequence

RECORDED = Path(__file__).parents[3] / "bytes" / "cleaner"
WORD = re.compile(r"(?:P(\d))?\{([\d,-]+)\}|([CA])(\d)|(\|)")
EPOCH = 7


def written(text: str) -> tuple[Log, list[int]]:
    """A log in a short hand, and where its segments begin.

    `{1,2}` is a batch with keys 1 and 2, `{-1}` one that removes key 1, `P5{1}` one of producer 5's transaction, `C5`
    and `A5` are its markers, `|` is where a segment ends.
    """
    log, segments = Log(), [0]
    for producer, keys, outcome, ended, roll in WORD.findall(text):
        at = len(log.rows)
        if roll:
            segments.append(at)
        elif outcome:
            log = log.marker("COMMIT" if outcome == "C" else "ABORT", int(ended), producer_epoch=EPOCH)
        for key in keys.split(",") if keys else ():
            values = {
                "group_id": key.removeprefix("-"),
                "key_bytes": 1,
                "batch_base_offset": at,
                "producer_epoch": EPOCH,
            }
            log = (
                log.remove(**values)
                if key.startswith("-")
                else log.commit(0, producer=int(producer or 0) or None, **values)
            )
    return log, segments


def left(log: pa.Table) -> list[int]:
    """Log offsets of the records in a log."""
    offsets: list[int] = records_in(log)["log_offset"].to_pylist()
    return offsets


def empty(log: pa.Table) -> list[int]:
    """Last offsets of the empty batches in a log."""
    offsets: list[int] = log.filter(log[IS_EMPTY])[BATCH_LAST].to_pylist()
    return offsets


def passes(text: str, *cleanings: dict[str, Any]) -> list[pa.Table]:
    """What each pass leaves, one after the other."""
    log, segments = written(text)
    table, tables = log_of(pa.Table.from_pylist([*log.rows], SCHEMA)), []
    for line in cleanings:
        table = clean(table, CleanerPass(**{"segments": tuple(segments), "now_ms": 1000, **line}))
        tables.append(table)
    return tables


@pytest.mark.parametrize(
    ("text", "survivors"),
    [
        ("{1,2,3} {3,1,4} {1,4} | {5}", [1, 3, 6, 7, 8]),
        ("{1} | {1}", [0, 1]),
        ("{1} {1} | {1} {1}", [1, 2, 3]),
        ("{1} {-1} | {2}", [1, 2]),
        ("P5{1} {1} | {2}", [0, 1, 2]),
        ("P5{1} {1} | C5", [1, 2]),
        ("P5{1} C5 {1} | {2}", [1, 2, 3]),
        ("P5{1} A5 {2} | {3}", [1, 2, 3]),
        ("{1} P5{1} A5 | {3}", [0, 2, 3]),
        ("P5{1,2} P6{2,3} P5{3,4} A5 C6 P5{2} C5 | {9}", [3, 6, 7, 8, 9, 10]),
    ],
)
def test_one_pass(text: str, survivors: Sequence[int]) -> None:
    """The last record of each key stays, and the active segment as it is; an open transaction holds its segment."""
    (after,) = passes(text, {})
    assert left(after) == survivors


def test_records_without_a_key_go() -> None:
    """Nothing can ask for them."""
    log = Log().add(key_bytes=None).add(record_type=1, group_id="g", key_bytes=4).add()
    table = log_of(pa.Table.from_pylist([*log.rows], SCHEMA))
    assert left(clean(table, CleanerPass((0, 2), 0))) == [1, 2]


def test_a_tombstone_goes_in_the_second_pass_after_its_horizon() -> None:
    """The first pass that sees it tells its batch when it may go."""
    first, young, old = passes("{1} {-1} | {2}", {"now_ms": 5}, {"now_ms": DAY_MS + 4}, {"now_ms": DAY_MS + 5})
    assert records_in(first)["delete_horizon_ms"].to_pylist() == [DAY_MS + 5, None]
    assert [left(first), left(young), left(old)] == [[1, 2], [1, 2], [2]]


def test_a_marker_goes_after_its_horizon_once_its_records_are_gone() -> None:
    """A pass that still saw one of them, though it dropped it, leaves the marker without a horizon."""
    soon, late = {"now_ms": 5}, {"now_ms": DAY_MS + 5}
    log = "P5{1} C5 P5{1} C5 {1} | {2}"
    tables = passes(log, soon, soon, late)
    assert [left(table) for table in tables] == [[1, 3, 4, 5], [1, 3, 4, 5], [3, 4, 5]]
    assert records_in(tables[1])["delete_horizon_ms"].to_pylist()[0] == DAY_MS + 5


def test_the_last_batch_of_a_producer_stays_empty() -> None:
    """It says how far the producer came; with its next batch it goes."""
    (after,) = passes("P5{1} C5 {1} | {2}", {})
    assert (left(after), empty(after)) == ([1, 2, 3], [0])
    (after,) = passes("P5{1} C5 P5{1} C5 {1} | {2}", {})
    assert (left(after), empty(after)) == ([1, 3, 4, 5], [2])


def test_the_last_batch_of_a_pass_stays_empty() -> None:
    """So that the log does not end earlier than it did."""
    (_, after) = passes("{1} {-2} | {1}", {"now_ms": 0}, {"now_ms": DAY_MS})
    assert (left(after), empty(after)) == ([0, 2], [1])


def test_a_full_map_ends_the_pass() -> None:
    """What it does not cover stays, also where a newer record of the key follows."""
    dirty = [{"map_entries": 1, "first_dirty_offset": offset} for offset in (2, 3, 4)]
    tables = passes("{0} {1} {0} {1} {0} | {9}", *dirty)
    assert [left(table) for table in tables] == [[1, 2, 3, 4, 5], [2, 3, 4, 5], [3, 4, 5]]


def test_a_full_map_covers_the_batches_before_the_record_that_did_not_fit() -> None:
    """Three keys fit; the pass that follows goes on from there; what was aborted is dropped wherever they write."""
    text = "P1{1,2} P2{2,3} P1{3,4} C1 C2 P1{2,3} A1 P2{4,5} P1{5,6} C1 A2 P2{6,7} C2 | {9}"
    few = {"map_entries": 3}
    first, second, third = passes(
        text, few, {**few, "first_dirty_offset": 4}, {**few, "first_dirty_offset": 14, "now_ms": DAY_MS + 1000}
    )
    assert left(first) == [0, 2, 3, 4, 5, 6, 7, 10, *range(13, 21)]
    assert left(second) == [0, 2, 4, 5, 6, 7, 10, *range(13, 21)]
    assert left(third) == [0, 2, 4, 5, 6, 7, 13, 15, 17, 18, 19, 20]


def test_what_is_young_is_left_alone() -> None:
    """With a compaction lag, from the first segment on that has a record younger than that."""
    log = "{1} {1} | {1} {1} | {1}"
    (after,) = passes(log, {"now_ms": 1003, "min_compaction_lag_ms": 2})
    assert left(after) == [1, 2, 3, 4]
    (after,) = passes(log, {"now_ms": 1003, "min_compaction_lag_ms": 10})
    assert left(after) == [0, 1, 2, 3, 4]


def test_before_kafka_3_1_the_age_of_the_segment_decides() -> None:
    """Against that of the newest clean one: without a clean one, every tombstone stays."""
    old = {"has_horizons": False, "modified_ms": (5, 15, 20, 20), "delete_retention_ms": 10}
    log = "{1} {-1} P5{2} C5 {2} | {3} | {4} | {5}"
    again = {**old, "first_dirty_offset": 6}
    first, young, aged = passes(log, old, {**again, "modified_ms": (6, 15, 20, 20)}, again)
    assert [left(table) for table in (first, young, aged)] == [[1, 3, 4, 5, 6, 7]] * 2 + [[3, 4, 5, 6, 7]]
    assert not records_in(young)["delete_horizon_ms"].drop_null().to_pylist()


@pytest.mark.parametrize("recording", sorted(path.name.removesuffix(".tar.xz") for path in RECORDED.glob("*.tar.xz")))
def test_it_is_what_a_real_cleaner_left(recording: str, tmp_path: Path) -> None:
    """Record by record: what is left, what got a delete horizon, and which batches stayed empty."""
    with tarfile.open(RECORDED / f"{recording}.tar.xz") as packed:
        packed.extractall(tmp_path, filter="data")
    for partition, end in cleaned_up_to(tmp_path / "after").items():
        before, _ = log_in(tmp_path / "before" / partition)
        after, empties = log_in(tmp_path / "after" / partition)
        since = after.filter(pc.greater(after["log_offset"], before["log_offset"][-1]))
        segments = sorted({int(path.stem) for path in (tmp_path / "after" / partition).glob("*.log")})
        log = clean(log_of(pa.concat_tables([before, since])), CleanerPass(tuple(segments), 0))
        records = records_in(log)
        assert end == segments[-1]
        assert left(log) == after["log_offset"].to_pylist()
        kinds = [table["delete_horizon_ms"].is_valid().to_pylist() for table in (records, after)]
        assert kinds[0] == kinds[1] or recording.startswith("2.")
        batches = log.filter(log[IS_EMPTY]).select(["batch_base_offset", BATCH_LAST])
        assert sorted(zip(*(column.to_pylist() for column in batches.columns), strict=True)) == sorted(empties)
        others = [name for name in SCHEMA.names if name != "delete_horizon_ms"]
        assert records.select(others).to_pylist() == after.select(others).to_pylist()
