"""A segment file, walked from start to end in slices: batches, records, and what could not be read.

Only the walk belongs here: where to read next and what one slice holds. Headers, bodies and repairs have their own
modules.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from parsers.log.batches import HEADER_BYTES, batch_bytes, chain, sound_chain
from parsers.log.bodies import read_bodies
from parsers.log.damage.quarantine import Trouble, quarantine_table
from parsers.log.damage.repair import Scope, repair
from parsers.log.headers import Headers, batch_table, read_headers
from parsers.log.markers import read_markers
from parsers.log.windows import Window, read_window

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from parsers.log.records import Records
    from parsers.sources import ByteSource
    from parsers.words import Int64Array

CHUNK_BYTES: Final = 8 << 20
# Without bodies, the walk goes from header to header with small reads where batches are at least so large.
SEEK_FROM_BYTES: Final = 1 << 20
SEEK_CHUNK_BYTES: Final = 64 << 10


@dataclass(frozen=True)
class Slice:
    """A stretch of whole batches (and of what could not be read between them), in the order of the file.

    The slices of a walk follow each other without a hole; `torn_bytes` is not 0 in the last one only.
    """

    start_position: int
    end_position: int
    batches: pa.RecordBatch
    records: Records | None
    quarantine: pa.RecordBatch
    torn_bytes: int


@dataclass(frozen=True)
class _Stretch:
    """What one step of the walk found in a window: batches, troubles, and how far it came."""

    window: Window
    starts: Int64Array
    troubles: tuple[Trouble, ...]
    end: int
    torn_bytes: int = 0
    wanted_bytes: int = CHUNK_BYTES


def walk(source: ByteSource, start: int = 0, stop: int | None = None, *, bodies: bool) -> Iterator[Slice]:
    """Walk the batches of a segment that begin in [start, stop), both of them batch boundaries.

    With `bodies` every checksum is checked and the records are found; without, only headers (and the small bodies of
    control batches) are looked at. There is always one slice at least.
    """
    position, wanted_bytes, file_end = start, CHUNK_BYTES, source.size_bytes
    torn_bytes, is_bare = 0, True
    while position < min(file_end, file_end if stop is None else stop) and not torn_bytes:
        window = read_window(source, position, wanted_bytes, file_end)
        scope = Scope((window.file_end if stop is None else stop) - position, window.bytes_left, bodies)
        stretch = _step(source, window, scope)
        for piece in _slices(stretch, bodies=bodies):
            is_bare = False
            yield piece
        position, file_end = position + stretch.end, stretch.window.file_end
        wanted_bytes, torn_bytes = stretch.wanted_bytes, stretch.torn_bytes
    if torn_bytes or is_bare:
        yield _bare_slice(position, torn_bytes, bodies=bodies)


def _step(source: ByteSource, window: Window, scope: Scope) -> _Stretch:
    """Take the sound batches at the start of the window; when there is none, see why."""
    bounds = (sound_chain if scope.bodies else chain)(window.buffer, scope.stop, scope.file_end)
    sound = len(bounds) - 1
    if sound:
        is_sparse = not scope.bodies and bounds[sound] >= sound * SEEK_FROM_BYTES
        wanted_bytes = SEEK_CHUNK_BYTES if is_sparse else CHUNK_BYTES
        return _Stretch(window, bounds[:sound], (), int(bounds[sound]), wanted_bytes=wanted_bytes)
    size = int(batch_bytes(window.buffer, 0, len(window.buffer)))
    if len(window.buffer) < size <= window.bytes_left:
        return _Stretch(window, bounds[:0], (), 0, wanted_bytes=size + HEADER_BYTES)
    mended_window, mended = repair(source, window, scope)
    return _Stretch(mended_window, mended.starts, mended.troubles, mended.end, mended.torn_bytes)


def _slices(stretch: _Stretch, *, bodies: bool) -> Iterator[Slice]:
    """Cut a stretch into slices that memory allows."""
    headers, begin = read_headers(stretch.window.buffer, stretch.starts), 0
    while begin < stretch.end:
        body = read_bodies(stretch.window, headers.take(slice(_batches_in_chunk(headers)))) if bodies else None
        taken = body.headers if body else headers
        headers = headers.take(slice(len(taken), None))
        end = int(headers.starts[0]) if len(headers) else stretch.end
        low, high = begin + stretch.window.position, end + stretch.window.position
        troubles = [trouble for trouble in stretch.troubles if low <= trouble.position < high]
        yield Slice(
            start_position=low,
            end_position=high,
            batches=batch_table(
                taken, taken.starts + stretch.window.position, read_markers(stretch.window.buffer, taken)
            ),
            records=body.records if body else None,
            quarantine=quarantine_table([*troubles, *(body.troubles if body else ())]),
            torn_bytes=0,
        )
        begin = end


def _batches_in_chunk(headers: Headers) -> int:
    """Give how many batches fit into a chunk, one at least: a repair sees more of the file than one slice may hold."""
    ends = np.cumsum(headers.size_bytes)
    return max(1, int(np.searchsorted(ends, CHUNK_BYTES, side="right")))


def _bare_slice(position: int, torn_bytes: int, *, bodies: bool) -> Slice:
    """Give a slice without batches: the end of a walk that found nothing more."""
    nothing = Window(np.empty(0, np.uint8), position, position)
    headers = read_headers(nothing.buffer, np.empty(0, np.int64))
    batches = batch_table(headers, headers.starts, read_markers(nothing.buffer, headers))
    records = read_bodies(nothing, headers).records if bodies else None
    return Slice(position, position, batches, records, quarantine_table(()), torn_bytes)
