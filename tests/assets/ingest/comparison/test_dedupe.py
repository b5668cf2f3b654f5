"""What is new, what is known and what contradicts: rows compared under one identity."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assets.catalog import TABLES
from assets.ingest.comparison.copies import Part
from assets.ingest.comparison.dedupe import FAITHFUL, ArchivedRows, Runs, contradicts, unequal
from assets.ingest.comparison.identities import BATCHES, RECORDS
from tests.assets.ingest.comparison.test_copies import SEGMENT

if TYPE_CHECKING:
    from pathlib import Path

BELONGS = (pc.field("cluster") == "c") & (pc.field("topic") == "t") & (pc.field("partition") == 0)


def batch(offset: int, leader_epoch: int = 1, **values: Any) -> dict[str, Any]:  # noqa: ANN401
    """A row of raw.batches."""
    usual = {"is_log_append_time": False, "is_transactional": False, "is_control": False, "codec": "none", "magic": 2}
    place = {"cluster": "c", "topic": "t", "partition": 0, "segment_base_offset": 0, "size_bytes": 9, "position": 0}
    return {**place, **usual, "base_offset": offset, "last_offset": offset, "leader_epoch": leader_epoch, **values}


def table(*rows: dict[str, Any]) -> pa.Table:
    """The rows as raw.batches has them."""
    return pa.Table.from_pylist(list(rows), schema=TABLES["raw.batches"].schema)


def part(*rows: dict[str, Any]) -> Part:
    """The rows as they are read."""
    (batches,) = table(*rows).to_batches()
    return Part(SEGMENT, batches, batches.column("base_offset").to_numpy())


def archive(path: Path, *rows: dict[str, Any]) -> ArchivedRows:
    """An archive that has these rows."""
    pq.write_table(table(*rows), path / "a.parquet")
    return ArchivedRows(BATCHES, BELONGS, [str(path / "a.parquet")])


def sift(archived: ArchivedRows, *parts: Part) -> list[tuple[list[int], list[int]]]:
    """New and diverged offsets of each part."""
    return [
        (one.new.column("base_offset").to_pylist(), one.diverged.column("base_offset").to_pylist())
        for one in archived.compare(parts)
    ]


@given(st.sets(st.integers(0, 60)).map(sorted), st.lists(st.integers(0, 70), min_size=1))
def test_runs_are_a_set(offsets: list[int], queried: list[int]) -> None:
    """Runs hold exactly the offsets that were put in, as disjoint runs that do not touch."""
    runs = Runs(np.array(offsets, np.int64))
    assert runs.holds(np.array(queried, np.int64)).tolist() == [offset in offsets for offset in queried]
    assert (runs.starts[1:] > runs.ends[:-1]).all()


def test_a_whole_log_is_one_run() -> None:
    """However long it is."""
    runs = Runs(np.arange(1000, dtype=np.int64))
    assert (runs.starts.tolist(), runs.ends.tolist()) == ([0], [1000])


def test_an_empty_archive_knows_nothing() -> None:
    """Everything is new."""
    assert sift(ArchivedRows(BATCHES, BELONGS, []), part(batch(1), batch(2))) == [([1, 2], [])]


def test_what_is_archived_is_not_kept_again(tmp_path: Path) -> None:
    """Rows of another partition or cluster do not count; a lower offset asked later is looked up then."""
    archived = archive(tmp_path, batch(1), batch(9), {**batch(8), "partition": 1}, {**batch(7), "cluster": "d"})
    assert sift(archived, part(batch(7), batch(8), batch(9))) == [([7, 8], [])]
    assert sift(archived, part(batch(0), batch(1), batch(2))) == [([0, 2], [])]


def test_what_contradicts_the_archive_is_told(tmp_path: Path) -> None:
    """The same offset with another leader epoch is another batch; what a cleaner changes is not."""
    archived = archive(tmp_path, batch(1), batch(2, producer_id=5), batch(3))
    cleaned = batch(3, record_count=1, size_bytes=5, position=90, delete_horizon_ms=7)
    assert sift(archived, part(batch(1, 2), batch(2), cleaned, batch(4, 2))) == [([4], [1, 2])]


def test_copies_of_one_run_are_compared_with_each_other() -> None:
    """The first copy is kept, the second adds what it alone has, and contradicts where it differs."""
    first, second, third = (
        part(batch(1), batch(2)),
        part(batch(2, 9), batch(3)),
        part(batch(1), batch(2, 9), batch(3, 8)),
    )
    assert sift(ArchivedRows(BATCHES, BELONGS, []), first, second, third) == [([1, 2], []), ([3], [2]), ([], [2, 3])]


def test_every_column_but_the_cleaners_counts() -> None:
    """A record is compared in all that it says; the delete horizon and the first offset of its batch may change."""
    own = {
        "cluster",
        "log_partition",
        "log_offset",
        "batch_base_offset",
        "base_sequence",
        "delete_horizon_ms",
        "source",
    }
    assert set(RECORDS.compared) == set(TABLES["raw.offset_records"].column_names) - own


@pytest.mark.parametrize(
    ("ours", "theirs", "differs"),
    [
        (pa.array([1, None, 3, None]), pa.array([1, None, None, 4]), [False, False, True, True]),
        (pa.array(["a", "b"]).dictionary_encode(), pa.array(["a", "c"]), [False, True]),
        (pa.array([b"a", None]), pa.array([b"a", b""]), [False, True]),
        (pa.array([{"x": 1, "y": [1]}, None]), pa.array([{"x": 1, "y": [2]}, {"x": None, "y": None}]), [True, True]),
        (pa.array([{"x": "a"}, {"x": None}]), pa.array([{"x": "a"}, {"x": None}]), [False, False]),
        (pa.array([[{"m": "a"}], []]), pa.array([[{"m": "b"}], []]), [True, False]),
        (pa.nulls(2, pa.int8()), pa.nulls(2, pa.int8()), [False, False]),
    ],
)
def test_unequal(ours: pa.Array, theirs: pa.Array, differs: list[bool]) -> None:
    """NULL equals NULL and nothing else, at every depth."""
    assert unequal(ours, theirs).tolist() == differs


@pytest.mark.parametrize(
    ("ours", "theirs", "differs"),
    [
        (pa.array([1, None, 3, 4]), pa.array([1, 2, None, 5]), [False, False, False, True]),
        (
            pa.array([{"x": 1, "y": "a"}] * 4),
            pa.array([{"x": None, "y": "a"}, {"x": None, "y": "b"}, None, {"x": 1, "y": None}]),
            [False, True, False, False],
        ),
        (pa.array([[{"m": "a"}]] * 3), pa.array([[{"m": None}], [{"m": "b"}], []]), [False, True, True]),
    ],
)
def test_contradicts(ours: pa.Array, theirs: pa.Array, differs: list[bool]) -> None:
    """NULL says nothing, at any depth, whichever side it is on."""
    assert contradicts(ours, theirs).tolist() == differs
    assert contradicts(theirs, ours).tolist() == differs


def record(offset: int, **values: Any) -> dict[str, Any]:  # noqa: ANN401
    """A row of raw.offset_records: a plain commit."""
    usual = {"is_transactional": False, "is_control": False, "is_tombstone": False, "batch_base_offset": offset}
    return (
        {"cluster": "c", "log_partition": 0, "log_offset": offset, "group_id": "g", "timestamp_ms": 1} | usual | values
    )


def records(*rows: dict[str, Any], source: str | None = None) -> Part:
    """The rows as they are read of a log, or of a dump that says less."""
    schema = TABLES["raw.offset_records"].schema
    less = {"is_transactional": None, "batch_base_offset": None} if source else {}
    (batch_of_rows,) = pa.Table.from_pylist([{**row, **less} for row in rows], schema=schema).to_batches()
    return Part(SEGMENT, batch_of_rows, batch_of_rows.column("log_offset").to_numpy(), source)


def sifted(*parts: Part) -> list[tuple[list[int], list[int]]]:
    """New and diverged offsets of each part, of an archive that has none."""
    archived = ArchivedRows(RECORDS, pc.field("cluster") == "c", [])
    comparison = archived.compare(parts)
    return [
        (one.new.column("log_offset").to_pylist(), one.diverged.column("log_offset").to_pylist()) for one in comparison
    ]


def test_what_a_log_says_takes_the_place_of_what_was_told() -> None:
    """Its row is new once more, once; a second copy of the log adds nothing to it."""
    of_dump, more = (records(record(1), record(2), source="dump") for _ in range(2))
    log, copy = (records(record(2), record(3)) for _ in range(2))
    assert sifted(of_dump, log, copy) == [([1, 2], []), ([2, 3], []), ([], [])]
    assert sifted(log, of_dump, more) == [([2, 3], []), ([1], []), ([], [])]


def test_what_was_told_otherwise_is_a_contradiction() -> None:
    """Whatever comes first is kept; of text only what every release prints as it is can contradict."""
    log, other = records(record(1)), record(1, timestamp_ms=2)
    for source in ("dump", "text"):
        assert sifted(records(other, source=source), log) == [([1], []), ([], [1])]
    by_default = record(1, record_type=0)
    assert sifted(records(record(1, record_type=1)), records(by_default, source="dump"))[1] == ([], [1])
    assert sifted(records(record(1, record_type=1)), records(by_default, source="text"))[1] == ([], [])
    assert set(RECORDS.compared) > FAITHFUL
