"""What to do where the chain of batches breaks: which bytes are set aside, and where the walk goes on.

A batch with a wrong checksum costs itself when the next one follows it lawfully; otherwise everything up to the next
sound batch is one gap; what stands at the end of the file is told apart as a torn tail or as damage. Searching is in
`parsers.log.damage.resync`, walking in `parsers.log.segments`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from parsers.compiled import compiled
from parsers.layouts import batch_header as layout
from parsers.log.batches import (
    BROKEN,
    COUNT_AT,
    HEADER_BYTES,
    LARGEST_OFFSET,
    LAST_DELTA_AT,
    UNKNOWN,
    batch_bytes,
    computed_checksum,
    is_control,
    is_sound,
    last_offset,
    stored_checksum,
)
from parsers.log.damage.quarantine import QUOTED_BYTES, Trouble
from parsers.log.damage.resync import REACH_BYTES, Marks, marks, next_sound
from parsers.log.windows import Window, read_window
from parsers.words import ByteArray, Int64Array, big32, big64

if TYPE_CHECKING:
    from parsers.sources import ByteSource

WINDOW_BYTES: Final = 2 * REACH_BYTES
_SOUND, _DAMAGED = 0, 1
_SMALLEST_BATCH: Final = layout.SMALLEST_LENGTH[0] + layout.LENGTH_END


class Scope(NamedTuple):
    """Where a repair may look: at batches that begin before `stop`, in a file that ends at `file_end`."""

    stop: int
    file_end: int
    bodies: bool


@dataclass(frozen=True)
class Repair:
    """What was found from a broken place on: sound batches between troubles, and where the walk goes on."""

    starts: Int64Array
    troubles: tuple[Trouble, ...]
    end: int
    torn_bytes: int


def repair(source: ByteSource, place: Window, scope: Scope) -> tuple[Window, Repair]:
    """Read on from the start of `place`, where no sound batch stands; give the window that the repair is about."""
    size = int(batch_bytes(place.buffer, 0, len(place.buffer)))
    window = read_window(source, place.position, max(WINDOW_BYTES, size + HEADER_BYTES), place.file_end)
    if not window.buffer.any() and _is_zero_to_end(source, window):
        return window, _torn_tail(window)
    events, end = _mend(window.buffer, Scope(scope.stop, window.bytes_left, scope.bodies), marks(window.buffer))
    if end == 0:
        return window, _gap_or_tail(source, window)
    damaged = events[events[:, 2] == _DAMAGED]
    troubles = tuple(_trouble(window, int(start), int(stop)) for start, stop, _kind in damaged)
    return window, Repair(events[events[:, 2] == _SOUND, 0], troubles, int(end), 0)


@compiled
def _mend(buffer: ByteArray, scope: Scope, kinds: tuple[Marks, Marks]) -> tuple[Int64Array, int]:
    """Tell sound batches and damage apart, and give where more of the file must be seen."""
    events = np.empty((2 * (len(buffer) // _SMALLEST_BATCH) + 2, 3), np.int64)
    count, start, is_last = 0, 0, len(buffer) >= scope.file_end
    while start < scope.stop:
        size = batch_bytes(buffer, start, len(buffer))
        is_whole = size > 0 and start + size <= len(buffer)
        is_cut = size == UNKNOWN or (size > 0 and not is_whole and start + size <= scope.file_end)
        if size > 0 and _is_taken(buffer, start, size, scope):
            end, kind = start + size, _SOUND
        elif is_cut and not is_last:
            break
        else:
            end, kind = _damage_end(buffer, start, is_last, kinds), _DAMAGED
        if end < 0:
            break
        events[count, 0], events[count, 1], events[count, 2] = start, end, kind
        count, start = count + 1, end
    return events[:count], start


@compiled
def _is_taken(buffer: ByteArray, start: int, size: int, scope: Scope) -> bool:
    """Say whether a batch counts: with bodies when its checksum is right, without when the file is long enough."""
    if scope.bodies or is_control(buffer, start):
        is_whole = start + size <= len(buffer)
        return bool(is_whole and (not scope.bodies or is_sound(buffer, start, start + size)))
    return bool(start + size <= scope.file_end)


@compiled
def _damage_end(buffer: ByteArray, start: int, is_last: bool, kinds: tuple[Marks, Marks]) -> int:  # noqa: FBT001
    """Give where the damage at `start` ends, or -1 when this buffer does not tell."""
    size, end = batch_bytes(buffer, start, len(buffer)), len(buffer)
    if size > 0 and start + size <= end:
        if start + size + HEADER_BYTES > end and not is_last:
            return -1
        if _follows(buffer, start, start + size):
            return start + size
    next_start = next_sound(buffer, start + 1, end, kinds)
    if next_start < (end if is_last else end - REACH_BYTES):
        return next_start
    return -1


@compiled
def _follows(buffer: ByteArray, start: int, after: int) -> bool:
    """Say whether the batch header at `after` continues the offsets of the batch at `start`."""
    size = batch_bytes(buffer, after, len(buffer))
    return bool(size > 0 and big64(buffer, after) == last_offset(buffer, start) + 1)


def _gap_or_tail(source: ByteSource, window: Window) -> Repair:
    """Set aside what stands before the next sound batch, however far it is, or judge the tail of the file."""
    none = np.empty(0, np.int64)
    next_position = _next_sound_position(source, window.position + 1, window.file_end)
    if next_position is not None:
        return Repair(none, (_trouble(window, 0, next_position - window.position),), next_position - window.position, 0)
    size = int(batch_bytes(window.buffer, 0, len(window.buffer)))
    if size == UNKNOWN or size > window.bytes_left:
        return _torn_tail(window)
    end = max(_last_nonzero_position(source, window.file_end) + 1 - window.position, size)
    return Repair(none, (_trouble(window, 0, end),), end, window.bytes_left - end)


def _torn_tail(window: Window) -> Repair:
    return Repair(np.empty(0, np.int64), (), 0, window.bytes_left)


def _next_sound_position(source: ByteSource, position: int, file_end: int) -> int | None:
    """Find the next sound batch of the file, window by window; each begins with what the last could not decide."""
    while position < file_end:
        window = read_window(source, position, WINDOW_BYTES, file_end)
        decided = len(window.buffer) - (REACH_BYTES if window.end < window.file_end else 0)
        index = int(next_sound(window.buffer, 0, len(window.buffer), marks(window.buffer)))
        if index < decided:
            return position + index
        if window.end >= window.file_end:
            return None
        position += decided
    return None


def _is_zero_to_end(source: ByteSource, window: Window) -> bool:
    """Say whether the file holds nothing but zeros behind the window: the rest of a preallocated segment."""
    position = window.end
    while position < window.file_end:
        buffer = source.read(position, WINDOW_BYTES)
        if buffer.any():
            return False
        if not len(buffer):
            return True
        position += len(buffer)
    return True


def _last_nonzero_position(source: ByteSource, file_end: int) -> int:
    """Find the last byte of the file that is not zero, or -1."""
    while file_end > 0:
        start = max(0, file_end - WINDOW_BYTES)
        nonzero = np.flatnonzero(source.read(start, file_end - start))
        if len(nonzero):
            return start + int(nonzero[-1])
        file_end = start
    return -1


def _trouble(window: Window, start: int, end: int) -> Trouble:
    """Word what is wrong with the batch at `start` of the window, and give it its address."""
    buffer = window.buffer[start:]
    size = int(batch_bytes(buffer, 0, len(buffer)))
    if size == BROKEN:
        reason, expected, actual = _broken_field(buffer)
    elif size > window.bytes_left - start or size == UNKNOWN:
        actual = "a part of a header" if size == UNKNOWN else f"{size} bytes"
        reason, expected = "batch length", f"at most {window.bytes_left - start} bytes"
    else:
        reason, computed = "batch checksum", int(computed_checksum(buffer, 0, size))
        expected, actual = f"{int(stored_checksum(buffer, 0)):#010x}", f"{computed:#010x}"
    offset = int(big64(buffer, 0)) if size > 0 else None
    quote = buffer[: min(QUOTED_BYTES, end - start)].tobytes()
    return Trouble(window.position + start, end - start, offset, reason, expected, actual, quote)


def _broken_field(buffer: ByteArray) -> tuple[str, str, str]:
    """Name the first field of a header that no batch can have, what it may be, and what it is."""
    magic = int(np.int8(buffer[layout.MAGIC_AT]))
    length = int(big32(buffer, layout.LENGTH_AT))
    smallest = layout.SMALLEST_LENGTH.get(magic, 0)
    largest = layout.LARGEST_BATCH_BYTES - layout.LENGTH_END
    rules = (
        ("magic", magic in layout.SMALLEST_LENGTH, "0, 1 or 2", str(magic)),
        ("base offset", 0 <= big64(buffer, 0) <= LARGEST_OFFSET, f"0 to {LARGEST_OFFSET}", str(int(big64(buffer, 0)))),
        ("batch length", smallest <= length <= largest, f"{smallest} to {largest} bytes", f"{length} bytes"),
    )
    broken = [(reason, expected, actual) for reason, is_lawful, expected, actual in rules if not is_lawful]
    if broken:
        return broken[0]
    delta, count = (int(big32(buffer, at)) for at in (LAST_DELTA_AT, COUNT_AT))
    expected = "an offset delta and a record count of 0 or more, and offsets of 63 bits"
    return "batch counts", expected, f"offset delta {delta}, {count} records"
