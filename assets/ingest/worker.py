"""What a worker does with its share of a run: read ranges of logs, keep what the archive has not got, write Parquet.

Put here what runs in a Spark task, and how a file is read. How a running cluster is read belongs in
`assets.ingest.live.reading`, what is read in which task is decided in `assets.ingest.ingest`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from assets.catalog import TABLES
from assets.ingest.copies import Stream, side_by_side
from assets.ingest.dedupe import Kept, identity_of
from assets.ingest.digesting_source import Witness, digest
from assets.ingest.dumps.dump_runs import read_told
from assets.ingest.live.reading import Fetcher, read_live
from assets.ingest.read_history import batch_crc
from assets.ingest.slice_writer import Keeping, Tally
from assets.ingest.work_units import LiveRead, Stretch, ToldRun
from assets.storage.parquet_files import TableFiles
from parsers.errors import SourceError, StoreError, VanishedError, WarehouseError
from parsers.log.damage.quarantine import Trouble, quarantine_table
from parsers.log.order import OffsetOrder
from parsers.log.segments import walk
from parsers.sources import open_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assets.ingest.copies import Part
    from assets.ingest.dedupe import Sifted
    from assets.ingest.work_units import OffsetRange, Share
    from assets.storage.data_files import DataFile
    from parsers.files.discovery import SegmentFile
    from parsers.sources import ByteSource


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a share: the files that were written, and what of the share could not be read to its end.

    A file that can't be read is a row of quarantine and holds up nothing that is made of the others; but for one that
    is gone, or is another now, the run has to say so. A store that doesn't answer says nothing about its files: the
    run has to fail over that.
    """

    files: tuple[tuple[str, DataFile], ...]
    complaints: tuple[str, ...]
    """Of stores that don't answer."""
    unreadable: tuple[str, ...]
    """Of files that are there and can't be read."""


def read_share(share: Share, name: str) -> Outcome:
    """Read every range of the share into files of this name."""
    heard = _Heard()
    with TableFiles(share.folders, name) as files, Fetcher() as fetcher:
        for span, archived in share.ranges:
            _RangeReader(span, share, files, fetcher, heard).read(archived)
    return Outcome(tuple(files.written()), tuple(heard.complaints), tuple(heard.unreadable))


@dataclass(frozen=True, slots=True)
class _Heard:
    """What could not be read, as it comes to be known."""

    complaints: list[str] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)


class _RangeReader:
    """One range of a log, read in all its copies."""

    def __init__(self, span: OffsetRange, share: Share, files: TableFiles, fetcher: Fetcher, heard: _Heard) -> None:
        self._span, self._share, self._files, self._fetcher, self._heard = span, share, files, fetcher, heard
        self._is_offsets_topic = span.segment.is_offsets_topic
        self._identity = identity_of(span.segment)
        self._accounts: list[dict[str, Any]] = []
        self._shared, self._diverged = Counter[str](), Counter[str]()

    def read(self, archived: Sequence[str]) -> None:
        """Read all copies side by side, and write what of them is new."""
        kept = Kept(self._identity, self._identity.belongs(self._span.segment), archived)
        for parts in side_by_side(self._streams()):
            for sifted in kept.sift(parts):
                self._write(sifted)
        self._account()

    def _account(self) -> None:
        """Remember the reads, each with how much of it was known, and how much of that it contradicts."""
        rows = [
            {**row, "shared_count": self._shared[row["path"]], "diverged_count": self._diverged[row["path"]]}
            for row in self._accounts
        ]
        self._files.write("raw.segments", pa.RecordBatch.from_pylist(rows, schema=TABLES["raw.segments"].schema))

    def _write(self, sifted: Sifted) -> None:
        segment = sifted.part.segment
        self._shared[segment.path] += sifted.shared_count
        self._diverged[segment.path] += sifted.diverged.num_rows
        place = self._identity.place(segment)
        self._files.write(self._identity.table, sifted.new, place)
        told = {"broker_id": segment.broker_id, "path": segment.path, "read_at": self._share.read_at}
        self._files.write(self._identity.diverged, sifted.diverged, {**place, **told})

    def _streams(self) -> list[Stream]:
        """The rows of each file and fetch, in the order in which they count where they contradict.

        A log counts before what dumps tell of it, a segment in use before one that is going, the nearest name first.
        """
        parts = [part for copy in self._span.copies for part in reversed(copy)]
        parts.sort(key=lambda part: (isinstance(part, ToldRun), part.segment.file_suffix is not None))
        return [Stream(_begins(part), self._parts(part)) for part in parts]

    def _parts(self, part: Stretch | LiveRead | ToldRun) -> Iterator[Part]:
        """The rows of one file or fetch."""
        keeping = Keeping(part.segment, self._span, self._files, self._share.read_at, Tally(), self._accounts)
        if isinstance(part, LiveRead):
            return read_live(part, self._fetcher, keeping, self._heard.complaints)
        return read_told(part) if isinstance(part, ToldRun) else self._of_file(part, keeping)

    def _of_file(self, stretch: Stretch, keeping: Keeping) -> Iterator[Part]:
        """The rows of a stretch; a file that can't be read is set aside, a store that fails complained of.

        Either way the next run tries again: nothing accounts for the stretch.
        """
        segment = stretch.segment
        try:
            with open_file(segment.location) as source:
                _refuse_another_file(stretch, source)
                yield from self._of_stretch(stretch, source, keeping)
        except SourceError as error:
            self._take(error, segment, keeping)

    def _take(self, error: SourceError, segment: SegmentFile, keeping: Keeping) -> None:
        """Set a file aside or complain of its store; what the run itself unpacked is no file of its own.

        An archive counts as read when any of its files does, so that none of them may be lacking. That a file goes
        which the broker was about to remove is no trouble.
        """
        if segment.copy is not None:
            raise WarehouseError(f"{error} (unpacked from {segment.path}); nothing of this run was kept") from error
        if isinstance(error, StoreError):
            self._heard.complaints.append(f"{error}; the next run reads the rest")
            return
        if isinstance(error, VanishedError) and segment.file_suffix is not None:
            return
        bad = Trouble(0, segment.size_bytes, None, "unreadable file", "a file that can be read", str(error), b"")
        keeping.set_aside([quarantine_table([bad])])
        if not isinstance(error, VanishedError):
            self._heard.unreadable.append(str(error))

    def _of_stretch(self, stretch: Stretch, source: ByteSource, keeping: Keeping) -> Iterator[Part]:
        """Read a stretch to its end, also when the file grew since the plan, and say what it held."""
        witness, keeping.tally = Witness(source, stretch.start_position), _begun(stretch)
        order = OffsetOrder(stretch.segment.base_offset, source)
        for piece in walk(witness, stretch.start_position, stretch.stop_position, bodies=self._is_offsets_topic):
            parts = keeping.take(piece, witness, order)
            if self._is_offsets_topic:
                witness.see(piece.end_position)
            yield from parts
        begin, end = self._reach(stretch, keeping.tally.end_offset)
        blake3 = witness.blake3 if self._is_offsets_topic else _digest_of_damaged(source, keeping.tally)
        keeping.account("file", size_bytes=source.size_bytes, blake3=blake3, from_offset=begin, end_offset=end)

    def _reach(self, stretch: Stretch, seen_to: int | None) -> tuple[int, int | None]:
        """From which offset to which a stretch was read: where it was cut, the cut says so; nothing may stand there."""
        known = stretch.file.known
        if known is not None and stretch.is_continued:
            begin = stretch.segment.base_offset if known.end_offset is None else known.end_offset
            seen_to = known.end_offset if seen_to is None else seen_to
        else:
            begin = self._span.first_offset if stretch.start_position else stretch.segment.base_offset
        return begin, seen_to if stretch.stop_position is None else self._span.end_offset


def _begins(part: Stretch | LiveRead | ToldRun) -> int:
    """An offset that no row is below: a file's name; what a broker gives may begin before what it was asked for."""
    return part.segment.base_offset if isinstance(part, Stretch) else 0


def _begun(stretch: Stretch) -> Tally:
    """A tally that begins with what is known of the file: it is how a file without news stays known."""
    start, known = stretch.start_position, stretch.file.known
    if known is None or not stretch.is_continued:
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
    """A stretch of which only headers were read is digested where it was damaged: by that the damage is known again."""
    return digest(source, tally.start_position, tally.end_position) if tally.quarantined_count else None


def _refuse_another_file(stretch: Stretch, source: ByteSource) -> None:
    """The cleaner may have put another file there since the stretch was planned: its positions mean nothing now."""
    known, start = stretch.file.known, stretch.start_position
    if stretch.start_crc is not None:
        is_same = batch_crc(source, start) == stretch.start_crc
    else:
        is_same = known is None or known.begins(source)
    if not is_same:
        raise VanishedError(f"{source.path}: another file took its place while it was read; the next run reads that")
