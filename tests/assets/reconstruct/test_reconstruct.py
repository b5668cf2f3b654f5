"""Replays one after the other: what they leave is what one replay of everything makes."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timezone
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assets.maintenance.compact_files import FEWEST_FILES, look, tidy
from assets.reconstruct import checkpoint, plan, raw_records, reconstruct
from assets.reconstruct.checkpoint import CHECKPOINTS
from assets.reconstruct.failures import has_failures
from assets.reconstruct.projections import OUTPUTS
from assets.reconstruct.reconstruct import replay
from assets.storage import small_files
from assets.storage.small_files import FANOUT
from assets.transforms.log_gaps import LogGaps
from tests.assets.transforms.made_groups import COMMIT, T, current, epoch, logged, member
from tests.assets.transforms.offsets_log import Log, logs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from assets.transforms.projection import LogChunk
    from tests.assets.reconstruct.conftest import Archive
    from tests.assets.transforms.offsets_log import Row

SOON = datetime(2100, 1, 1, tzinfo=timezone.utc)
LOG = Log().commit(1).commit(2, producer=5).commit(3, partition=1).remove(partition=1).marker("COMMIT", 5).commit(4)


def elsewhere(rows: Sequence[Row], partition: int, cluster: str = "c") -> list[Row]:
    """The same records in another partition or cluster."""
    return [row | {"log_partition": partition, "cluster": cluster} for row in rows]


def everything(archives: Callable[[], Archive], *parts: Sequence[Row]) -> dict[str, list[Row]]:
    """What one replay makes of all records."""
    archive = archives()
    archive.add([row for part in parts for row in part])
    archive.replay()
    return {name: archive.rows(name) for name in OUTPUTS}


def reconstructed(archive: Archive) -> dict[str, list[Row]]:
    """What stands in the tables."""
    return {name: archive.rows(name) for name in OUTPUTS}


def test_a_replay_fills_the_tables(archive: Archive) -> None:
    """Each partition of each cluster by itself, with where it is from in every row."""
    archive.add([*LOG.records, *elsewhere(LOG.records, 8), *elsewhere(LOG.records, 7, "d")])
    (commits,) = (one for one in archive.replay() if one.table.full_name == "core.commits")
    assert (commits.rows, commits.unchanged) == (15, False)
    places = {(row["cluster"], row["log_partition"]) for row in archive.rows()}
    assert places == {("c", 7), ("c", 8), ("d", 7)}


def test_the_job_shuffles_nothing(
    archive: Archive, spark: SparkSession, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The plan of the job that Spark runs has no exchange: a task reads all of its log partition by itself."""
    frame = type(spark.range(1))
    collect = frame.collect

    def explain_and_collect(job: DataFrame) -> object:
        """Print the plan before the job runs."""
        job.explain()
        return collect(job)

    monkeypatch.setattr(frame, "collect", explain_and_collect)
    archive.add([*LOG.records, *elsewhere(LOG.records, 8)])
    replay(lambda: spark, archive.warehouse)
    plan = capsys.readouterr().out
    assert "MapInArrow" in plan
    assert "Exchange" not in plan
    assert len(archive.rows("core.record_compaction")) == 2 * len(LOG.records)


def test_an_owner_by_topic_id_is_found_by_the_name_that_a_folder_has(archive: Archive) -> None:
    """In the run that reads the commit; a name that comes later has nothing replayed again."""
    log = logged([epoch(2), member("a"), current("a", 7, 0)], COMMIT, COMMIT)
    archive.add(log[:-1])
    archive.replay()
    archive.name_topic("t", T)
    archive.replay()
    assert [row["actor"] for row in archive.rows()] == ["unknown"]
    archive.add(log[-1:])
    archive.replay()
    assert [(row["actor"], row["member_id"]) for row in archive.rows()] == [("unknown", None), ("owner", "a")]


def test_nothing_new_changes_nothing(archive: Archive) -> None:
    """The tables keep their commits, and no Spark is started."""
    archive.add(LOG.records)
    archive.replay()
    before = [archive.warehouse.version(name) for name in (*OUTPUTS, CHECKPOINTS.full_name)]
    done = reconstruct.replay(lambda: pytest.fail("Spark was started"), archive.warehouse)
    assert all(one.unchanged for one in done.tables)
    assert [archive.warehouse.version(name) for name in (*OUTPUTS, CHECKPOINTS.full_name)] == before


def test_without_records_the_tables_are_there(archive: Archive) -> None:
    """And empty."""
    archive.replay()
    assert [archive.warehouse.version(name) for name in OUTPUTS] == [0 for _ in OUTPUTS]


def test_only_what_is_new_is_replayed(archive: Archive) -> None:
    """A partition without new records keeps its files."""
    archive.add([*LOG.records[:3], *elsewhere(LOG.records, 8)])
    archive.replay()
    before = set(archive.warehouse.files("core.commits"))
    archive.add(LOG.records[3:])
    archive.replay()
    assert before <= set(archive.warehouse.files("core.commits"))


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(logs(12), st.lists(st.integers(0, 14), max_size=3), st.integers(1, 5))
def test_however_the_log_came_the_result_is_the_same(
    archives: Callable[[], Archive], log: Log, cuts: list[int], stretch_rows: int
) -> None:
    """In runs cut anywhere, and read in stretches of any length."""
    archive = archives()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(raw_records, "STRETCH_ROWS", stretch_rows)
        for low, high in pairwise([0, *sorted(cuts), 1 << 40]):
            archive.add([row for row in log.records if low <= row["log_offset"] < high])
            archive.replay()
    assert reconstructed(archive) == everything(archives, log.records)


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(logs(12), st.sets(st.integers(0, 14), max_size=4))
def test_records_that_come_late_are_taken_in(archives: Callable[[], Archive], log: Log, late: set[int]) -> None:
    """Another broker's copy may have what the first one had lost: the partition is replayed from its beginning."""
    archive = archives()
    archive.add([row for row in log.records if row["log_offset"] not in late] + elsewhere(LOG.records, 9))
    archive.replay()
    archive.add([row for row in log.records if row["log_offset"] in late])
    archive.replay()
    assert reconstructed(archive) == everything(archives, log.records, elsewhere(LOG.records, 9))


def die_after(done: int, patch: pytest.MonkeyPatch) -> None:
    """Let a replay die when so many tables are committed; where all are, before the checkpoints."""
    commit, numbers = reconstruct.__dict__["_commit"], iter(range(len(OUTPUTS)))

    def dies(*call: object) -> object:
        if next(numbers, done) == done:
            raise KeyboardInterrupt
        return commit(*call)

    patch.setattr(reconstruct, "_commit", dies)
    patch.setattr(reconstruct, "_remember", dies)


@pytest.mark.parametrize("done", range(len(OUTPUTS) + 1))
def test_a_run_that_died_is_repeated_without_doubling(
    archive: Archive, archives: Callable[[], Archive], monkeypatch: pytest.MonkeyPatch, done: int
) -> None:
    """It may die between any two commits of its tables, and before it remembers what it did."""
    archive.add(LOG.records[:2])
    archive.replay()
    archive.add(LOG.records[2:4])
    with monkeypatch.context() as patch:
        die_after(done, patch)
        with pytest.raises(KeyboardInterrupt):
            archive.replay()
    archive.add(LOG.records[4:])
    archive.replay()
    assert reconstructed(archive) == everything(archives, LOG.records)


def test_another_release_replays_everything(
    archive: Archive, archives: Callable[[], Archive], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an older release computed is not built upon."""
    archive.add(LOG.records[:3])
    with monkeypatch.context() as patch:
        patch.setattr(checkpoint, "version", lambda _: "0.0.1")
        archive.replay()
    old = set(archive.warehouse.files("core.commits"))
    archive.add(LOG.records[3:])
    archive.replay()
    assert not old & set(archive.warehouse.files("core.commits"))
    assert reconstructed(archive) == everything(archives, LOG.records)


def many_runs(archive: Archive, runs: int) -> Log:
    """A log of which each commit came with a run of its own."""
    log = LOG
    archive.add(log.records)
    for number in range(runs):
        archive.replay()
        log = log.commit(number)
        archive.add(log.rows[-1:])
    return log


def test_many_runs_leave_few_files_and_the_same_rows(archive: Archive, archives: Callable[[], Archive]) -> None:
    """The raw files that were merged meanwhile have nothing replayed again."""
    log = many_runs(archive, 4 * FANOUT)
    (job,) = plan.plan(archive.warehouse).jobs
    assert job.next_offset == log.rows[-1]["log_offset"]
    archive.replay()
    assert reconstructed(archive) == everything(archives, log.records)
    assert len(archive.warehouse.files("core.commits")) <= FANOUT + 1
    assert any("merged-" in uri for uri in archive.warehouse.files("raw.offset_records"))


@pytest.mark.parametrize("done", [*range(0, len(OUTPUTS), 4), len(OUTPUTS)])
def test_a_run_that_died_with_merges_is_repeated_without_doubling(
    archive: Archive, archives: Callable[[], Archive], monkeypatch: pytest.MonkeyPatch, done: int
) -> None:
    """Rows beyond the checkpoint are in no merged file, so they go, whichever commit was the last."""
    log = many_runs(archive, FANOUT)
    for _ in range(FANOUT):
        with monkeypatch.context() as patch:
            die_after(done, patch)
            with pytest.raises(KeyboardInterrupt):
                archive.replay()
        log = log.commit(9)
        archive.add(log.rows[-1:])
    archive.replay()
    assert reconstructed(archive) == everything(archives, log.records)


def test_a_partition_that_fails_has_no_rows_merged(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some of them may be beyond its checkpoint."""
    many_runs(archive, FANOUT)
    archive.add(elsewhere(LOG.records, 8))
    before = set(archive.warehouse.files("core.commits"))
    fail_on(LOG.records[-1]["log_offset"] + FANOUT, monkeypatch)
    assert archive.replayed().failures
    assert before < set(archive.warehouse.files("core.commits"))


def test_small_files_of_a_partition_become_one(
    archive: Archive, archives: Callable[[], Archive], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the replay goes on from there; what a run that died left is not taken into them."""
    monkeypatch.setattr(small_files, "FANOUT", 100)
    log = LOG
    for number in range(FEWEST_FILES):
        archive.add([log.rows[-1], *elsewhere(log.rows[-1:], 8)])
        archive.replay()
        log = log.commit(number)
    before = reconstructed(archive)
    work = look(archive.warehouse, SOON)
    assert {len(merge.files) for merge in work.merges if merge.table == "core.commits"} == {FEWEST_FILES}
    tidy(archive.warehouse, work)
    assert reconstructed(archive) == before
    archive.replay()
    assert reconstructed(archive) == before
    archive.add(log.rows[-1:])
    archive.replay()
    assert reconstructed(archive) == everything(archives, log.rows[5:], elsewhere(log.rows[5:-1], 8))
    turn = archive.warehouse.begin(CHECKPOINTS)
    turn.revise(turn.file_list(), [], {})
    assert not [merge for merge in look(archive.warehouse, SOON).merges if merge.table in OUTPUTS]
    memories = sorted(Path(archive.warehouse.table_url(CHECKPOINTS.full_name)).rglob("*.parquet"))
    assert memories
    tidy(archive.warehouse, look(archive.warehouse, SOON))
    assert not any(path.exists() for path in memories)


def test_files_of_another_kind_make_room(archive: Archive) -> None:
    """A table that was once made whole has files that belong to no partition."""
    archive.add(LOG.records)
    archive.replay()
    turn = archive.warehouse.begin(CHECKPOINTS)
    turn.revise(turn.file_list(), [], {})
    (own,) = archive.warehouse.files("core.commits")
    archive.replay()
    assert archive.warehouse.files("core.commits") != [own]
    assert len(archive.rows()) == 5


def test_what_gave_way_to_a_fuller_record_is_replayed(archive: Archive, archives: Callable[[], Archive]) -> None:
    """A commit of which a dump told counted where it stood; the log says that its transaction was aborted."""
    log = Log().commit(1).commit(2, producer=5).marker("ABORT", 5).commit(4)
    of_dumps = [row | {"source": "dump", "is_transactional": None} for row in log.records if not row["is_control"]]
    archive.add(of_dumps)
    archive.replay()
    assert [(row["committed_offset"], row["is_transactional"]) for row in archive.rows()] == [
        (1, None),
        (2, None),
        (4, None),
    ]
    archive.add(log.records, archive.warehouse.file_list("raw.offset_records"))
    archive.replay()
    assert reconstructed(archive) == everything(archives, log.records)


def test_a_record_that_cannot_be_used_is_set_aside_once(archive: Archive, archives: Callable[[], Archive]) -> None:
    """Its partition goes on, in this run and in later ones, and a repeated replay tells of it no second time."""
    log = LOG.commit(5).add(is_transactional=True, offset_commit={"offset": 1}).commit(6).commit(7)
    for part in (log.records[:6], log.records[6:8], log.records[8:]):
        archive.add(part)
        archive.replay()
        archive.replay()
    assert [(row["log_offset"], row["reason"]) for row in archive.rows("core.quarantine")] == [(7, "no_producer")]
    assert reconstructed(archive) == everything(archives, log.records)


def fail_on(offset: int, monkeypatch: pytest.MonkeyPatch, partition: int = 7) -> None:
    """Let the replay fail at a log offset of a partition, as by a record that nobody thought of."""
    replays = LogGaps.replay

    def fails(self: LogGaps, chunk: LogChunk) -> object:
        if (chunk.commits["log_partition"].to_pylist()[:1], chunk.last_offset >= offset) == ([partition], True):
            raise ZeroDivisionError("by a record")
        return replays(self, chunk)

    monkeypatch.setattr(LogGaps, "replay", fails)


def test_a_partition_that_fails_holds_up_no_other(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    """The failure names it and the offsets, and what was known of it stays."""
    archive.add(LOG.records[:3])
    archive.replay()
    archive.add([*LOG.records[3:], *elsewhere(LOG.records, 8)])
    fail_on(3, monkeypatch)
    (sentence,) = archive.replayed().failures.values()
    assert sentence == (
        "partition 7 of __consumer_offsets of cluster c can't be replayed: its records from log offset 3 to 6 cause "
        "ZeroDivisionError: by a record"
    )
    assert Counter(row["log_partition"] for row in archive.rows()) == {7: 2, 8: 5}
    assert has_failures(archive.warehouse)


def test_a_partition_that_failed_is_tried_again(
    archives: Callable[[], Archive], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the next run, though nothing is new; whether it had been replayed before or not."""
    for first in (3, 0):
        own = archives()
        own.add(LOG.records[:first])
        own.replay()
        own.add([*LOG.records[first:], *elsewhere(LOG.records, 8)])
        with monkeypatch.context() as patch:
            fail_on(3, patch)
            own.replay()
            assert own.replayed().failures
        assert not own.replayed().failures
        assert not has_failures(own.warehouse)
        assert reconstructed(own) == everything(archives, LOG.records, elsewhere(LOG.records, 8))


def test_a_store_that_fails_fails_the_run(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    """That is no partition's fault: nothing is committed."""
    archive.add(LOG.records)
    monkeypatch.setattr(LogGaps, "open_rows", lambda _: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        archive.replay()
    assert archive.warehouse.version(CHECKPOINTS.full_name) is None
