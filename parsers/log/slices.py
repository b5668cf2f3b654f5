"""A segment cut at batch boundaries, so that several workers read one file.

Only the choice of boundaries belongs here; each stretch is read by `parsers.log.segments.walk`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from parsers.errors import SourceError
from parsers.log.batches import HEADER_BYTES, batch_bytes, is_sound, last_offset, stored_checksum
from parsers.log.index_files import offset_index
from parsers.sources import read_file
from parsers.words import big64

if TYPE_CHECKING:
    from parsers.sources import ByteSource
    from parsers.words import ByteArray

LARGEST_INDEX_BYTES: Final = 64 << 20
MOST_STEPS: Final = 4096
"""From an indexed batch to the wanted one it is a few steps; without an index a large file is not gone through."""


class Boundary(NamedTuple):
    """Where a batch begins: its position, base offset and checksum."""

    position: int
    offset: int
    crc: int | None


def split_segment(source: ByteSource, index: bytes | None, target_bytes: int) -> list[tuple[int, int]]:
    """Cut a segment into stretches [start, stop) of about `target_bytes`, at positions that its .index names.

    An index may be stale or damaged: a position counts only if a sound batch begins there. Walking the stretches one
    by one, with bodies, gives the rows of walking the file; without an index the file is one stretch. (Without bodies
    a batch that lost some of its bytes is believed, and the next stretch begins in what it claims.)
    """
    cuts = [0, *(one.position for one in boundaries(source, index, 0, target_bytes))]
    return list(zip(cuts, [*cuts[1:], source.size_bytes], strict=True))


def boundaries(source: ByteSource, index: bytes | None, start: int, apart_bytes: int) -> list[Boundary]:
    """Sound batches behind `start` that the index names, at least `apart_bytes` from each other."""
    edges: list[Boundary] = []
    for position in _index_entries(index)[1].tolist():
        is_due = position - (edges[-1].position if edges else start) >= apart_bytes
        if is_due and position < source.size_bytes and _begins_batch(source, position):
            edges.append(_boundary(source.read(position, HEADER_BYTES), position))
    return edges


def boundary_at(source: ByteSource, index: bytes | None, base_offset: int, offset: int) -> Boundary | None:
    """Where the first batch at or after an offset begins, or the end of the file when there is none.

    None when the file can't be cut there: a batch lies across the offset, the next one contradicts it, the way there is
    broken, or it is too far.
    """
    position = position_before(source, index, base_offset, offset)
    for _step in range(MOST_STEPS):
        if position >= source.size_bytes:
            return Boundary(source.size_bytes, offset, None)
        head = source.read(position, HEADER_BYTES)
        size = int(batch_bytes(head, 0, len(head)))
        if size <= 0:
            return None
        if last_offset(head, 0) >= offset:
            here = _boundary(head, position)
            return here if here.offset >= offset and _is_followed(source, head, position + size) else None
        position += size
    return None


def position_before(source: ByteSource, index: bytes | None, base_offset: int, offset: int) -> int:
    """Where the last sound batch begins that the index names below an offset; 0 without one."""
    relative, positions = _index_entries(index)
    before = positions[: int(np.searchsorted(relative, offset - base_offset))]
    return next((one for one in before[:-3:-1].tolist() if _begins_batch(source, one)), 0)


def index_beside(segment_path: str) -> bytes | None:
    """The .index beside a segment; None when there is none that can be read, and the segment is not to be cut."""
    try:
        return read_file(_index_of(segment_path), LARGEST_INDEX_BYTES)
    except SourceError:
        return None


def _index_of(segment_path: str) -> str:
    """The path of the .index beside a segment; both have the same suffix while the broker is about to change them."""
    stem, _log, suffix = segment_path.rpartition(".log")
    return f"{stem}.index{suffix}"


def _index_entries(index: bytes | None) -> tuple[np.ndarray, np.ndarray]:
    """Relative offsets and positions of the index; none without one."""
    table = offset_index(index or b"", 0)
    return table["offset"].to_numpy(), table["position"].to_numpy()


def _boundary(head: ByteArray, position: int) -> Boundary:
    return Boundary(position, int(big64(head, 0)), int(stored_checksum(head, 0)))


def _is_followed(source: ByteSource, head: ByteArray, following_position: int) -> bool:
    """Say whether the batch behind one goes on above its offsets, if there is any."""
    following = source.read(following_position, HEADER_BYTES)
    size = int(batch_bytes(following, 0, len(following)))
    return size <= 0 or int(big64(following, 0)) > last_offset(head, 0)


def _begins_batch(source: ByteSource, position: int) -> bool:
    """Say whether a whole batch with the right checksum begins at a position of the file."""
    head = source.read(position, HEADER_BYTES)
    size = int(batch_bytes(head, 0, len(head)))
    if size <= 0 or position + size > source.size_bytes:
        return False
    batch = source.read(position, size)
    return len(batch) == size and bool(is_sound(batch, 0, size))
