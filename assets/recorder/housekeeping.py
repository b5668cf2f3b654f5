"""Which of the recorded files go, by age and by size: whole old segments, and samples as old as they.

Put here what is deleted. Nothing is, unless the recorder was told to.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assets.recorder.durable import sync_folder
from assets.recorder.segments import ASIDE, SUFFIX, closed_segment
from parsers.files.samples import sample_paths

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from assets.recorder.directory import RecordDirectory
    from assets.recorder.segments import ClosedSegment


@dataclass(frozen=True, slots=True)
class Retention:
    """How long, and how much at most, is kept; None for everything."""

    keep_s: float | None = None
    keep_bytes: int | None = None


def delete_old(directory: RecordDirectory, retention: Retention) -> int:
    """Delete what is to be kept no longer, oldest first; gives how many files that were."""
    if retention.keep_s is None and retention.keep_bytes is None:
        return 0
    closed = [*directory.closed_segments(), *_closed_samples(directory.path), *_out_of_use(directory.path)]
    files = sorted(closed, key=lambda one: one.modified_s)
    excess = _size_bytes(directory.path) - retention.keep_bytes if retention.keep_bytes is not None else 0
    deleted = 0
    for file in files:
        is_old = retention.keep_s is not None and time.time() - file.modified_s > retention.keep_s
        if not is_old and excess <= 0:
            break
        file.path.unlink()
        sync_folder(file.path.parent)
        excess, deleted = excess - file.size_bytes, deleted + 1
    if deleted:
        directory.write_log_starts()
    return deleted


def _closed_samples(path: Path) -> Iterator[ClosedSegment]:
    """The files of samples but for the newest, which is written."""
    yield from map(closed_segment, sample_paths(path)[:-1])


def _out_of_use(path: Path) -> Iterator[ClosedSegment]:
    """Segments that were set aside, and those of topics that were deleted."""
    for pattern in (f"{ASIDE}-*/*/*{SUFFIX}", f"*-delete/*{SUFFIX}"):
        yield from map(closed_segment, path.glob(pattern))


def _size_bytes(path: Path) -> int:
    return sum(closed_segment(one).size_bytes for one in path.rglob("*") if one.is_file())
