"""One partition of the offsets topic, written record by record, for the tests of what a replay makes of it.

Put here how a log is made and cut. What is expected of it belongs in the tests.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
from hypothesis import strategies as st

from assets.catalog.raw.records import OFFSET_RECORDS
from assets.transforms.log_chunks import USUAL, Reader

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assets.transforms.projection import LogChunk, Projection, Tables

Row = dict[str, Any]

SCHEMA: Final = pa.schema([field.with_nullable(nullable=True) for field in OFFSET_RECORDS.schema])
PLACE: Final[Row] = {"cluster": "c", "log_partition": 7}
BLANK: Final[Row] = PLACE | {"is_control": False, "is_tombstone": False, "is_transactional": False}
ZERO_UUID: Final = "A" * 22
UNREAD: Final[Row] = {"undecoded_value": b"\xff"}
"""What makes a record one that no layout reads."""
LATER_TYPE: Final[Row] = {"record_type": 4000, "undecoded_key": b"\x0f\xa0"}
"""A record of a type that no coordinator known here writes."""


def records(*rows: Row) -> tuple[pa.Table, pa.Table]:
    """Give rows as a reader of the archive gives them: usual ones, and those with a rare column."""
    rare = [bool(OFFSET_RECORDS.rare & row.keys()) for row in rows]
    parted = [
        [BLANK | row for row, is_rare in zip(rows, rare, strict=True) if is_rare is kind] for kind in (False, True)
    ]
    usual, others = (pa.Table.from_pylist(some, SCHEMA) for some in parted)
    return usual.select([*USUAL]), others


@dataclass(frozen=True)
class Log:
    """The records of one partition, in order; adding to a log gives another one."""

    rows: tuple[Row, ...] = ()

    def add(self, **values: Any) -> Log:  # noqa: ANN401 - the columns of a record
        """Append a record of g's t-0, or of what is said."""
        at = self.rows[-1]["log_offset"] + 1 if self.rows else 0
        place = {"log_offset": at, "batch_base_offset": at, "timestamp_ms": 1000 + at}
        return Log((*self.rows, {**BLANK, **place, **values}))

    def commit(self, offset: int, *, producer: int | None = None, **values: Any) -> Log:  # noqa: ANN401
        """Append a commit, plain or of a producer's transaction."""
        value = {"offset": offset, "leader_epoch": -1, "metadata": "", "commit_timestamp": 1000, "expire_timestamp": -1}
        value |= {"topic_id": ZERO_UUID}
        key = {"record_type": 1, "group_id": "g", "topic": "t", "partition": 0, "key_bytes": 9}
        key |= {"producer_id": producer, "is_transactional": producer is not None}
        return self.add(**{**key, "offset_commit": value, **values})

    def remove(self, **values: Any) -> Log:  # noqa: ANN401 - the columns of a record
        """Append a removal."""
        key = {"record_type": 1, "group_id": "g", "topic": "t", "partition": 0, "key_bytes": 9, "base_sequence": 0}
        return self.add(**{**key, "is_tombstone": True, **values})

    def marker(self, outcome: str, producer: int, **values: Any) -> Log:  # noqa: ANN401 - the columns of a record
        """Append a transaction marker."""
        return self.add(control_type=outcome, producer_id=producer, is_control=True, is_transactional=True, **values)

    def hole(self, offsets: int = 1) -> Log:
        """Leave out offsets before the next record."""
        skipped = self.add()
        return Log(
            (*self.rows, {**skipped.rows[-1], "log_offset": skipped.rows[-1]["log_offset"] + offsets - 1, "gone": True})
        )

    @property
    def records(self) -> tuple[Row, ...]:
        """The records without the holes."""
        return tuple(row for row in self.rows if "gone" not in row)

    def without(self, gone: set[int]) -> Log:
        """Lose the records at some log offsets."""
        return Log(tuple(row | {"gone": True} if row["log_offset"] in gone else row for row in self.rows))

    def chunks(self, cuts: Sequence[int] = ()) -> Iterator[LogChunk]:
        """Read it in chunks that end before these log offsets."""
        reader, edges = Reader(), [0, *sorted(cuts), 1 << 62]
        for low, high in pairwise(edges):
            yield reader.chunk(*records(*(row for row in self.records if low <= row["log_offset"] < high)))


def project(subject: type[Projection], log: Log, cuts: Sequence[int] = ()) -> dict[str, list[Row]]:
    """Every row that a subject gives of a log, resumed from its memory at each cut, and what stands at the end."""
    memory: Tables = {}
    rows: dict[str, list[Row]] = {name: [] for name in subject.tables}
    for chunk in log.chunks(cuts):
        resumed = subject.resume(memory)
        for name, table in resumed.replay(chunk).items():
            rows[name] += table.to_pylist()
        memory = resumed.memory()
    standing = subject.resume(memory).open_rows()
    return {name: [*rows[name], *(standing[name].to_pylist() if name in standing else ())] for name in rows}


def logs(size: int = 24, *, holes: bool = True) -> st.SearchStrategy[Log]:
    """Any short log of two keys and two producers."""
    keys = st.sampled_from([{"partition": 0}, {"partition": 1}])
    steps = st.one_of(
        st.tuples(st.just("commit"), st.integers(0, 4), st.sampled_from([None, 5, 6]), keys),
        st.tuples(st.just("remove"), st.one_of(keys, st.just({"base_sequence": None}))),
        st.tuples(st.just("marker"), st.sampled_from(["COMMIT", "ABORT"]), st.sampled_from([5, 6])),
        *([st.tuples(st.just("hole"), st.integers(1, 2))] if holes else []),
    )
    return st.lists(steps, max_size=size).map(_log_of)


def _log_of(steps: Sequence[tuple[Any, ...]]) -> Log:
    log = Log()
    for what, *arguments in steps:
        if what == "commit":
            log = log.commit(arguments[0], producer=arguments[1], **arguments[2])
        elif what == "remove":
            log = log.remove(**arguments[0])
        else:
            log = getattr(log, what)(*arguments)
    return log
