"""The segment files of one partition, as the recorder writes them: appended, rolled, flushed, cut, found again.

Put here what happens to the files of one partition. Which bytes come is decided in `assets.recorder.follower`, where
the folder is in `assets.recorder.directory`.
"""

from __future__ import annotations

import os
import shutil
import time
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Final

import numpy as np

from assets.recorder.durable import sync_folder
from assets.recorder.scanning import columns, first_time_s, header_at, scan

if TYPE_CHECKING:
    from pathlib import Path

    from assets.recorder.scanning import Columns, LogCut, SoundEnd
    from parsers.words import ByteArray, Int64Array

SUFFIX: Final = ".log"
ASIDE: Final = "set-aside"
"""How the folders of copies begin: of logs that a leader contradicts, and of segments with damage."""
BLOCK_BYTES: Final = 512
"""What a system counts blocks in, whatever a disk's are."""
SEGMENT_OFFSETS: Final = (1 << 31) - 1
"""Offsets after its base that a segment may hold: Kafka's indexes count them in 32 bits."""


@dataclass(frozen=True, slots=True)
class Rolling:
    """When a segment is closed and the next one begun."""

    segment_bytes: int
    segment_s: float


@dataclass(frozen=True, slots=True)
class AppendResult:
    """What an append brought: records, bytes, and the offsets that the log no longer had."""

    records: int
    size_bytes: int
    gap_from: int | None = None
    gap_to: int | None = None
    gap_offsets: int = 0


@dataclass(frozen=True, slots=True)
class ClosedSegment:
    """A closed segment, with the time of its last append."""

    path: Path
    size_bytes: int
    modified_s: float


def closed_segment(path: Path) -> ClosedSegment:
    """A closed file; one with holes is as large as what it takes on disk."""
    stat = path.stat()
    return ClosedSegment(path, min(stat.st_size, stat.st_blocks * BLOCK_BYTES), stat.st_mtime)


class PartitionLog:
    """The recorded log of one partition, open for appending."""

    def __init__(self, folder: Path, rolling: Rolling) -> None:
        """Find the end of what is recorded; a damaged end is copied aside before it is cut off."""
        self.folder, self._rolling = folder, rolling
        self._descriptor: int | None = None
        self._is_dirty = False
        self.base_offset, self.size_bytes, self.end_offset = 0, 0, 0
        self._expected = 0
        """The offset after all that is recorded: where a segment begins later, what lies between was not there."""
        self.last_epoch: int | None = None
        self.bytes_cut = 0
        self.is_begun = False
        self._resume_last()

    @property
    def start_offset(self) -> int:
        """The base offset of the first segment."""
        return min(self._bases(), default=self.base_offset)

    def begin(self, offset: int) -> None:
        """Begin a segment at an offset; what is recorded before stays in its own files."""
        self._expected = self._expected if self.is_begun else offset
        self._close()
        self._open(offset)
        self.size_bytes, self.end_offset, self.last_epoch = 0, offset, None
        self.is_begun, self._is_dirty = True, True

    def append(self, buffer: ByteArray, bounds: Int64Array) -> AppendResult:
        """Append the batches between `bounds`, leaving out those that are recorded already."""
        headers = columns(buffer, bounds[:-1])
        first_new = int(np.searchsorted(headers.last, self.end_offset))
        new = headers.since(first_new)
        if not len(new.last):
            return AppendResult(0, 0)
        size_bytes = int(bounds[-1] - bounds[first_new])
        self._make_room(size_bytes, int(new.first[0]), int(new.last[-1]))
        self._write_batches(buffer, bounds[first_new:], new)
        appended = self._append_result(new, size_bytes)
        self.end_offset, self.last_epoch = int(new.last[-1]) + 1, _known_epoch(int(new.epoch[-1]))
        self._expected = self.end_offset
        return appended

    def sync(self) -> bool:
        """Have what was appended on disk; gives whether there was anything."""
        if not self._is_dirty or self._descriptor is None:
            return False
        os.fdatasync(self._descriptor)
        self._is_dirty = False
        return True

    def cut(self, cut: LogCut) -> int:
        """Take out what is recorded behind a cut, after it was copied aside.

        Gives the number of offsets that were taken out.
        """
        before, begin = self.end_offset, cut.offset
        self._close()
        for base in reversed(self._bases()):
            path, begin = self._path(base), min(begin, base)
            scan = self._scan(path, cut)
            if scan.end_position < scan.size_bytes:
                self._copy_aside(path)
                self._truncate(path, scan.end_position)
            if scan.last_position is not None:
                break
            path.unlink()
        sync_folder(self.folder)
        self.is_begun = False
        self._resume_last()
        if not self.is_begun:
            self.begin(begin)
        return before - self.end_offset

    def closed_segments(self) -> list[ClosedSegment]:
        """The segments before the one that is appended to, oldest first."""
        paths = (self._path(base) for base in self._bases()[:-1])
        return [closed_segment(path) for path in paths]

    def close(self) -> None:
        """Flush and let go of the file."""
        self._close()

    def _resume_last(self) -> None:
        """Go on in the last segment, if there is one; in an empty one it shows what was recorded before it."""
        bases = self._bases()
        if bases:
            self._resume(bases[-1])
            self._expected = self.end_offset
        if len(bases) > 1 and not self.size_bytes:
            before = self._scan(self._path(bases[-2])).last_position
            self._expected = bases[-2] if before is None else _end(self._path(bases[-2]), before)

    def _resume(self, base: int) -> None:
        """Go on behind the last whole batch of a segment; an end that is torn is cut off."""
        path = self._path(base)
        scan = self._scan(path)
        self.bytes_cut = scan.size_bytes - scan.end_position
        if self.bytes_cut:
            if not scan.is_torn:
                self._copy_aside(path)
            self._truncate(path, scan.end_position)
        self.end_offset, self.last_epoch = base, None
        if scan.last_position is not None:
            last = header_at(path, scan.last_position)
            self.end_offset, self.last_epoch = int(last.last[0]) + 1, _known_epoch(int(last.epoch[0]))
        self._open(base)
        self.size_bytes, self.is_begun = scan.end_position, True

    def _make_room(self, size_bytes: int, first: int, last: int) -> None:
        """Close the segment if it would become too large or is too old, and name an empty one by its first batch."""
        if not self.size_bytes:
            if first < self.base_offset:
                self._rename(first)
            return
        age_s = time.time() - self._begun_at
        is_full = self.size_bytes + size_bytes > self._rolling.segment_bytes
        if is_full or age_s > self._rolling.segment_s or last - self.base_offset > SEGMENT_OFFSETS:
            end, epoch = self.end_offset, self.last_epoch
            self.begin(end)
            self.last_epoch = epoch

    def _write_batches(self, buffer: ByteArray, bounds: Int64Array, new: Columns) -> None:  # noqa: ARG002 - headers alone need it
        """Write behind the last whole batch; what was written by half is taken back."""
        position, content = self.size_bytes, buffer[int(bounds[0]) : int(bounds[-1])]
        try:
            while len(content):
                written = os.pwrite(self._open_descriptor, content.data, position)
                content, position = content[written:], position + written
        except OSError:
            os.ftruncate(self._open_descriptor, self.size_bytes)
            raise
        self.size_bytes, self._is_dirty = position, True

    def _scan(self, path: Path, cut: LogCut | None = None) -> SoundEnd:
        """How far a segment is sound."""
        return scan(path, cut)

    def _append_result(self, new: Columns, size_bytes: int) -> AppendResult:
        """Compare what came with the offsets that it covers: the rest is in the log no longer."""
        records, begin = int(new.count.sum()), min(self._expected, int(new.first[0]))
        missing = int(new.last[-1]) + 1 - begin - records
        if missing <= 0:
            return AppendResult(records, size_bytes)
        before = np.concatenate([np.array([begin], np.int64), new.last[:-1] + 1])
        is_thin = new.count < new.last - new.first + 1
        rows = np.flatnonzero((new.first > before) | is_thin)
        gap_to = np.where(is_thin, new.last + 1, new.first)[rows[-1]]
        return AppendResult(records, size_bytes, int(before[rows[0]]), int(gap_to), missing)

    @property
    def _open_descriptor(self) -> int:
        if self._descriptor is None:
            raise ValueError(f"{self.folder}: the log is closed")
        return self._descriptor

    def _open(self, base: int) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self._path(base)
        is_new = not path.exists()
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o640)
        self.base_offset, self._begun_at = base, first_time_s(path) or time.time()
        if is_new:
            sync_folder(self.folder)

    def _rename(self, base: int) -> None:
        self._path(self.base_offset).rename(self._path(base))
        self.base_offset = base
        sync_folder(self.folder)

    def _close(self) -> None:
        if self._descriptor is not None:
            self.sync()
            os.close(self._descriptor)
            self._descriptor = None

    def _copy_aside(self, path: Path) -> None:
        """Copy a segment to a folder of its own, where `lagbook run` reads it as one more copy of the log."""
        name = f"{ASIDE}-{datetime.now(timezone.utc):%Y%m%dT%H%M%S.%fZ}"
        target = self.folder.parent / name / self.folder.name
        target.mkdir(parents=True)
        shutil.copy2(path, target / path.name)
        with (target / path.name).open("rb") as copy:
            os.fsync(copy.fileno())
        for folder in (target, target.parent, self.folder.parent):
            sync_folder(folder)

    def _bases(self) -> list[int]:
        names = (path.name.removesuffix(SUFFIX) for path in self.folder.glob(f"*{SUFFIX}"))
        return sorted(int(name) for name in names if len(name) == len(_name(0)) and name.isdecimal())

    def _path(self, base: int) -> Path:
        return self.folder / f"{_name(base)}{SUFFIX}"

    @staticmethod
    def _truncate(path: Path, size_bytes: int) -> None:
        with path.open("r+b") as file:
            file.truncate(size_bytes)
            os.fsync(file.fileno())


def _name(base: int) -> str:
    """A segment's name: its base offset in twenty digits."""
    return f"{base:020d}"


def _end(path: Path, position: int) -> int:
    """The offset after the batch at a position."""
    return int(header_at(path, position).last[0]) + 1


def _known_epoch(epoch: int) -> int | None:
    return None if epoch < 0 else epoch
