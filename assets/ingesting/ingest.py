"""From logs to the raw tables: one Spark task per share of what is to be read, and one commit per table.

Put here the shares and the commit. What is to be read belongs in `assets.ingesting.plan`, what a worker does in
`assets.ingesting.reading`.
"""

from __future__ import annotations

import json
import posixpath
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from assets.archive import DataFile
from assets.ingesting.cutting import cut, whole
from assets.ingesting.kept import BATCHES, RECORDS, identity_of
from assets.ingesting.known import known_files, recognise
from assets.ingesting.parquet_files import TableFiles
from assets.ingesting.plan import reads_of
from assets.ingesting.reading import read_share
from assets.ingesting.reads import NO_END, OffsetRange, Share, Unread
from assets.ingesting.spool import spool
from assets.tables import TABLES
from parsers.errors import SourceError, StoreError, WarehouseError
from parsers.files.discovery import UNNAMED_CLUSTER, Discovery
from parsers.log.quarantine import Trouble
from parsers.sources import open_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pyspark.sql import SparkSession

    from assets.archive import ArchivedFile, Warehouse
    from assets.ingesting.cutting import Copies, Place
    from assets.ingesting.plan import Plan, Read
    from assets.ingesting.reads import LiveRead
    from assets.ingesting.spool import Archive, Spool
    from parsers.files.discovery import SegmentFile

RAW: Final = (
    "raw.offset_records",
    "raw.batches",
    "raw.diverged_records",
    "raw.diverged_batches",
    "raw.quarantine",
    "raw.segments",
)
"""In the order of their commits: what was read is remembered last, so that a run that died is read again."""
RANGE_BYTES: Final = 64 << 20
"""A worker reads about so much of a log at a time: a partition that is not larger is not cut."""
SHARES_PER_CORE: Final = 4
SHARE_BYTES: Final = 1 << 30
"""A share is not made larger than this: what a task that died has to do again."""
OPENED_AT_ONCE: Final = 16


@dataclass(frozen=True, slots=True)
class Ingested:
    """The new rows of each table, and what could not be read to its end."""

    rows: dict[str, int]
    complaints: tuple[str, ...] = ()


def ingest(start_spark: Callable[[], SparkSession], warehouse: Warehouse, work: Plan) -> Ingested:
    """Read what the plan names on Spark's workers and make it part of the raw tables."""
    turns = {name: warehouse.begin(TABLES[name]) for name in RAW}
    if not work.has_reads:
        return Ingested(dict.fromkeys(RAW, 0))
    spark = start_spark()
    archived = {name: turns[name].archived() for name in (RECORDS.table, BATCHES.table)}
    folders = _folders(warehouse)
    with spool(warehouse) as spooled:
        reads, broken, unanswered = _with_unpacked(warehouse, work, spooled)
        ranges = [(one, _overlapped(one, archived)) for one in ranges_of(reads, work.live_reads)]
        written, complaints = _run(spark, _shares(ranges, folders, spark.sparkContext.defaultParallelism))
    for name, file in _set_aside(broken, folders):
        written[name].append(file)
    for name, turn in turns.items():
        turn.append(written[name], {"files_read": len(reads), "live_reads": len(work.live_reads)})
    return Ingested({name: sum(file.rows for file in written[name]) for name in RAW}, (*unanswered, *complaints))


def _with_unpacked(
    warehouse: Warehouse, work: Plan, spooled: Spool
) -> tuple[list[Read], list[dict[str, object]], list[str]]:
    """The reads of the plan and of what its archives hold, a row for each archive that is broken, and complaints."""
    if not work.archives:
        return list(work.reads), [], []
    known = known_files(warehouse)
    unpacked = [_unpacked(archive, work.cluster, spooled) for archive in work.archives]
    segments = [segment for found in unpacked if isinstance(found, Discovery) for segment in found.segments]
    broken = [row for row in unpacked if isinstance(row, dict)]
    return [*work.reads, *reads_of(segments, known)], broken, [one for one in unpacked if isinstance(one, str)]


def _unpacked(archive: Archive, cluster: str | None, spooled: Spool) -> Discovery | dict[str, object] | str:
    """What an archive holds, or its row in quarantine, or the complaint that its store doesn't answer."""
    try:
        return spooled.discover(archive, cluster)
    except StoreError as error:
        return f"{error}; the next run reads it"
    except SourceError as error:
        bad = Trouble(0, archive.size_bytes, None, "unreadable archive", "an archive of logs", str(error), b"")
    place = {"cluster": cluster or UNNAMED_CLUSTER, "path": archive.path, "read_at": datetime.now(timezone.utc)}
    return {**asdict(bad), **place}


def _set_aside(broken: Sequence[Mapping[str, object]], folders: Mapping[str, str]) -> list[tuple[str, DataFile]]:
    """What the driver itself has to put into quarantine."""
    with TableFiles(folders, "driver") as files:
        files.write("raw.quarantine", pa.RecordBatch.from_pylist(list(broken), schema=TABLES["raw.quarantine"].schema))
    return files.written()


def _folders(warehouse: Warehouse) -> dict[str, str]:
    """A new folder for the files of each table."""
    folders = {name: warehouse.new_folder(TABLES[name]) for name in RAW}
    for folder in folders.values():
        warehouse.make_folder(folder)
    return folders


def ranges_of(reads: Sequence[Read], live: Sequence[LiveRead]) -> list[OffsetRange]:
    """What is to be read, by partition, cut into ranges of offsets."""
    files: dict[Place, list[Unread]] = defaultdict(list)
    fetched: dict[Place, list[LiveRead]] = defaultdict(list)
    with ThreadPoolExecutor(OPENED_AT_ONCE) as pool:
        for file in pool.map(_unread, reads):
            files[_place(file.segment)].append(file)
        for read in live:
            fetched[_place(read.segment)].append(read)
        places = sorted({*files, *fetched})
        cuts = pool.map(_cut, places, (files[place] for place in places))
        return [one for place, ranges in zip(places, cuts, strict=True) for one in _with_live(ranges, fetched[place])]


def _place(segment: SegmentFile) -> Place:
    return segment.cluster, segment.topic, segment.partition


def _cut(place: Place, files: Sequence[Unread]) -> list[OffsetRange]:
    """The ranges of a partition; data topics, read for their headers, are not worth a cut."""
    if not files:
        return [OffsetRange(*place, 0, NO_END, ())]
    copies = _copies(files)
    return cut(place, copies, RANGE_BYTES) if files[0].segment.is_offsets_topic else [whole(place, copies)]


def _with_live(ranges: Sequence[OffsetRange], live: Sequence[LiveRead]) -> Iterator[OffsetRange]:
    """The ranges with what the running cluster has of each as one more copy."""
    for one in ranges:
        parts = (read.within(one.first_offset, one.end_offset) for read in live)
        copies = (*one.copies, *((part,) for part in parts if part))
        if copies:
            yield replace(one, copies=copies)


def _unread(read: Read) -> Unread:
    """Look whether a file is a later state or a copy of one that is known; if it can't be opened its reader says so."""
    if not read.candidates:
        return Unread(read.segment, None)
    try:
        with open_file(read.segment.location) as source:
            return Unread(read.segment, recognise(source, read.candidates))
    except SourceError:
        return Unread(read.segment, None)


def _copies(files: Iterable[Unread]) -> Copies:
    """The files of one partition by the folder that holds them: the copies of its log, each in the order of offsets."""
    folders: dict[str, list[Unread]] = defaultdict(list)
    for file in files:
        folders[posixpath.dirname(file.segment.path)].append(file)
    ordered = (
        sorted(folders[folder], key=lambda file: (file.segment.base_offset, file.segment.path))
        for folder in sorted(folders)
    )
    return tuple(tuple(copy) for copy in ordered)


def _overlapped(span: OffsetRange, archived: Mapping[str, Sequence[ArchivedFile]]) -> tuple[str, ...]:
    """The archived files that may hold records of the range, by the bounds that their commits recorded."""
    identity = identity_of(span.segment)
    offsets = (span.first_offset, span.end_offset - 1)
    bounds = {identity.partition: (span.partition, span.partition), identity.offset: offsets}
    return tuple(file.uri for file in archived[identity.table] if file.may_hold(bounds))


def _shares(
    ranges: Sequence[tuple[OffsetRange, tuple[str, ...]]], folders: Mapping[str, str], cores: int
) -> list[Share]:
    """Deal the ranges out in their order, so that what stands together is written together, in shares of one size."""
    total_bytes = sum(span.size_bytes for span, _archived in ranges)
    share_bytes = min(SHARE_BYTES, total_bytes // (cores * SHARES_PER_CORE) + 1)
    hands: list[list[tuple[OffsetRange, tuple[str, ...]]]] = [[]]
    gathered = 0
    for span, archived in ranges:
        if gathered >= share_bytes:
            hands.append([])
            gathered = 0
        hands[-1].append((span, archived))
        gathered += span.size_bytes
    now = datetime.now(timezone.utc)
    return [Share(tuple(hand), folders, now) for hand in hands]


def _run(spark: SparkSession, shares: list[Share]) -> tuple[dict[str, list[DataFile]], tuple[str, ...]]:
    """One Spark task per share; what comes back is the list of files and the complaints, never rows."""

    def read_shares(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from pyspark import TaskContext  # noqa: PLC0415 - a run that finds nothing new needs no Spark

        task = TaskContext.get()
        attempt = 0 if task is None else task.taskAttemptId()
        for number in (number for batch in batches for number in batch.column(0).to_pylist()):
            # A task that is tried again, or twice at once, must not write over the files of the other attempt.
            outcome = read_share(shares[number], f"part-{number:05d}-{attempt}")
            files = [{"table": name, **asdict(file)} for name, file in outcome.files]
            said = json.dumps({"share": number, "files": files, "complaints": outcome.complaints})
            yield pa.record_batch([pa.array([said], pa.string())], names=["said"])

    rows = spark.range(0, len(shares), 1, len(shares)).mapInArrow(read_shares, "said string").collect()
    return _gathered([json.loads(row.said) for row in rows], len(shares))


def _gathered(answers: Sequence[dict[str, Any]], shares: int) -> tuple[dict[str, list[DataFile]], tuple[str, ...]]:
    """The files of each table and the complaints: from every share once, or none of it counts."""
    answered = sorted(answer["share"] for answer in answers)
    if answered != list(range(shares)):
        raise WarehouseError(f"{shares} tasks were given to Spark, answers came from {answered}: nothing was kept")
    written: dict[str, list[DataFile]] = {name: [] for name in RAW}
    for described in (file for answer in answers for file in answer["files"]):
        written[described.pop("table")].append(DataFile(**described))
    return written, tuple(complaint for answer in answers for complaint in answer["complaints"])
