"""Batch headers: the chain of batches in a buffer, the check of each, and the columns of its header.

Bodies and records are read in `parsers.log.bodies`; what happens after a broken link of the chain in
`parsers.log.damage.resync`.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from parsers.compiled import compiled
from parsers.fixed import offset_of
from parsers.layouts import batch_header as layout
from parsers.log.crc import crc32, crc32c
from parsers.words import ByteArray, Int64Array, big32, big64

HEADER_BYTES: Final = layout.BATCH_HEADER.itemsize
BROKEN: Final = 0
UNKNOWN: Final = -1
LARGEST_OFFSET: Final = (1 << 63) - 2
"""Of a record: the offset after it has to be a number, too."""

_LENGTH_AT: Final = layout.LENGTH_AT
_LENGTH_END: Final = layout.LENGTH_END
_MAGIC_AT: Final = layout.MAGIC_AT
_LARGEST: Final = layout.LARGEST_BATCH_BYTES
_SMALLEST: Final = tuple(layout.SMALLEST_LENGTH[magic] for magic in (0, 1, 2))
_CHECKED_FROM: Final = tuple(layout.CHECKED_FROM[magic] for magic in (0, 1, 2))
_BATCH_CRC_AT: Final = offset_of(layout.BATCH_HEADER, "crc")
_ENTRY_CRC_AT: Final = offset_of(layout.ENTRY_HEADER, "crc")
LAST_DELTA_AT: Final = offset_of(layout.BATCH_HEADER, "last_offset_delta")
COUNT_AT: Final = offset_of(layout.BATCH_HEADER, "record_count")
_ATTRIBUTES_END: Final = offset_of(layout.BATCH_HEADER, "attributes") + 2
_CONTROL: Final = layout.CONTROL
_NEWEST_MAGIC: Final = 2
_ENTRY_HEADER_BYTES: Final = layout.ENTRY_HEADER.itemsize  # no batch of any format is smaller


@compiled
def batch_bytes(buffer: ByteArray, start: int, end: int) -> int:
    """Give the size of the batch at `start`, BROKEN for no header, UNKNOWN when buffer[:end] ends inside the header."""
    if start + _ENTRY_HEADER_BYTES > end:
        return UNKNOWN
    magic = np.int64(np.int8(buffer[start + _MAGIC_AT]))
    length = big32(buffer, start + _LENGTH_AT)
    if magic < 0 or magic > _NEWEST_MAGIC or length < _SMALLEST[magic] or length > _LARGEST - _LENGTH_END:
        return BROKEN
    base_offset = big64(buffer, start)
    if base_offset < 0 or base_offset > LARGEST_OFFSET:
        return BROKEN
    if magic < _NEWEST_MAGIC:
        return length + _LENGTH_END
    if start + HEADER_BYTES > end:
        return UNKNOWN
    delta, count = big32(buffer, start + LAST_DELTA_AT), big32(buffer, start + COUNT_AT)
    is_lawful = 0 <= delta <= LARGEST_OFFSET - base_offset and count >= 0
    return length + _LENGTH_END if is_lawful else BROKEN


@compiled
def chain(buffer: ByteArray, stop: int, file_end: int) -> Int64Array:
    """Give the starts of the batches that begin before `stop`, and where the chain ends; no checksum is looked at.

    The chain begins at byte 0 and ends at the first batch whose header is not whole in the buffer (control batches are
    small and wanted whole), or that ends after `file_end`.
    """
    positions = np.empty(len(buffer) // (_SMALLEST[0] + _LENGTH_END) + 2, np.int64)
    count, start = 0, 0
    while start < stop:
        size = batch_bytes(buffer, start, len(buffer))
        if size <= 0 or start + size > file_end:
            break
        if start + size > len(buffer) and is_control(buffer, start):
            break
        positions[count] = start
        count += 1
        start += size
    positions[count] = start
    return positions[: count + 1]


@compiled
def sound_chain(buffer: ByteArray, stop: int, file_end: int) -> Int64Array:
    """Give the starts of the batches that begin before `stop` and are whole and sound, and where their chain ends.

    The checksum of a batch is computed as soon as it is found, because then its bytes are in the processor's cache.
    """
    positions = np.empty(len(buffer) // (_SMALLEST[0] + _LENGTH_END) + 2, np.int64)
    count, start, end = 0, 0, min(file_end, len(buffer))
    while start < stop:
        size = batch_bytes(buffer, start, len(buffer))
        if size <= 0 or start + size > end or not is_sound(buffer, start, start + size):
            break
        positions[count] = start
        count += 1
        start += size
    positions[count] = start
    return positions[: count + 1]


@compiled
def is_control(buffer: ByteArray, start: int) -> bool:
    """Say whether the batch at `start` is a control batch."""
    if buffer[start + _MAGIC_AT] < _NEWEST_MAGIC:
        return False
    return bool(buffer[start + _ATTRIBUTES_END - 1] & _CONTROL)


@compiled
def stored_checksum(buffer: ByteArray, start: int) -> int:
    """Give the checksum that the header of the batch at `start` records."""
    at = _BATCH_CRC_AT if buffer[start + _MAGIC_AT] == _NEWEST_MAGIC else _ENTRY_CRC_AT
    return big32(buffer, start + at) & 0xFFFFFFFF


@compiled
def computed_checksum(buffer: ByteArray, start: int, end: int) -> int:
    """Give the checksum that the batch in buffer[start:end] ought to record."""
    magic = buffer[start + _MAGIC_AT]
    if magic == _NEWEST_MAGIC:
        return crc32c(buffer, start + _CHECKED_FROM[magic], end)
    return crc32(buffer, start + _CHECKED_FROM[magic], end)


@compiled
def is_sound(buffer: ByteArray, start: int, end: int) -> bool:
    """Say whether the checksum of the batch in buffer[start:end] is right."""
    return bool(computed_checksum(buffer, start, end) == stored_checksum(buffer, start))


@compiled
def last_offset(buffer: ByteArray, start: int) -> int:
    """Give the last offset of the batch at `start`."""
    if buffer[start + _MAGIC_AT] < _NEWEST_MAGIC:
        return big64(buffer, start)
    return big64(buffer, start) + big32(buffer, start + LAST_DELTA_AT)
