"""The work of a Spark task: read ranges of logs, compare their rows with the archive, write the new ones as Parquet.

Put here how a work unit and a file are read. How a running cluster is read belongs in `assets.ingest.live.reading`,
how work units are made in `assets.ingest.ingest`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from assets.catalog import TABLES
from assets.ingest.comparison.copies import Part, RowStream, side_by_side
from assets.ingest.comparison.dedupe import ArchivedRows
from assets.ingest.comparison.identities import INTERNAL_RECORDS, identity_of
from assets.ingest.digesting_source import DigestingSource, digest
from assets.ingest.dumps.dump_runs import read_dump_run
from assets.ingest.erased_groups import OF_INTERNAL_RECORDS, OF_OFFSET_RECORDS
from assets.ingest.live.reading import Fetcher, read_live
from assets.ingest.read_history import batch_crc
from assets.ingest.slice_writer import SliceWriter, Tally
from assets.ingest.work_units import DumpRun, FileRange, LiveRead
from assets.storage.parquet_files import TableFiles
from parsers.errors import SourceError, StoreError, VanishedError, WarehouseError
from parsers.log.damage.quarantine import Trouble, quarantine_table
from parsers.log.order import OffsetOrder
from parsers.log.segments import walk
from parsers.sources import open_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from assets.ingest.comparison.dedupe import Comparison
    from assets.ingest.comparison.identities import Identity
    from assets.ingest.erased_groups import ErasedGroups
    from assets.ingest.work_units import OffsetRange, WorkUnit
    from assets.storage.data_files import DataFile
    from parsers.files.discovery import SegmentFile
    from parsers.sources import ByteSource


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a work unit: the files that were written, and sentences about the reads that did not end.

    A file that can't be read becomes a row of quarantine and stops no other; the run reports it, unless the file is
    gone or was replaced. If a store doesn't answer, its files are unknown, so the run fails.
    """

    files: tuple[tuple[str, DataFile], ...]
    complaints: tuple[str, ...]
    """Of stores that don't answer."""
    unreadable: tuple[str, ...]
    """Of files that are there and can't be read."""


def read_work_unit(unit: WorkUnit, name: str) -> Outcome:
    """Read every range of a work unit into files of this name."""
    errors = ReadErrors()
    with TableFiles(unit.folders, name) as files, Fetcher() as fetcher:
        for span, archived in unit.ranges:
            _RangeReader(span, unit, files, fetcher, errors).read(archived)
    return Outcome(tuple(files.written()), tuple(errors.complaints), tuple(errors.unreadable))


@dataclass(frozen=True, slots=True)
class ReadErrors:
    """Sentences about stores and files that could not be read, in the order of the reads."""

    complaints: list[str] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)


class _RangeReader:
    """One range of a log, read in all its copies."""

    def __init__(
        self, span: OffsetRange, unit: WorkUnit, files: TableFiles, fetcher: Fetcher, errors: ReadErrors
    ) -> None:
        self._span, self._unit, self._files, self._fetcher, self._errors = span, unit, files, fetcher, errors
        self._internal = unit.internal_topics.of(span.topic)
        self._has_bodies = span.segment.is_offsets_topic or self._internal is not None
        self._identity = identity_of(span.segment)
        self._records_to = 0
        self._accounts: list[dict[str, Any]] = []
        self._shared, self._diverged = Counter[str](), Counter[str]()

    def read(self, archived: Mapping[str, Sequence[str]]) -> None:
        """Read all copies side by side, and write their new rows; `archived` has each table's files."""
        segment = self._span.segment
        archived_rows, archived_records = (
            ArchivedRows(identity, identity.belongs(segment), archived.get(identity.table, ()))
            for identity in (self._identity, INTERNAL_RECORDS)
        )
        for parts in side_by_side(self._streams()):
            for comparison in archived_rows.compare(parts):
                self._count(comparison)
                self._write(comparison, self._identity)
            self._write_records(parts, archived_records)
        self._account()

    def _write_records(self, parts: Sequence[Part], archived: ArchivedRows) -> None:
        """Write the new records that the parts' batches have, where those of the topic are read."""
        if records := self._record_parts(parts):
            for comparison in archived.compare(records):
                self._write(comparison, INTERNAL_RECORDS)

    def _account(self) -> None:
        """Write a row of raw.segments for each read, with its counts of shared and diverged rows."""
        rows = [
            {**row, "shared_count": self._shared[row["path"]], "diverged_count": self._diverged[row["path"]]}
            for row in self._accounts
        ]
        self._files.write("raw.segments", pa.RecordBatch.from_pylist(rows, schema=TABLES["raw.segments"].schema))

    def _count(self, comparison: Comparison) -> None:
        path = comparison.part.segment.path
        self._shared[path] += comparison.shared_count
        self._diverged[path] += comparison.diverged.num_rows

    def _write(self, comparison: Comparison, identity: Identity) -> None:
        segment = comparison.part.segment
        place = identity.place(segment)
        self._files.write(identity.table, comparison.new, place)
        source_columns = {"broker_id": segment.broker_id, "path": segment.path, "read_at": self._unit.read_at}
        self._files.write(identity.diverged, comparison.diverged, {**place, **source_columns})

    def _record_parts(self, parts: Sequence[Part]) -> list[Part]:
        """The records in the parts' batches, in every copy those from where the parts before ended.

        Copies of a compressed batch of the old formats may begin at different offsets, and so lie in different steps.
        """
        records = [
            Part(part.segment, part.records, part.records.column(INTERNAL_RECORDS.offset).to_numpy())
            for part in parts
            if part.records is not None and part.records.num_rows
        ]
        news = [new for part in records if (new := part.since(self._records_to)) is not None]
        self._records_to = max((int(new.offsets[-1]) + 1 for new in news), default=self._records_to)
        return news

    def _streams(self) -> list[RowStream]:
        """The rows of each file and fetch, in their precedence: where two contradict, the earlier one is archived.

        Logs come before dumps, segments in use before segments marked for deletion, later segments first.
        """
        parts = [part for copy in self._span.copies for part in reversed(copy)]
        parts.sort(key=lambda part: (isinstance(part, DumpRun), part.segment.file_suffix is not None))
        return [RowStream(_lower_bound(part), self._blanked(self._parts(part))) for part in parts]

    def _blanked(self, parts: Iterator[Part]) -> Iterator[Part]:
        """The parts, with nothing in them of groups that were erased."""
        erased = self._unit.erased
        return (_blank(part, erased) for part in parts) if erased.digests else parts

    def _parts(self, part: FileRange | LiveRead | DumpRun) -> Iterator[Part]:
        """The rows of one file or fetch."""
        has_erased = self._has_bodies and bool(self._unit.erased.digests)
        own = (Tally(), self._accounts, has_erased, self._internal)
        writer = SliceWriter(part.segment, self._span, self._files, self._unit.read_at, *own)
        if isinstance(part, LiveRead):
            return read_live(part, self._fetcher, writer, self._errors.complaints)
        return read_dump_run(part) if isinstance(part, DumpRun) else self._read_file(part, writer)

    def _read_file(self, file_range: FileRange, writer: SliceWriter) -> Iterator[Part]:
        """The rows of a range; a file that can't be read is quarantined, a store that fails is reported.

        Either way the next run tries again: no row of raw.segments covers the range.
        """
        segment = file_range.segment
        try:
            with open_file(segment.location) as source:
                _refuse_another_file(file_range, source)
                yield from self._read_range(file_range, source, writer)
        except SourceError as error:
            self._record_error(error, segment, writer)

    def _record_error(self, error: SourceError, segment: SegmentFile, writer: SliceWriter) -> None:
        """Quarantine an unreadable file, or report its store; an unpacked file that can't be read fails the run.

        An archive counts as read when any of its files does, so none of them may be missing. A file that the broker had
        marked for deletion may vanish without a trouble.
        """
        if segment.copy is not None:
            raise WarehouseError(f"{error} (unpacked from {segment.path}); nothing of this run was kept") from error
        if isinstance(error, StoreError):
            self._errors.complaints.append(f"{error}; the next run reads the rest")
            return
        if isinstance(error, VanishedError) and segment.file_suffix is not None:
            return
        bad = Trouble(0, segment.size_bytes, None, "unreadable file", "a file that can be read", str(error), b"")
        writer.set_aside([quarantine_table([bad])])
        if not isinstance(error, VanishedError):
            self._errors.unreadable.append(str(error))

    def _read_range(self, file_range: FileRange, source: ByteSource, writer: SliceWriter) -> Iterator[Part]:
        """The rows of a range to its end, also if the file grew since the plan; adds the read's row of raw.segments."""
        digesting, writer.tally = DigestingSource(source, file_range.start_position), _initial_tally(file_range)
        order = OffsetOrder(file_range.segment.base_offset, source)
        for piece in walk(digesting, file_range.start_position, file_range.stop_position, bodies=self._has_bodies):
            parts = writer.take(piece, digesting, order)
            if self._has_bodies:
                digesting.digest_up_to(piece.end_position)
            yield from parts
        begin, end = self._reach(file_range, writer.tally.end_offset)
        blake3 = digesting.blake3 if self._has_bodies else _digest_of_damaged(source, writer.tally)
        writer.account("file", size_bytes=source.size_bytes, blake3=blake3, from_offset=begin, end_offset=end)

    def _reach(self, file_range: FileRange, last_offset_end: int | None) -> tuple[int, int | None]:
        """The first and the end offset of a range: at a cut, the cut's offset, even without a record there."""
        known = file_range.file.known
        if known is not None and file_range.is_continued:
            begin = file_range.segment.base_offset if known.end_offset is None else known.end_offset
            last_offset_end = known.end_offset if last_offset_end is None else last_offset_end
        else:
            begin = self._span.first_offset if file_range.start_position else file_range.segment.base_offset
        return begin, last_offset_end if file_range.stop_position is None else self._span.end_offset


def _blank(part: Part, erased: ErasedGroups) -> Part:
    """A part without what its rows and records say of erased groups."""
    records = None if part.records is None else erased.blank(part.records, OF_INTERNAL_RECORDS)
    return replace(part, rows=erased.blank(part.rows, OF_OFFSET_RECORDS), records=records)


def _lower_bound(part: FileRange | LiveRead | DumpRun) -> int:
    """An offset that no row is below: a file's base offset; a fetched batch may begin before the requested offset."""
    return part.segment.base_offset if isinstance(part, FileRange) else 0


def _initial_tally(file_range: FileRange) -> Tally:
    """A tally that begins with the known batches of the file, so that a file without new batches stays known."""
    start, known = file_range.start_position, file_range.file.known
    if known is None or not file_range.is_continued:
        return Tally(start, start)
    return Tally(
        start,
        start,
        is_continued=True,
        first_batch_crc=known.first_batch_crc,
        last_batch_position=known.last_batch_position,
        last_batch_crc=known.last_batch_crc,
    )


def _digest_of_damaged(source: ByteSource, tally: Tally) -> str | None:
    """The digest of a range with quarantined parts whose bodies were not read; None of a sound range."""
    return digest(source, tally.start_position, tally.end_position) if tally.quarantined_count else None


def _refuse_another_file(file_range: FileRange, source: ByteSource) -> None:
    """Raise if the log cleaner has replaced the file since the plan: positions of the old file no longer fit."""
    known, start = file_range.file.known, file_range.start_position
    if file_range.start_crc is not None:
        is_same = batch_crc(source, start) == file_range.start_crc
    else:
        is_same = known is None or known.begins(source)
    if not is_same:
        raise VanishedError(f"{source.path}: another file took its place while it was read; the next run reads that")
