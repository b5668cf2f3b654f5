"""The search for the next sound batch after a broken one, in time that does not depend on what hostile bytes announce.

Every position may be a header; what makes the search linear is that the checksum of any stretch follows from the
registers at its two ends. Only the search belongs here; what to do with its result is in `parsers.log.damage.repair`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from parsers.compiled import compiled
from parsers.fixed import offset_of
from parsers.layouts import batch_header as layout
from parsers.log.batches import batch_bytes, stored_checksum
from parsers.log.crc import CASTAGNOLI, CASTAGNOLI_TABLES, IEEE, IEEE_TABLES, advance_by_tables
from parsers.words import ByteArray, byte_at

if TYPE_CHECKING:
    from numpy.typing import NDArray

# A batch larger than this is not looked for after a broken one: it ends up in the gap.
REACH_BYTES: Final = 16 << 20

_BLOCK_BYTES: Final = 1024
_ALL_ONES: Final = np.uint64(0xFFFFFFFF)
_ONE: Final = np.uint64(1)
_TOP: Final = np.uint64(1 << 31)
_WIDTH: Final = 32
_MAGIC_AT: Final = layout.MAGIC_AT
_NEWEST_MAGIC: Final = 2
_SMALLEST_BATCH: Final = layout.SMALLEST_LENGTH[0] + layout.LENGTH_END
_UNUSED_ENTRY_BITS: Final = 0xF0
_CHECKED_FROM: Final = tuple(layout.CHECKED_FROM[magic] for magic in (0, 1, 2))
_ATTRIBUTES_AT: Final = offset_of(layout.BATCH_HEADER, "attributes")


@compiled
def _times(left: np.uint64, right: np.uint64, polynomial: np.uint64) -> np.uint64:
    """Multiply two remainders; bit 31 stands for x to the power of 0, as in the register."""
    product = np.uint64(0)
    for degree in range(_WIDTH):
        if (left << np.uint64(degree)) & _TOP:
            product ^= right
        right = (right >> _ONE) ^ (polynomial if right & _ONE else np.uint64(0))
    result: np.uint64 = product
    return result


@compiled
def _powers(polynomial: np.uint64) -> NDArray[np.uint64]:
    """Row k: x to the power of 8 * 2**k, which is what 2**k zero bytes do to a register."""
    powers = np.empty(_WIDTH, np.uint64)
    powers[0] = np.uint64(1 << (31 - 8))
    for row in range(1, _WIDTH):
        powers[row] = _times(powers[row - 1], powers[row - 1], polynomial)
    return powers


class Marks(NamedTuple):
    """The registers of one checksum at every block of a buffer, begun with 0 at its first byte."""

    registers: NDArray[np.uint64]
    tables: NDArray[np.uint64]
    powers: NDArray[np.uint64]
    polynomial: np.uint64


@compiled
def _registers(buffer: ByteArray, tables: NDArray[np.uint64]) -> NDArray[np.uint64]:
    registers = np.zeros(len(buffer) // _BLOCK_BYTES + 1, np.uint64)
    for block in range(1, len(registers)):
        end = block * _BLOCK_BYTES
        registers[block] = advance_by_tables(registers[block - 1], buffer, end - _BLOCK_BYTES, end, tables)
    return registers


def marks(buffer: ByteArray) -> tuple[Marks, Marks]:
    """Prepare a buffer for the search: the marks of CRC-32 and of CRC-32C."""
    kinds = ((IEEE_TABLES, np.uint64(IEEE)), (CASTAGNOLI_TABLES, np.uint64(CASTAGNOLI)))
    ieee, castagnoli = (Marks(_registers(buffer, tables), tables, _powers(poly), poly) for tables, poly in kinds)
    return ieee, castagnoli


@compiled
def _register_at(buffer: ByteArray, position: int, kind: Marks) -> np.uint64:
    block = position // _BLOCK_BYTES
    return advance_by_tables(kind.registers[block], buffer, block * _BLOCK_BYTES, position, kind.tables)


@compiled
def checksum(buffer: ByteArray, start: int, end: int, kind: Marks) -> int:
    """Give the checksum of buffer[start:end] from the marks, however long the stretch is."""
    register = _register_at(buffer, start, kind) ^ _ALL_ONES
    for row in range(_WIDTH):
        if (end - start) >> row & 1:
            register = _times(kind.powers[row], register, kind.polynomial)
    return int(np.int64(register ^ _register_at(buffer, end, kind) ^ _ALL_ONES))


@compiled
def _may_begin(buffer: ByteArray, start: int, end: int) -> bool:
    """Say whether what stands at `start` looks so much like a batch that its checksum is worth computing."""
    size = batch_bytes(buffer, start, end)
    if size <= 0 or size > REACH_BYTES or start + size > end:
        return False
    if buffer[start + _MAGIC_AT] < _NEWEST_MAGIC:
        return bool(buffer[start + _MAGIC_AT + 1] & _UNUSED_ENTRY_BITS == 0)
    return bool(buffer[start + _ATTRIBUTES_AT] == 0)


@compiled
def next_sound(buffer: ByteArray, start: int, end: int, kinds: tuple[Marks, Marks]) -> int:
    """Give the first position from `start` on where a sound batch of at most REACH_BYTES begins, or `end`."""
    for position in range(start, end - _SMALLEST_BATCH + 1):
        if byte_at(buffer, position + _MAGIC_AT) > _NEWEST_MAGIC or not _may_begin(buffer, position, end):
            continue
        covered = position + _CHECKED_FROM[buffer[position + _MAGIC_AT]]
        batch_end = position + batch_bytes(buffer, position, end)
        if buffer[position + _MAGIC_AT] == _NEWEST_MAGIC:
            computed = checksum(buffer, covered, batch_end, kinds[1])
        else:
            computed = checksum(buffer, covered, batch_end, kinds[0])
        if computed == stored_checksum(buffer, position):
            return position
    return end
