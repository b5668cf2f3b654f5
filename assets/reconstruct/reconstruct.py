"""The replay: one Spark task per partition that has something new, one commit per table, and what is remembered last.

A partition whose records make its task fail stays as it was before, and the next run tries it again; all others are
committed.

Put here the run and its commits. What a worker does is said in `assets.reconstruct.worker`.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from assets.catalog import TABLES
from assets.materialize import Materialization
from assets.reconstruct.checkpoint import MEMORY
from assets.reconstruct.damage import damage_told
from assets.reconstruct.failures import FAILURES
from assets.reconstruct.file_names import rows_in
from assets.reconstruct.plan import RAW_VERSION, plan
from assets.reconstruct.projections import REPLAYED
from assets.reconstruct.topic_id_facts import names_told
from assets.reconstruct.worker import ReplayError, work
from assets.spark.task_failures import in_task, of_tasks
from assets.storage.data_files import DataFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pyspark.sql import SparkSession

    from assets.catalog import Table
    from assets.reconstruct.plan import Job, Plan
    from assets.reconstruct.topic_id_facts import Names
    from assets.storage.transaction import ArchivedFile
    from assets.storage.warehouse import Warehouse
    from assets.transforms.log_chunks import Spans

    Written = Mapping[str, Sequence[DataFile]]


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """What became of a replay."""

    made: list[Materialization]
    failures: Mapping[str, str]
    """The partitions that could not be replayed, by tag, each with a sentence."""


class _TaskResults(NamedTuple):
    """What the tasks of a run tell."""

    written: Mapping[str, Sequence[DataFile]]
    failures: Mapping[str, str]


def replay(start_spark: Callable[[], SparkSession], warehouse: Warehouse) -> ReplayResult:
    """Bring every replayed table up to the raw records, partition by partition."""
    todo = plan(warehouse)
    done = _run(start_spark(), warehouse, todo.jobs) if todo.jobs else _TaskResults({}, {})
    kept = {job.place.tag: job.next_offset for job in todo.jobs if job.place.tag not in done.failures}
    made = [_commit(warehouse, name, done.written, kept) for name in REPLAYED]
    if todo.is_news:
        _remember(warehouse, todo, done, kept)
    return ReplayResult(made, done.failures)


def _run(spark: SparkSession, warehouse: Warehouse, jobs: Sequence[Job]) -> _TaskResults:
    """One Spark task per partition, the largest first; what comes back is the list of files, never rows."""
    folders = {name: warehouse.new_folder(table) for name, table in _tables().items()}
    for folder in folders.values():
        warehouse.make_folder(folder)
    ordered = sorted(jobs, key=lambda job: -job.rows)
    names, damaged = names_told(warehouse), damage_told(warehouse)

    def replay_places(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Replay the partitions of one task; the files that each became."""
        from pyspark import TaskContext  # noqa: PLC0415 - a run that finds nothing new needs no Spark

        task = TaskContext.get()
        attempt = 0 if task is None else task.taskAttemptId()
        for number in (number for batch in batches for number in batch.column(0).to_pylist()):
            place = ordered[number].place
            with in_task(place.name):
                told = _task_result(
                    ordered[number], folders, attempt, names.get(place.cluster, ()), damaged.get(place, ())
                )
            yield pa.record_batch([pa.array([json.dumps(told)], pa.string())], names=["files"])

    written: dict[str, list[DataFile]] = defaultdict(list)
    failures: dict[str, str] = {}
    with of_tasks(lambda number: ordered[number].place.name):
        rows = spark.range(0, len(jobs), 1, len(jobs)).mapInArrow(replay_places, "files string").collect()
    for row in rows:
        told = json.loads(row.files)
        failures |= told["failures"]
        for described in told["files"]:
            written[described.pop("table")].append(DataFile(**described))
    return _TaskResults(written, failures)


def _task_result(job: Job, folders: Mapping[str, str], attempt: int, names: Names, damaged: Spans) -> dict[str, Any]:
    """What a task tells of a partition: the files that it became, or why it could not be replayed."""
    try:
        done = work(job, folders, attempt, names, damaged)
    except ReplayError as error:
        return {"files": [], "failures": {job.place.tag: str(error)}}
    return {"files": [{"table": name, **asdict(file)} for name, file in done], "failures": {}}


def _tables() -> dict[str, Table]:
    return {**{name: TABLES[name] for name in REPLAYED}, MEMORY.full_name: MEMORY}


def _commit(warehouse: Warehouse, name: str, written: Written, kept: Mapping[str, int]) -> Materialization:
    """Put the new rows of a table in, and take out what they replace and what a run that died left."""
    turn = warehouse.begin(TABLES[name])
    gone = [file for file in turn.archived() if not _stays(file, kept)]
    new = written.get(name, ())
    if gone or new:
        turn.revise(gone, new, {"partitions_replayed": len(kept)})
    return Materialization(TABLES[name], warehouse.row_count(name), unchanged=not gone and not new)


def _stays(file: ArchivedFile, kept: Mapping[str, int]) -> bool:
    """Whether a file is of a partition that was not replayed, or has rows of it that stay."""
    rows = rows_in(file.uri)
    return rows is not None and (rows.tag not in kept or rows.stay(kept[rows.tag]))


def _remember(warehouse: Warehouse, todo: Plan, done: _TaskResults, kept: Mapping[str, int]) -> None:
    """Remember how far each partition came, and which raw records were looked at: where one failed, no new ones."""
    raw_version = warehouse.note(MEMORY.full_name).get(RAW_VERSION) if done.failures else todo.raw_version
    turn = warehouse.begin(MEMORY)
    gone = [file for file in turn.archived() if (rows := rows_in(file.uri)) is None or rows.tag in kept]
    note = {RAW_VERSION: raw_version, FAILURES: done.failures}
    turn.revise(gone, done.written.get(MEMORY.full_name, ()), note)
