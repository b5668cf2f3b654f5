"""What contradicts, on a few rows each: copies of logs, commits that no log bears out, groups that are elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from assets import models
from assets.catalog import TABLES
from tests.assets.test_models import KEY, insert, minute

if TYPE_CHECKING:
    import duckdb

LOG = {"cluster": "c", "topic": "t", "partition": 0}
BELONGS: dict[str, int] = {"g1": 42, "my-group": 12, "console-consumer-12345": 6, "connect-cluster": 13, "日本語": 43}
"""Where Kafka puts groups, of fifty partitions."""


@pytest.fixture
def tables(database: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """Also what other copies said, and what brokers told."""
    for name in ("raw.offset_records", "raw.diverged_records", "raw.diverged_batches", "raw.log_offset_samples"):
        database.register("no_rows", TABLES[name].schema.empty_table())
        database.execute(f"CREATE TABLE IF NOT EXISTS {name} AS FROM no_rows")
        database.unregister("no_rows")
    return database


def divergence(
    tables: duckdb.DuckDBPyConnection, columns: str = "kind, partition, from_offset, to_offset"
) -> list[Any]:
    """What is told."""
    return tables.sql(f"SELECT {columns} FROM ({models.select('log_divergence')}) ORDER BY ALL").fetchall()  # noqa: S608 - names


def batch(
    tables: duckdb.DuckDBPyConnection, first: int, last: int, epoch: int | None, name: str = "raw.batches"
) -> None:
    """A batch of t-0, as one copy has it."""
    other = {"broker_id": 2, "path": "two/t-0", "read_at": minute(9)} if "diverged" in name else {}
    insert(tables, name, **LOG, base_offset=first, last_offset=last, leader_epoch=epoch, **other)


def commit(tables: duckdb.DuckDBPyConnection, at: int, offset: int, epoch: int | None = None, **values: Any) -> None:  # noqa: ANN401
    """A commit of g's t-0."""
    place = {"log_offset": at, "effective_log_offset": at, "effective_at": minute(at), "log_partition": 7}
    insert(tables, "core.commits", **{**KEY, **place, "committed_offset": offset, "leader_epoch": epoch, **values})


def log_end(tables: duckdb.DuckDBPyConnection, at: int, end: int, source: str = "batch") -> None:
    """How far t-0 had come."""
    insert(tables, "core.log_ends", **LOG, reached_at=minute(at), log_end_offset=end, source=source)


def test_a_copy_that_has_other_batches_is_one_finding(tables: duckdb.DuckDBPyConnection) -> None:
    """However many there are; its epoch says whether it is an end that was lost."""
    batch(tables, 40, 59, 2)
    for first in (40, 50):
        batch(tables, first, first + 9, 1, "raw.diverged_batches")
    assert divergence(tables) == [("truncated_records", 0, 40, 60)]
    columns = "broker_id, path, archived_epoch, other_epoch, occurrences, certainty, group_id, log_partition"
    assert divergence(tables, columns) == [(2, "two/t-0", 2, 1, 2, "proven", None, None)]


@pytest.mark.parametrize("epoch", [2, None])
def test_copies_of_one_epoch_only_differ(tables: duckdb.DuckDBPyConnection, epoch: int | None) -> None:
    """Nothing tells which of them is right."""
    batch(tables, 40, 49, 2)
    batch(tables, 40, 44, epoch, "raw.diverged_batches")
    assert divergence(tables, "kind, archived_epoch, other_epoch") == [("copies_differ", 2, epoch)]


def test_records_of_the_offsets_topic_are_told_too(tables: duckdb.DuckDBPyConnection) -> None:
    """The log is its partition's."""
    place = {"cluster": "c", "log_partition": 7, "log_offset": 5}
    insert(tables, "raw.offset_records", **place, log_leader_epoch=3)
    other = {"broker_id": 2, "path": "two/__consumer_offsets-7", "read_at": minute(9)}
    insert(tables, "raw.diverged_records", **place, **other, log_leader_epoch=2)
    assert divergence(tables, "kind, topic, partition, from_offset, to_offset, archived_epoch, other_epoch") == [
        ("truncated_records", "__consumer_offsets", 7, 5, 6, 3, 2)
    ]


def test_a_commit_of_an_epoch_that_ended_before_it_is_of_a_lost_end(tables: duckdb.DuckDBPyConnection) -> None:
    """Up to where the later epoch began the log is the same; what stands there is told once for all commits."""
    batch(tables, 0, 39, 0)
    batch(tables, 40, 89, 2)
    for at, offset, epoch in ((1, 40, 0), (2, 55, 0), (3, 70, 0), (4, 90, 2), (5, 80, None)):
        commit(tables, at, offset, epoch)
    assert divergence(tables) == [("commit_of_truncated_records", 0, 40, 70)]
    columns = "group_id, archived_epoch, other_epoch, occurrences, log_partition, log_offset, last_log_offset"
    assert divergence(tables, columns) == [("g", 2, 0, 2, 7, 2, 3)]


def test_an_epoch_of_which_nothing_is_left_is_lost_too(tables: duckdb.DuckDBPyConnection) -> None:
    """The log that won goes from epoch 0 to epoch 3."""
    batch(tables, 0, 39, 0)
    batch(tables, 40, 89, 3)
    commit(tables, 1, 50, 1)
    assert divergence(tables, "from_offset, to_offset, archived_epoch, other_epoch") == [(40, 50, 3, 1)]


def test_epochs_that_retention_took_contradict_nothing(tables: duckdb.DuckDBPyConnection) -> None:
    """What is left began after the commit."""
    batch(tables, 60, 89, 3)
    commit(tables, 1, 50, 1)
    commit(tables, 2, 70, 4)
    assert divergence(tables) == []


@pytest.mark.parametrize(
    ("reached", "source", "count"), [(9, "batch", 1), (9, "live", 1), (3, "batch", 0), (9, "segment", 0)]
)
def test_a_commit_is_ahead_only_of_a_log_that_went_on(
    tables: duckdb.DuckDBPyConnection, reached: int, source: str, count: int
) -> None:
    """Where it did not, what came after may not have been read; a file may be copied before the commit was."""
    commit(tables, 4, 30)
    log_end(tables, 1, 20)
    log_end(tables, reached, 25, source)
    assert len(divergence(tables)) == count
    assert divergence(tables) in ([], [("commit_ahead_of_log", 0, 25, 30)])


@pytest.mark.parametrize("shown_by", ["ids", "times"])
def test_commits_of_a_topic_that_was_made_anew_are_of_another_log(
    tables: duckdb.DuckDBPyConnection, shown_by: str
) -> None:
    """They are neither ahead of the new log nor of an end that it lost."""
    ids = {"topic_id": "old"} if shown_by == "ids" else {}
    commit(tables, 2, 30, 0, **ids)
    batch(tables, 0, 9, 0)
    batch(tables, 10, 24, 1)
    log_end(tables, 9, 25)
    assert [kind for kind, *_ in divergence(tables)] == ["commit_ahead_of_log", "commit_of_truncated_records"]
    if shown_by == "ids":
        for at, name in ((1, "old"), (3, "new")):
            insert(tables, "core.topics", cluster="c", topic="t", topic_id=name, last_seen_at=minute(at))
    else:
        tables.execute("UPDATE raw.batches SET base_timestamp_ms = epoch_ms(?::TIMESTAMPTZ)", [minute(3)])
    assert divergence(tables) == []


def test_a_log_that_lost_everything_is_the_same_one(tables: duckdb.DuckDBPyConnection) -> None:
    """Its epochs go on."""
    commit(tables, 2, 30, 0)
    batch(tables, 0, 24, 1)
    tables.execute("UPDATE raw.batches SET base_timestamp_ms = epoch_ms(?::TIMESTAMPTZ)", [minute(3)])
    assert divergence(tables) == [("commit_of_truncated_records", 0, 0, 30)]


def belonging(tables: duckdb.DuckDBPyConnection, *, moved: str | None = None, to: int = 3) -> None:
    """Groups where Kafka puts them, but for one."""
    for at, (group, partition) in enumerate(BELONGS.items()):
        place = {"group_id": group, "log_partition": to if group == moved else partition}
        insert(tables, "core.group_states", cluster="c", log_offset=at, from_at=minute(at), state="Empty", **place)


def test_a_group_is_where_the_hash_of_its_id_puts_it(tables: duckdb.DuckDBPyConnection) -> None:
    """The number of partitions is what most groups agree in, if enough do."""
    belonging(tables)
    insert(tables, "core.group_states", cluster="c", log_offset=99, group_id="polygenelubricants", log_partition=0)
    assert divergence(tables) == []
    insert(tables, "core.group_states", cluster="c", log_offset=8, group_id="größe", log_partition=9, state="Empty")
    columns = "kind, topic, partition, group_id, from_offset, to_offset, home_partition, certainty"
    assert divergence(tables, columns) == [
        ("group_in_wrong_partition", "__consumer_offsets", 9, "größe", 8, 9, 7, "likely")
    ]


def test_too_few_groups_tell_nothing(tables: duckdb.DuckDBPyConnection) -> None:
    """Four fit, one does not: any of them may be wrong."""
    belonging(tables, moved="g1")
    assert divergence(tables) == []


def test_brokers_know_how_many_partitions_there_are(tables: duckdb.DuckDBPyConnection) -> None:
    """Then one group is enough; commits tell of a group like any other record."""
    insert(tables, "raw.log_offset_samples", cluster="c", topic="__consumer_offsets", partition=0, partition_count=50)
    belonging(tables, moved="g1")
    commit(tables, 4, 30, group_id="😀grp", log_partition=36)
    assert divergence(tables, "group_id, partition, home_partition, certainty") == [("g1", 3, 42, "proven")]


def test_a_group_in_a_store_outside_kafka_is_in_no_wrong_partition(tables: duckdb.DuckDBPyConnection) -> None:
    """The number of a store is none of a partition."""
    insert(tables, "raw.log_offset_samples", cluster="c", topic="__consumer_offsets", partition=0, partition_count=50)
    commit(tables, 4, 30, group_id="g1", log_partition=-8)
    assert divergence(tables) == []


@pytest.mark.parametrize(("group", "partition"), [*BELONGS.items(), ("", 0), ("polygenelubricants", 0), ("😀grp", 36)])
def test_the_hash_is_javas(database: duckdb.DuckDBPyConnection, group: str, partition: int) -> None:
    """As Kafka itself answered."""
    assert database.execute("SELECT home_partition(java_hash(?), 50)", [group]).fetchall() == [(partition,)]


def test_the_columns_are_the_described_ones(tables: duckdb.DuckDBPyConnection) -> None:
    """Names and order."""
    assert tuple(tables.sql(models.select("log_divergence")).columns) == TABLES["mart.log_divergence"].column_names
