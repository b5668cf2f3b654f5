"""Partitions cut into ranges of offsets: several workers share one, and one of them sees all copies of a record.

Put here where the cuts are. `assets.ingest.ingest` decides which partitions are cut, `assets.ingest.worker` reads.
"""

from __future__ import annotations

from itertools import chain, pairwise
from typing import TYPE_CHECKING

from assets.ingest.work_units import NO_END, FileRange, OffsetRange, Unread
from parsers.errors import SourceError
from parsers.log.slices import Boundary, boundaries, boundary_at, index_beside
from parsers.sources import open_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


Copies = tuple[tuple[Unread, ...], ...]
Place = tuple[str, str, int]


def whole(place: Place, copies: Copies) -> OffsetRange:
    """The partition in one piece."""
    uncut = tuple(tuple(FileRange(file, file.start_position, None, None) for file in copy) for copy in copies)
    return OffsetRange(*place, 0, NO_END, uncut)


def cut_ranges(place: Place, copies: Copies, range_bytes: int) -> list[OffsetRange]:
    """Cut a partition along its largest copy, the others at the same offsets; in one piece where one can't be cut."""
    leading = max(copies, key=lambda copy: sum(file.size_bytes for file in copy))
    offsets = list(_cut_offsets(leading, range_bytes))
    pieces = [_cut_copy(copy, offsets) for copy in copies] if offsets else [None]
    cut_copies = [copy for copy in pieces if copy is not None]
    if len(cut_copies) < len(pieces):
        return [whole(place, copies)]
    bounds = pairwise([0, *offsets, NO_END])
    ranges = zip(bounds, zip(*cut_copies, strict=True), strict=True)
    return [OffsetRange(*place, first, end, tuple(filter(None, parts))) for (first, end), parts in ranges if any(parts)]


def _cut_offsets(copy: Sequence[Unread], range_bytes: int) -> Iterator[int]:
    """The offsets at which a new range begins."""
    gathered, last = 0, 0
    for offset, size_bytes in chain.from_iterable(_pieces(file, range_bytes) for file in copy):
        if gathered >= range_bytes and offset > last:
            gathered, last = 0, offset
            yield offset
        gathered += size_bytes


def _pieces(file: Unread, range_bytes: int) -> Iterator[tuple[int, int]]:
    """The first offset and the size of each piece of the file; a range begins with none that begins at offset 0."""
    begin = Boundary(file.start_position, file.segment.base_offset if file.known is None else 0, None)
    end = Boundary(file.segment.size_bytes, 0, None)
    for here, following in pairwise([begin, *_boundaries(file, range_bytes), end]):
        yield here.offset, following.position - here.position


def _boundaries(file: Unread, range_bytes: int) -> list[Boundary]:
    """Batches inside a large file at which it may be cut; none if it can't be opened, which its reader reports."""
    if file.size_bytes <= range_bytes:
        return []
    try:
        with open_file(file.segment.location) as source:
            return boundaries(source, index_beside(file.segment.location), file.start_position, range_bytes)
    except SourceError:
        return []


def _cut_copy(copy: Sequence[Unread], offsets: Sequence[int]) -> list[tuple[FileRange, ...]] | None:
    """The stretches of each range, one range more than offsets; None when one of the files can't be cut."""
    file_cuts = [_cut_file(file, offsets) for file in copy]
    cut_files = [file for file in file_cuts if file is not None]
    if len(cut_files) < len(file_cuts):
        return None
    return [tuple(part for part in parts if part is not None) for parts in zip(*cut_files, strict=True)]


def _cut_file(file: Unread, offsets: Sequence[int]) -> list[FileRange | None] | None:
    """The stretch of the file in each range (None: it has none there), or None when it can't be cut so."""
    if not file.size_bytes:
        return [FileRange(file, file.start_position, None, None), *(None for _offset in offsets)]
    try:
        positions = _cut_positions(file, [offset for offset in offsets if file.segment.base_offset < offset])
    except SourceError:
        return None
    if positions is None:
        return None
    end = Boundary(file.segment.size_bytes, 0, None)
    begin = Boundary(file.start_position, 0, None)
    bounds = [positions.get(one) or (begin if one <= file.segment.base_offset else end) for one in offsets]
    return [_file_range(file, here, following) for here, following in pairwise([begin, *bounds, end])]


def _cut_positions(file: Unread, offsets: Sequence[int]) -> dict[int, Boundary] | None:
    """The position of the first batch at or after each of these offsets, as far as the file reaches.

    Only the file tells how far: during a cleaning a segment may reach beyond the next one's base offset. None if the
    file can't be cut at one of them.
    """
    positions: dict[int, Boundary] = {}
    if not offsets:
        return positions
    with open_file(file.segment.location) as source:
        index = index_beside(file.segment.location)
        for offset in offsets:
            here = boundary_at(source, index, file.segment.base_offset, offset)
            if here is None:
                return None
            if here.position >= source.size_bytes:
                break
            positions[offset] = here
    return positions


def _file_range(file: Unread, here: Boundary, following: Boundary) -> FileRange | None:
    start = max(here.position, file.start_position)
    stop = None if following.position >= file.segment.size_bytes else following.position
    if stop is not None and stop <= start:
        return None
    if start >= file.segment.size_bytes and start > file.start_position:
        return None
    return FileRange(file, start, here.crc if start == here.position else None, stop)
