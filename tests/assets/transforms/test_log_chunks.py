"""How records are parted into chunks, and since where each is known to follow without a hole."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from assets.catalog.raw.records import OFFSET_RECORDS
from assets.transforms.log_chunks import USUAL, Reader, replay_chunks
from assets.transforms.projection import WHOLE_SINCE, LogChunk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assets.transforms.projection import Tables

SCHEMA = pa.schema([field.with_nullable(nullable=True) for field in OFFSET_RECORDS.schema])
EMPTY = {"is_control": False, "is_tombstone": False, "is_transactional": False, "cluster": "c", "log_partition": 7}
GROUP_VALUE = {"generation": 1, "members": []}


def records(*rows: dict[str, Any]) -> tuple[pa.Table, pa.Table]:
    """Give the records as a reader of the archive gives them: usual ones, and those with a rare column."""
    rare = [bool(OFFSET_RECORDS.rare & row.keys()) for row in rows]
    parted = [
        [EMPTY | row for row, is_rare in zip(rows, rare, strict=True) if is_rare is kind] for kind in (False, True)
    ]
    usual, others = (pa.Table.from_pylist(some, SCHEMA) for some in parted)
    return usual.select([*USUAL]), others


def commit(offset: int) -> dict[str, Any]:
    """An offset commit at a log offset."""
    return {"log_offset": offset, "record_type": 1, "group_id": "g", "topic": "t", "partition": 0}


def group(offset: int) -> dict[str, Any]:
    """A group metadata record at a log offset."""
    return {"log_offset": offset, "record_type": 2, "group_id": "g", "group_metadata": GROUP_VALUE}


def since(chunk: LogChunk) -> dict[int, int]:
    """Since where each record of a chunk is known to follow without a hole."""
    both = [*chunk.commits.to_pylist(), *chunk.groups.to_pylist()]
    return {row["log_offset"]: row[WHOLE_SINCE] for row in both}


def test_a_log_from_its_beginning_is_whole() -> None:
    """Every record follows from offset 0 on, in whatever kind of file it stood."""
    assert since(Reader().chunk(*records(commit(0), group(1), commit(2)))) == {0: 0, 1: 0, 2: 0}


def test_a_hole_ends_what_is_whole() -> None:
    """After offsets that nobody saw, the log is whole from the next record on, in later chunks too."""
    reader = Reader()
    assert since(reader.chunk(*records(commit(0), commit(3), commit(4)))) == {0: 0, 3: 3, 4: 3}
    assert since(reader.chunk(*records(commit(5), commit(9)))) == {5: 3, 9: 9}


def test_a_log_that_begins_late_is_whole_from_there() -> None:
    """What stood before the first record that was seen is not known."""
    assert since(Reader().chunk(*records(commit(70), commit(71)))) == {70: 70, 71: 70}


def test_what_cannot_be_read_is_a_hole() -> None:
    """A commit whose value no layout reads is told to nobody, and may have said anything."""
    unread = commit(1) | {"undecoded_value": b"\xff"}
    assert since(Reader().chunk(*records(commit(0), unread, commit(2)))) == {0: 0, 2: 2}


def test_a_type_of_a_later_kafka_is_no_hole() -> None:
    """A record that no coordinator known here would write says nothing about commits or groups known here."""
    later = {"log_offset": 1, "record_type": 4000, "undecoded_key": b"\x0f\xa0"}
    keyless = {"log_offset": 2}
    assert since(Reader().chunk(*records(commit(0), later, keyless, commit(3))))[3] == 0


def test_records_go_to_their_table_in_the_order_of_the_log() -> None:
    """Commits and markers on one side, groups and their removals on the other, which have every column."""
    removal = {"log_offset": 3, "record_type": 2, "group_id": "g", "is_tombstone": True}
    marker = {"log_offset": 4, "is_control": True, "control_type": "COMMIT", "producer_id": 5}
    marker |= {"is_transactional": True}
    chunk = Reader().chunk(*records(group(1), commit(2), removal, marker, group(5)))
    assert chunk.commits["log_offset"].to_pylist() == [2, 4]
    assert chunk.groups["log_offset"].to_pylist() == [1, 3, 5]
    assert chunk.commits.column_names == [*USUAL, WHOLE_SINCE]
    assert chunk.groups.column_names == [*OFFSET_RECORDS.column_names, WHOLE_SINCE]
    assert [value and value["generation"] for value in chunk.groups["group_metadata"].to_pylist()] == [1, None, 1]


@settings(max_examples=20)
@given(st.sets(st.integers(0, 30)), st.lists(st.integers(0, 30), max_size=4))
def test_where_the_log_is_cut_does_not_matter(offsets: set[int], cuts: Sequence[int]) -> None:
    """Any cutting gives the same answer for every record as reading in one go."""
    whole = since(Reader().chunk(*records(*map(commit, sorted(offsets)))))
    parts: dict[int, int] = {}
    reader, edges = Reader(), [0, *sorted(cuts), 31]
    for low, high in pairwise(edges):
        parts |= since(reader.chunk(*records(*(commit(one) for one in sorted(offsets) if low <= one < high))))
    assert parts == whole


class Counted:
    """A subject that counts commits: one row for every second one, and one row that stands."""

    tables: tuple[str, ...] = ("core.commits",)

    def __init__(self, count: int) -> None:
        """Begin with a count."""
        self.count = count

    @classmethod
    def resume(cls, memory: Tables) -> Counted:
        """Go on from a remembered count."""
        return cls(memory["count"]["n"][0].as_py() if memory else 0)

    def replay(self, chunk: LogChunk) -> Tables:
        """Give the even counts."""
        first = self.count
        self.count += chunk.commits.num_rows
        return {
            "core.commits": pa.table({"n": pa.array([n for n in range(first, self.count) if n % 2 == 0], pa.int64())})
        }

    def open_rows(self) -> Tables:
        """Give the count."""
        return {"core.commits": pa.table({"n": [self.count]})}

    def memory(self) -> Tables:
        """Give the count too."""
        return {"count": pa.table({"n": [self.count]})}


def test_a_subject_is_told_chunk_by_chunk() -> None:
    """What it gives for each comes first, what stands at the end last."""
    reader = Reader()
    chunks = (reader.chunk(*records(commit(one), commit(one + 1))) for one in (0, 2))
    assert replay_chunks(Counted.resume({}), chunks)["core.commits"]["n"].to_pylist() == [0, 2, 4]


def test_commits_of_which_dumps_tell_are_commits() -> None:
    """They stand among the rare records, and take their place in the log's order."""
    of_dumps = [commit(1) | {"source": "dump", "is_transactional": None}, group(3) | {"source": "text"}]
    chunk = Reader().chunk(*records(commit(0), *of_dumps, commit(2)))
    assert chunk.commits["log_offset"].to_pylist() == [0, 1, 2]
    assert chunk.groups["log_offset"].to_pylist() == [3]
