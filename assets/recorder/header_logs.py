"""The log of a data topic's partition of which only the headers of batches are recorded, in files full of holes.

Such a segment is as long as the broker's, and has its batches where the broker has them, but the bodies were never
written, so they take no room on disk. `lagbook run` reads of data topics only headers. Put here what is written all
the same: what a run may want to look into.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from assets.recorder.scanning import scan_headers
from assets.recorder.segments import PartitionLog
from parsers.log.batches import HEADER_BYTES, is_control

if TYPE_CHECKING:
    from pathlib import Path

    from assets.recorder.scanning import Columns, LogCut, SoundEnd
    from assets.recorder.segments import Rolling
    from parsers.words import ByteArray, Int64Array


class HeaderLog(PartitionLog):
    """The recorded headers of one partition, open for appending."""

    def __init__(self, folder: Path, rolling: Rolling) -> None:
        """Find the end of what is recorded."""
        self._last_batch: tuple[int, bytes] | None = None
        super().__init__(folder, rolling)

    def begin(self, offset: int) -> None:
        """Begin a segment at an offset."""
        self._last_batch = None
        super().begin(offset)

    def _write_batches(self, buffer: ByteArray, bounds: Int64Array, new: Columns) -> None:
        """Write headers; whole batches where they are markers, of an old format, or beside a gap in the offsets."""
        position, start = self.size_bytes, int(bounds[0])
        before = np.concatenate([np.array([self._expected], np.int64), new.last[:-1] + 1])
        is_behind = (new.first != before) & (np.arange(len(before)) + self.size_bytes > 0)
        is_gap_free = is_behind | np.append(is_behind[1:], np.False_) | (new.epoch < 0)
        try:
            if is_behind[0] and self._last_batch is not None:
                os.pwrite(self._open_descriptor, self._last_batch[1], self._last_batch[0])
            for row, (begin, end) in enumerate(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)):
                whole = is_gap_free[row] or is_control(buffer, begin)
                stop = end if whole else begin + HEADER_BYTES
                os.pwrite(self._open_descriptor, buffer[begin:stop].data, position + begin - start)
            os.ftruncate(self._open_descriptor, position + int(bounds[-1]) - start)
        except OSError:
            os.ftruncate(self._open_descriptor, self.size_bytes)
            raise
        self._last_batch = position + int(bounds[-2]) - start, buffer[int(bounds[-2]) : int(bounds[-1])].tobytes()
        self.size_bytes, self._is_dirty = position + int(bounds[-1]) - start, True

    def _make_room(self, size_bytes: int, first: int, last: int) -> None:
        """Begin a new segment also behind a gap before which only a header is left, which nobody could believe."""
        if self.size_bytes and first != self._expected and self._last_batch is None:
            self.begin(self.end_offset)
        super()._make_room(size_bytes, first, last)

    def _scan(self, path: Path, cut: LogCut | None = None) -> SoundEnd:
        return scan_headers(path, cut)
