"""The two checksums of Kafka's log: CRC-32C (magic 2, snapshots) and CRC-32 (magic 0 and 1).

Computed inside compiled loops: with the processor's own instruction where it has one, by tables otherwise. Which bytes
a checksum covers is said by the layouts, and who compares it is `parsers.log.batches`.
"""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING, Any, Final

import llvmlite.binding
import numba
import numpy as np
from llvmlite import ir
from numba import types

from parsers.compiled import compiled, instruction
from parsers.words import ByteArray, little64

if TYPE_CHECKING:
    from numpy.typing import NDArray

CASTAGNOLI: Final = 0x82F63B78
IEEE: Final = 0xEDB88320

_ALL_ONES: Final = np.uint64(0xFFFFFFFF)
_TABLE_COUNT: Final = 8


def _tables(polynomial: int) -> NDArray[np.uint64]:
    """Row k, column b: the register after byte b and k zero bytes, so that eight bytes are one step."""
    register = np.arange(256, dtype=np.uint64)
    for _ in range(8):
        register = np.where(
            register & np.uint64(1), (register >> np.uint64(1)) ^ np.uint64(polynomial), register >> np.uint64(1)
        )
    rows = [register]
    for _ in range(_TABLE_COUNT - 1):
        rows.append((rows[-1] >> np.uint64(8)) ^ register[rows[-1] & np.uint64(0xFF)])
    return np.array(rows)


CASTAGNOLI_TABLES: Final = _tables(CASTAGNOLI)
IEEE_TABLES: Final = _tables(IEEE)

# LLVM's name of the instruction, the width of its register, and the processor feature that it needs.
_INSTRUCTIONS: Final = {
    "x86_64": ("llvm.x86.sse42.crc32.64.64", 64, "sse4.2"),
    "amd64": ("llvm.x86.sse42.crc32.64.64", 64, "sse4.2"),
    "aarch64": ("llvm.aarch64.crc32cx", 32, "crc"),
    "arm64": ("llvm.aarch64.crc32cx", 32, "crc"),
}


def _has_instruction() -> bool:
    """Say whether compiled code may use the instruction: the processor has it and numba aims at this processor."""
    instruction = _INSTRUCTIONS.get(platform.machine().lower())
    aims_here = vars(numba.config)["CPU_NAME"] is None and vars(numba.config)["CPU_FEATURES"] is None
    return instruction is not None and aims_here and bool(llvmlite.binding.get_host_cpu_features().get(instruction[2]))


@instruction
def _instruction_step(_typing: object, _register: object, _word: object) -> Any:  # noqa: ANN401
    """Advance the CRC-32C register by eight bytes, in one instruction."""

    def step(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:  # noqa: ANN401
        """Write the instruction, as this processor calls it."""
        name, width, _feature = _INSTRUCTIONS[platform.machine().lower()]
        register, word = ir.IntType(width), ir.IntType(64)
        known = builder.module.globals.get(name)
        function = known or ir.Function(builder.module, ir.FunctionType(register, [register, word]), name)
        if width == word.width:
            return builder.call(function, arguments)
        return builder.zext(builder.call(function, [builder.trunc(arguments[0], register), arguments[1]]), word)

    return types.uint64(types.uint64, types.uint64), step


@compiled
def _table_step(register: np.uint64, word: np.uint64, tables: NDArray[np.uint64]) -> np.uint64:
    """Advance the register of either checksum by eight bytes, by one look into each table."""
    word ^= register
    register = np.uint64(0)
    for row in range(_TABLE_COUNT):
        register ^= tables[_TABLE_COUNT - 1 - row, (word >> np.uint64(8 * row)) & np.uint64(0xFF)]
    return register


@compiled
def advance_by_tables(
    register: np.uint64, buffer: ByteArray, start: int, end: int, tables: NDArray[np.uint64]
) -> np.uint64:
    """Advance a register over buffer[start:end] by tables: CRC-32 everywhere, CRC-32C where there is no instruction."""
    position = start
    while position + 8 <= end:
        register = _table_step(register, little64(buffer, position), tables)
        position += 8
    for at in range(position, end):
        register = (register >> np.uint64(8)) ^ tables[0, (register ^ np.uint64(buffer[at])) & np.uint64(0xFF)]
    return register


@compiled
def _advance_by_instruction(register: np.uint64, buffer: ByteArray, start: int, end: int) -> np.uint64:
    """Advance a CRC-32C register over buffer[start:end] by the processor's instruction."""
    position = start
    while position + 8 <= end:
        register = _instruction_step(register, little64(buffer, position))
        position += 8
    return advance_by_tables(register, buffer, position, end, CASTAGNOLI_TABLES)


@compiled
def _advance_castagnoli_by_tables(register: np.uint64, buffer: ByteArray, start: int, end: int) -> np.uint64:
    return advance_by_tables(register, buffer, start, end, CASTAGNOLI_TABLES)


advance_castagnoli: Final = _advance_by_instruction if _has_instruction() else _advance_castagnoli_by_tables


@compiled
def crc32c(buffer: ByteArray, start: int, end: int) -> int:
    """Give the CRC-32C of buffer[start:end]."""
    return int(np.int64(advance_castagnoli(_ALL_ONES, buffer, start, end) ^ _ALL_ONES))


@compiled
def crc32(buffer: ByteArray, start: int, end: int) -> int:
    """Give the CRC-32 (IEEE) of buffer[start:end]."""
    return int(np.int64(advance_by_tables(_ALL_ONES, buffer, start, end, IEEE_TABLES) ^ _ALL_ONES))
