"""Machine words out of a byte array, inside compiled loops: one unaligned load instead of eight byte reads.

Only loads belong here; the caller checks the bounds. What a word means belongs to the format that reads it.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from llvmlite import ir
from numba import types
from numpy.typing import NDArray

from parsers.compiled import compiled, instruction

ByteArray: TypeAlias = NDArray[np.uint8]
Int64Array: TypeAlias = NDArray[np.int64]

_WORD = ir.IntType(64)


@instruction
def little64(_typing: object, buffer: Any, _position: object) -> Any:  # noqa: ANN401 - numba's types are untyped
    """Give the uint64 at `position` as x86 and ARM load it: least significant byte first."""

    def load(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ANN401
        """Write the instructions that load it."""
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        word = builder.load(builder.bitcast(builder.gep(array.data, [arguments[1]]), _WORD.as_pointer()))
        word.align = 1
        return word

    return types.uint64(buffer, types.int64), load


@instruction
def byte_at(_typing: object, buffer: Any, _position: object) -> Any:  # noqa: ANN401
    """Give the byte at `position`, which must not be negative: an index without numba's wrap-around."""

    def load(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ANN401
        """Write the instructions that load it."""
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        return builder.zext(builder.load(builder.gep(array.data, [arguments[1]])), _WORD)

    return types.uint64(buffer, types.int64), load


@instruction
def swap_bytes(_typing: object, _word: object) -> Any:  # noqa: ANN401
    """Give `word` with its eight bytes in the opposite order."""

    def swap(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:  # noqa: ANN401
        """Write the instruction that swaps them."""
        return builder.bswap(arguments[0])

    return types.uint64(types.uint64), swap


@instruction
def bit_length(_typing: object, _word: object) -> Any:  # noqa: ANN401
    """Give the bits that a number takes; 64 at most, and 0 for 0."""

    def count(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:  # noqa: ANN401
        """Write the instructions that count them."""
        zeros = builder.ctlz(arguments[0], ir.Constant(ir.IntType(1), 0))
        return builder.sub(ir.Constant(_WORD, _WORD.width), zeros)

    return types.int64(types.uint64), count


@instruction
def put_little64(_typing: object, buffer: Any, _position: object, _word: object) -> Any:  # noqa: ANN401
    """Store the uint64 at `position`, least significant byte first."""

    def store(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ANN401
        """Write the instructions that store it."""
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        place = builder.bitcast(builder.gep(array.data, [arguments[1]]), _WORD.as_pointer())
        builder.store(arguments[2], place).align = 1
        return context.get_dummy_value()

    return types.void(buffer, types.int64, types.uint64), store


@compiled
def big64(buffer: ByteArray, position: int) -> int:
    """Give the big-endian int64 at `position`."""
    return int(np.int64(swap_bytes(little64(buffer, position))))


@compiled
def big32(buffer: ByteArray, position: int) -> int:
    """Give the big-endian int32 at `position`."""
    high = (np.uint32(buffer[position]) << np.uint32(24)) | (np.uint32(buffer[position + 1]) << np.uint32(16))
    low = (np.uint32(buffer[position + 2]) << np.uint32(8)) | np.uint32(buffer[position + 3])
    return int(np.int32(high | low))
