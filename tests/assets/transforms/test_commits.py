"""How records become effective commits. Only the transform is under test; bytes are decoded elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from assets.tables.core import COMMITS
from assets.transforms.commits import commits

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

SCHEMA = (
    "cluster string, log_partition int, log_offset long, timestamp_ms long, is_transactional boolean, "
    "producer_id long, control_type string, record_type short, is_tombstone boolean, group_id string, "
    "topic string, partition int, "
    "offset_commit struct<offset: long, leader_epoch: int, metadata: string, commit_timestamp: long, "
    "expire_timestamp: long, topic_id: string>"
)
ZERO_UUID = "A" * 22


@dataclass(frozen=True)
class Log:
    """Builds the records of one partition, in order."""

    rows: list[tuple[Any, ...]]

    def commit(self, offset: int, *, producer: int | None = None, time_ms: int | None = None) -> Log:
        """Append a commit of g's t-0, plain or of a producer's transaction."""
        value = (offset, -1, "", 1000, -1, ZERO_UUID)
        return self._append(producer, None, 1, tombstone=False, value=value, time_ms=time_ms)

    def tombstone(self) -> Log:
        """Append a removal of g's t-0."""
        return self._append(None, None, 1, tombstone=True, value=None)

    def marker(self, outcome: str, producer: int) -> Log:
        """Append a transaction marker."""
        return self._append(producer, outcome, None, tombstone=False, value=None)

    def _append(
        self,
        producer: int | None,
        control: str | None,
        kind: int | None,
        *,
        tombstone: bool,
        value: tuple[Any, ...] | None,
        time_ms: int | None = None,
    ) -> Log:
        at = len(self.rows)
        key = ("g", "t", 0) if kind is not None else (None, None, None)
        when = 1000 + at if time_ms is None else time_ms
        row = ("c", 7, at, when, producer is not None, producer, control, kind, tombstone, *key, value)
        return Log([*self.rows, row])


def history(spark: SparkSession, log: Log) -> list[Row]:
    """The effective commits of a log, in order of effect."""
    frame: DataFrame = commits(spark.createDataFrame(log.rows, SCHEMA))
    return frame.orderBy("effective_log_offset", "log_offset").collect()


def told(rows: list[Row]) -> list[tuple[str, int | None, int, int]]:
    """What each row claims: kind, offset, own position, position of effect."""
    return [(r.kind, r.committed_offset, r.log_offset, r.effective_log_offset) for r in rows]


EMPTY = Log([])


def test_each_commit_is_compared_with_the_one_before(spark: SparkSession) -> None:
    """First, advance, repeat, rewind and removed are told apart, and a commit after a removal is a first one."""
    log = EMPTY.commit(10).commit(15).commit(15).commit(4).tombstone().commit(3)
    rows = history(spark, log)
    assert [(r.kind, r.committed_offset, r.previous_offset, r.delta) for r in rows] == [
        ("first", 10, None, None),
        ("advance", 15, 10, 5),
        ("repeat", 15, 15, 0),
        ("rewind", 4, 15, -11),
        ("removed", None, 4, None),
        ("first", 3, None, None),
    ]


def test_offsets_too_far_apart_have_no_difference(spark: SparkSession) -> None:
    """A stranger's commits must not stop a run: the kind is still told, the delta is unknown."""
    rows = history(spark, EMPTY.commit(-5).commit(2**63 - 1).commit(-5))
    assert [(row.kind, row.delta) for row in rows] == [("first", None), ("advance", None), ("rewind", None)]


def test_columns_are_the_described_ones(spark: SparkSession) -> None:
    """The result has the columns of the table, in order."""
    assert tuple(commits(spark.createDataFrame(EMPTY.commit(1).rows, SCHEMA)).columns) == COMMITS.column_names


def test_kafkas_unknowns_become_null(spark: SparkSession) -> None:
    """Leader epoch -1, expiry -1 and the zero topic id are NULL; so is a time beyond any calendar."""
    (row,) = history(spark, EMPTY.commit(1, time_ms=2**62))
    assert (row.leader_epoch, row.expire_at, row.topic_id, row.effective_at) == (None, None, None, None)
    assert row.commit_at is not None


def test_a_transactional_commit_counts_at_its_marker(spark: SparkSession) -> None:
    """It takes effect where COMMIT stands, with that marker's time."""
    rows = history(spark, EMPTY.commit(10, producer=5).commit(3).marker("COMMIT", 5))
    # The plain commit came after the pending one, so the coordinator ignores the pending one at the marker.
    assert told(rows) == [("first", 3, 1, 1)]
    rows = history(spark, EMPTY.commit(3).commit(10, producer=5).marker("COMMIT", 5))
    assert told(rows) == [("first", 3, 0, 0), ("advance", 10, 1, 2)]
    assert rows[1].producer_id == 5


@pytest.mark.parametrize("ending", [EMPTY.commit(10, producer=5).marker("ABORT", 5), EMPTY.commit(10, producer=5)])
def test_aborted_and_open_transactions_never_count(spark: SparkSession, ending: Log) -> None:
    """Without a COMMIT marker of the same producer there is no commit."""
    assert history(spark, ending) == []


def test_a_marker_ends_its_own_producers_transaction_only(spark: SparkSession) -> None:
    """Two producers' transactions interleave; each follows its own marker."""
    log = EMPTY.commit(10, producer=5).commit(20, producer=6).marker("ABORT", 6).marker("COMMIT", 5)
    assert told(history(spark, log)) == [("first", 10, 0, 3)]


def test_within_a_transaction_the_last_commit_of_a_key_wins(spark: SparkSession) -> None:
    """The coordinator keeps one pending commit per producer and key."""
    log = EMPTY.commit(10, producer=5).commit(12, producer=5).marker("COMMIT", 5)
    assert told(history(spark, log)) == [("first", 12, 1, 2)]


def test_a_tombstone_removes_pending_commits_too(spark: SparkSession) -> None:
    """A removal between a pending commit and its marker wins over it."""
    log = EMPTY.commit(10, producer=5).tombstone().marker("COMMIT", 5)
    assert [row.kind for row in history(spark, log)] == ["removed"]


def test_one_marker_ends_one_transaction(spark: SparkSession) -> None:
    """A producer's next transaction waits for its own marker."""
    log = EMPTY.commit(10, producer=5).marker("COMMIT", 5).commit(20, producer=5).marker("ABORT", 5)
    assert told(history(spark, log)) == [("first", 10, 0, 1)]
