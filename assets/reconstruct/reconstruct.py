"""The replay: Spark tasks of partitions with new records, one commit per table, the checkpoints' last.

A partition whose records make its task fail stays as it was before, and the next run tries it again; all others are
committed.

Put here the run and its commits. The work of one task is in `assets.reconstruct.worker`.
"""

from __future__ import annotations

import uuid
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from assets.catalog import TABLES
from assets.materialize import Materialization
from assets.reconstruct.checkpoint import CHECKPOINTS
from assets.reconstruct.damage import damaged_offsets
from assets.reconstruct.failures import FAILURES
from assets.reconstruct.file_names import join_rows, rows_in
from assets.reconstruct.plan import RAW_VERSIONS, plan, share_out
from assets.reconstruct.projections import OUTPUTS
from assets.reconstruct.topic_id_facts import topic_id_names
from assets.reconstruct.worker import LogFacts, work
from assets.spark.tasks import parallelism, run_tasks
from assets.storage.data_files import DataFile
from assets.storage.small_files import kind_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pyspark.sql import SparkSession

    from assets.catalog import Table
    from assets.reconstruct.plan import Job, Plan
    from assets.storage.transaction import ArchivedFile, TableTransaction
    from assets.storage.warehouse import Warehouse

    Written = Mapping[str, Sequence[DataFile]]


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """The result of a replay."""

    tables: list[Materialization]
    failures: Mapping[str, str]
    """The partitions that could not be replayed, by tag, each with a sentence."""


class _TaskResults(NamedTuple):
    """The files of all tasks by table, and the failures by partition."""

    written: Mapping[str, Sequence[DataFile]]
    failures: Mapping[str, str]


def replay(start_spark: Callable[[], SparkSession], warehouse: Warehouse) -> ReplayResult:
    """Bring every replayed table up to the raw records, partition by partition."""
    todo, transactions = plan(warehouse), _begin(warehouse)
    done = _run(start_spark(), warehouse, todo.jobs) if todo.jobs else _TaskResults({}, {})
    next_offsets = {job.place.tag: job.next_offset for job in todo.jobs if job.place.tag not in done.failures}
    tables = [_commit(warehouse, one, done.written, next_offsets) for one in transactions]
    if todo.is_news:
        _remember(warehouse, todo, done, next_offsets)
    return ReplayResult(tables, done.failures)


def _run(spark: SparkSession, warehouse: Warehouse, jobs: Sequence[Job]) -> _TaskResults:
    """Replay the partitions in Spark tasks, which return lists of files, never rows."""
    folders = {name: warehouse.new_folder(table) for name, table in _tables().items()}
    for folder in folders.values():
        warehouse.make_folder(folder)
    tasks = share_out(jobs, parallelism(spark))
    names, damaged = topic_id_names(warehouse), damaged_offsets(warehouse)

    def replay_task(number: int, attempt: int) -> dict[str, Any]:
        """Replay the partitions of a task."""
        jobs = tasks[number]
        facts = [LogFacts(names.get(job.place.cluster, ()), damaged.get(job.place, ())) for job in jobs]
        return work(jobs, facts, folders, attempt)

    written: dict[str, list[DataFile]] = defaultdict(list)
    failures: dict[str, str] = {}
    replayed = run_tasks(spark, [_name(task) for task in tasks], replay_task)
    for result in (result for task in replayed for result in task["partitions"]):
        failures |= result["failures"]
        for fields in result["files"]:
            written[fields.pop("table")].append(DataFile(**fields))
    return _TaskResults(written, failures)


def _name(jobs: Sequence[Job]) -> str:
    """The partitions of a task in words."""
    first, *others = (job.place.name for job in jobs)
    return f"{first} and {len(others)} other partitions" if others else first


def _tables() -> dict[str, Table]:
    return {**{name: TABLES[name] for name in OUTPUTS}, CHECKPOINTS.full_name: CHECKPOINTS}


def _begin(warehouse: Warehouse) -> list[TableTransaction]:
    """Transactions from before the first record is replayed: a table that goes away meanwhile takes no commit.

    Where there are checkpoints there are tables: one that is gone would begin anew without the rows before them.
    """
    has_rows = bool(warehouse.files(CHECKPOINTS.full_name))
    return [warehouse.begin(TABLES[name], must_exist=has_rows) for name in OUTPUTS]


def _commit(
    warehouse: Warehouse, transaction: TableTransaction, written: Written, next_offsets: Mapping[str, int]
) -> Materialization:
    """Add the new rows of a table; remove the rows that they replace and those of a run that died."""
    table, name = transaction.table, transaction.table.full_name
    gone = [file for file in transaction.file_list() if not _stays(file, next_offsets)]
    new = written.get(name, ())
    if gone or new:
        final = [file for file in transaction.file_list() if _is_final(file, next_offsets)]
        merged = transaction.merge_small(final, _lot, _merged_name)
        transaction.revise(gone, new, {"partitions_replayed": len(next_offsets)}, merged)
    return Materialization(table, warehouse.row_count(name), unchanged=not gone and not new)


def _is_final(file: ArchivedFile, next_offsets: Mapping[str, int]) -> bool:
    """Whether a file has rows below the checkpoint of a partition that was replayed: they can be merged.

    Of other partitions there may be rows beyond the checkpoint, from a run that died.
    """
    rows = rows_in(file.uri)
    return rows is not None and rows.stay(next_offsets.get(rows.tag, 0))


def _lot(file: ArchivedFile) -> str:
    """The rows that are merged with each other: those of one partition and of one kind."""
    rows = rows_in(file.uri)
    return file.uri if rows is None else f"{rows.tag}{kind_of(file)}"


def _merged_name(files: Sequence[ArchivedFile]) -> str:
    """The name of a file that has all these final rows."""
    first, *others = (rows for file in files if (rows := rows_in(file.uri)) is not None)
    return join_rows(first, others).file_name(uuid.uuid4().int)


def _stays(file: ArchivedFile, next_offsets: Mapping[str, int]) -> bool:
    """Whether a file belongs to a partition that was not replayed, or has rows that stay."""
    rows = rows_in(file.uri)
    return rows is not None and (rows.tag not in next_offsets or rows.stay(next_offsets[rows.tag]))


def _remember(warehouse: Warehouse, todo: Plan, done: _TaskResults, next_offsets: Mapping[str, int]) -> None:
    """Commit the checkpoints, and the versions of the raw tables that they cover: the old ones if one failed."""
    before = warehouse.note(CHECKPOINTS.full_name)
    raw_versions = {key: before.get(key) for key in RAW_VERSIONS.values()} if done.failures else todo.raw_versions
    transaction = warehouse.begin(CHECKPOINTS)
    gone = [file for file in transaction.file_list() if (rows := rows_in(file.uri)) is None or rows.tag in next_offsets]
    note = {**raw_versions, FAILURES: done.failures}
    transaction.revise(gone, done.written.get(CHECKPOINTS.full_name, ()), note)
