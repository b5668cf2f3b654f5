"""From logs to the raw tables: one Spark task per work unit, and one commit per table.

Put here the work units and the commit. `assets.ingest.plan` decides which files are read, `assets.ingest.worker` reads
them.
"""

from __future__ import annotations

import posixpath
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from assets.catalog import TABLES
from assets.ingest.comparison.identities import BATCHES, INTERNAL_RECORDS, RECORDS, identity_of
from assets.ingest.dumps.dump_files import DumpResult, known_dumps, read_dumps
from assets.ingest.dumps.dump_runs import DumpJob
from assets.ingest.dumps.superseded_dumps import supersede
from assets.ingest.erased_groups import read_erased
from assets.ingest.plan import reads_of
from assets.ingest.read_history import known_files, recognise
from assets.ingest.split_ranges import cut_ranges, whole
from assets.ingest.unpacked_archives import open_unpack_folder
from assets.ingest.work_units import NO_END, OffsetRange, Unread, WorkUnit
from assets.ingest.worker import read_work_unit
from assets.spark.tasks import file_name, parallelism, run_tasks
from assets.storage.data_files import DataFile
from assets.storage.parquet_files import TableFiles
from assets.storage.schema_evolution import fit
from parsers.errors import SourceError, StoreError
from parsers.files.discovery import UNNAMED_CLUSTER, Discovery
from parsers.log.damage.quarantine import Trouble, quarantine_row
from parsers.sources import open_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pyspark.sql import SparkSession

    from assets.ingest.plan import FileRead, Plan
    from assets.ingest.split_ranges import Copies, Place
    from assets.ingest.unpacked_archives import Archive, UnpackFolder
    from assets.ingest.work_units import ArchivedFiles, DumpRun, LiveRead
    from assets.storage.transaction import ArchivedFile
    from assets.storage.warehouse import Warehouse
    from parsers.files.discovery import SegmentFile

SEGMENTS: Final = "raw.segments"
QUARANTINE: Final = "raw.quarantine"
RAW: Final = (
    "raw.offset_records",
    "raw.batches",
    "raw.internal_records",
    "raw.diverged_records",
    "raw.diverged_batches",
    "raw.diverged_internal_records",
    QUARANTINE,
    SEGMENTS,
)
"""In the order of their commits: what was read is remembered last, so that a run that died is read again."""
RANGE_BYTES: Final = 64 << 20
"""A worker reads about so much of a log at a time: a partition that is not larger is not cut."""
UNITS_PER_CORE: Final = 4
UNIT_BYTES: Final = 1 << 30
"""The size limit of a work unit: a task that died repeats at most so much."""
OPENED_AT_ONCE: Final = 16


@dataclass(frozen=True, slots=True)
class IngestResult:
    """The new rows of each table, and a sentence for whatever could not be read to its end."""

    rows: dict[str, int]
    complaints: tuple[str, ...] = ()
    """Of stores that did not answer: no table is derived from an incomplete read."""
    unreadable: tuple[str, ...] = ()
    """Of files that were set aside as a whole."""


def ingest(start_spark: Callable[[], SparkSession], warehouse: Warehouse, work: Plan) -> IngestResult:
    """Read what the plan names on Spark's workers and make it part of the raw tables."""
    fit(warehouse, (TABLES[name] for name in RAW))
    transactions = {name: warehouse.begin(TABLES[name]) for name in RAW}
    if not work.has_reads:
        return IngestResult(dict.fromkeys(RAW, 0))
    spark = start_spark()
    archived = {name: transactions[name].file_list() for name in (RECORDS.table, BATCHES.table, INTERNAL_RECORDS.table)}
    folders, now = _folders(warehouse), datetime.now(timezone.utc)
    with open_unpack_folder(warehouse, work.unpacking) as unpack_folder:
        reads, broken, unanswered = _with_unpacked(warehouse, work, unpack_folder)
        dump_result = DumpResult()
        if work.dumps:
            dump_result = read_dumps(
                spark, work.dumps, known_dumps(warehouse), DumpJob(unpack_folder.folder(), folders, now)
            )
        ranges = [
            (one, _overlapping_files(one, archived)) for one in ranges_of(reads, work.live_reads, dump_result.runs)
        ]
        units, erased = _work_units(ranges, folders, parallelism(spark), now), read_erased(warehouse)
        units = [replace(one, erased=erased, internal_topics=work.internal_topics) for one in units]
        written, read_errors = _run(spark, units)
    by_driver = {SEGMENTS: dump_result.segments, QUARANTINE: [*broken, *dump_result.broken]}
    for name, file in (*dump_result.files, *_written_here(by_driver, folders)):
        written[name].append(file)
    superseded, remaining = supersede(archived[RECORDS.table], written[RECORDS.table], folders[RECORDS.table])
    for name, transaction in transactions.items():
        is_records, note = name == RECORDS.table, {"files_read": len(reads), "live_reads": len(work.live_reads)}
        transaction.append([*written[name], *(remaining if is_records else ())], note, superseded if is_records else ())
    complaints = (*unanswered, *dump_result.complaints, *read_errors.complaints)
    unreadable = (*(str(row["found"]) for row in broken), *dump_result.unreadable, *read_errors.unreadable)
    return IngestResult({name: sum(file.rows for file in written[name]) for name in RAW}, complaints, unreadable)


def _with_unpacked(
    warehouse: Warehouse, work: Plan, unpack_folder: UnpackFolder
) -> tuple[list[FileRead], list[dict[str, object]], list[str]]:
    """The reads of the plan and of what its archives hold, a row for each archive that is broken, and complaints."""
    if not work.archives:
        return list(work.reads), [], []
    known = known_files(warehouse)
    unpacked = [_unpack(archive, work.cluster, unpack_folder) for archive in work.archives]
    segments = [segment for discovery in unpacked if isinstance(discovery, Discovery) for segment in discovery.segments]
    broken = [row for row in unpacked if isinstance(row, dict)]
    reads = [*work.reads, *reads_of(segments, known, work.internal_topics)]
    return reads, broken, [one for one in unpacked if isinstance(one, str)]


def _unpack(archive: Archive, cluster: str | None, unpack_folder: UnpackFolder) -> Discovery | dict[str, object] | str:
    """The segments of an archive, or its row of quarantine, or the complaint that its store doesn't answer."""
    try:
        return unpack_folder.discover(archive, cluster)
    except StoreError as error:
        return f"{error}; the next run reads it"
    except SourceError as error:
        bad = Trouble(0, archive.size_bytes, None, "unreadable archive", "an archive of logs", str(error), b"")
    place = {"cluster": cluster or UNNAMED_CLUSTER, "path": archive.path, "read_at": datetime.now(timezone.utc)}
    return {**quarantine_row(bad), **place}


def _written_here(
    rows: Mapping[str, Sequence[Mapping[str, object]]], folders: Mapping[str, str]
) -> list[tuple[str, DataFile]]:
    """Files with the rows that the driver itself writes, each with its table."""
    with TableFiles(folders, "driver") as files:
        for name, some in rows.items():
            files.write(name, pa.RecordBatch.from_pylist(list(some), schema=TABLES[name].schema))
    return files.written()


def _folders(warehouse: Warehouse) -> dict[str, str]:
    """A new folder for the files of each table."""
    folders = {name: warehouse.new_folder(TABLES[name]) for name in RAW}
    for folder in folders.values():
        warehouse.make_folder(folder)
    return folders


def ranges_of(
    reads: Sequence[FileRead], live: Sequence[LiveRead], dump_runs: Mapping[Place, Sequence[Sequence[DumpRun]]]
) -> list[OffsetRange]:
    """The ranges of offsets to read, by partition; in each, copies of the log come before runs of dumps."""
    files: dict[Place, list[Unread]] = defaultdict(list)
    more: dict[Place, list[Sequence[LiveRead | DumpRun]]] = defaultdict(list)
    with ThreadPoolExecutor(OPENED_AT_ONCE) as pool:
        for file in pool.map(_find_known_part, reads):
            files[_place(file.segment)].append(file)
        for read in live:
            more[_place(read.segment)].append((read,))
        for place, chains in dump_runs.items():
            more[place] += chains
        places = sorted({*files, *more})
        cuts = pool.map(_cut_ranges, places, (files[place] for place in places))
        return [
            one for place, ranges in zip(places, cuts, strict=True) for one in _with_further_copies(ranges, more[place])
        ]


def _place(segment: SegmentFile) -> Place:
    return segment.cluster, segment.topic, segment.partition


def _cut_ranges(place: Place, files: Sequence[Unread]) -> list[OffsetRange]:
    """The ranges of a partition; data topics, read for their headers, are not worth a cut."""
    if not files:
        return [OffsetRange(*place, 0, NO_END, ())]
    copies = _copies(files)
    return cut_ranges(place, copies, RANGE_BYTES) if files[0].segment.is_offsets_topic else [whole(place, copies)]


def _with_further_copies(
    ranges: Sequence[OffsetRange], more: Sequence[Sequence[LiveRead | DumpRun]]
) -> Iterator[OffsetRange]:
    """The ranges, each with the running cluster's reads and the dumps' runs as further copies."""
    for one in ranges:
        parts = (tuple(part.within(one.first_offset, one.end_offset) for part in copy) for copy in more)
        further = (tuple(part for part in copy if part) for copy in parts)
        copies = (*one.copies, *(copy for copy in further if copy))
        if copies:
            yield replace(one, copies=copies)


def _find_known_part(read: FileRead) -> Unread:
    """The file with the known read that it continues or copies; a file that can't be opened is left to its reader."""
    if not read.candidates:
        return Unread(read.segment, None)
    try:
        with open_file(read.segment.location) as source:
            return Unread(read.segment, recognise(source, read.candidates))
    except SourceError:
        return Unread(read.segment, None)


def _copies(files: Iterable[Unread]) -> Copies:
    """The files of one partition by the folder that holds them: the copies of its log, each in the order of offsets.

    Where a folder has a segment twice, as tiered storage may, its second files are a copy of their own.
    """
    copies: dict[tuple[str, int], list[Unread]] = defaultdict(list)
    times: Counter[tuple[str, int]] = Counter()
    for file in sorted(files, key=lambda file: (file.segment.base_offset, file.segment.path)):
        segment = (posixpath.dirname(file.segment.path), file.segment.base_offset)
        copies[segment[0], times[segment]].append(file)
        times[segment] += 1
    return tuple(tuple(copies[copy]) for copy in sorted(copies))


def _overlapping_files(span: OffsetRange, archived: Mapping[str, Sequence[ArchivedFile]]) -> ArchivedFiles:
    """By table, the archived files that may hold rows of the range, by the bounds that their commits recorded."""
    files = {}
    for identity in (identity_of(span.segment), INTERNAL_RECORDS):
        offsets = (span.first_offset, span.end_offset - 1)
        bounds = {identity.partition: (span.partition, span.partition), identity.offset: offsets}
        files[identity.table] = tuple(file.uri for file in archived[identity.table] if file.may_hold(bounds))
    return files


def _work_units(
    ranges: Sequence[tuple[OffsetRange, ArchivedFiles]],
    folders: Mapping[str, str],
    cores: int,
    read_at: datetime,
) -> list[WorkUnit]:
    """Work units of about one size, with the ranges in their order: neighbours in a log are written together."""
    total_bytes = sum(span.size_bytes for span, _archived in ranges)
    unit_bytes = min(UNIT_BYTES, total_bytes // (cores * UNITS_PER_CORE) + 1)
    groups: list[list[tuple[OffsetRange, ArchivedFiles]]] = [[]]
    gathered = 0
    for span, archived in ranges:
        if gathered >= unit_bytes:
            groups.append([])
            gathered = 0
        groups[-1].append((span, archived))
        gathered += span.size_bytes
    return [WorkUnit(tuple(group), folders, read_at) for group in groups if group]


@dataclass(frozen=True, slots=True)
class ReadErrors:
    """The sentences about files and stores that the tasks could not read, in the order of the tasks."""

    complaints: tuple[str, ...]
    unreadable: tuple[str, ...]


def _run(spark: SparkSession, units: list[WorkUnit]) -> tuple[dict[str, list[DataFile]], ReadErrors]:
    """The files and the read errors of one Spark task per work unit; rows never pass through the driver."""

    def read_unit(number: int, attempt: int) -> dict[str, Any]:
        """The outcome of a work unit as JSON."""
        outcome = read_work_unit(units[number], file_name(number, attempt))
        return {
            "files": [{"table": of, **asdict(file)} for of, file in outcome.files],
            "complaints": outcome.complaints,
            "unreadable": outcome.unreadable,
        }

    written: dict[str, list[DataFile]] = {name: [] for name in RAW}
    answers = run_tasks(spark, [unit.name for unit in units], read_unit)
    for fields in (file for answer in answers for file in answer["files"]):
        written[fields.pop("table")].append(DataFile(**fields))
    unread = {kind: tuple(one for answer in answers for one in answer[kind]) for kind in ("complaints", "unreadable")}
    return written, ReadErrors(**unread)
