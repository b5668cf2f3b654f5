"""Machine words and stretches of bytes by their address: what lets one loop read many columns of a row.

Only loads, stores and copies belong here; the caller checks the bounds, and keeps the arrays alive whose addresses it
gives. What is read and written is for `parsers.dump.json_bytes` and `parsers.dump.json_messages_bytes` to say.
"""

from __future__ import annotations

from typing import Any, Final

from llvmlite import ir
from numba import types
from numba.core import cgutils

from parsers.compiled import instruction

_code: Any = cgutils
_tuple_of: Any = types.UniTuple
"""Of no type, as numba leaves them."""

_BYTE: Final = ir.IntType(8)
_WORD: Final = ir.IntType(64)
_TWO_WORDS: Final = ir.VectorType(_WORD, 2)

LEAD_BYTES: Final = 16
"""`copy_lead` copies so many bytes at a time: as many may be read and written behind what is asked for."""


def _data(context: Any, builder: Any, kind: Any, array: Any) -> Any:  # noqa: ANN401 - numba's types are untyped
    return context.make_array(kind)(context, builder, array).data


def _at(builder: Any, address: Any, kind: Any, index: Any) -> Any:  # noqa: ANN401
    return builder.gep(builder.inttoptr(address, kind.as_pointer()), [index])


@instruction
def copy_bytes(_typing: object, target: Any, _at: object, source: Any, _stretch: object) -> Any:  # noqa: ANN401
    """Copy a stretch of the source, its start and its size, to `at` of the target."""

    def copy(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ANN401
        """Write the instructions of the copy."""
        into, out_of = (_data(context, builder, signature.args[k], arguments[k]) for k in (0, 2))
        start, size = _code.unpack_tuple(builder, arguments[3], 2)
        _code.raw_memcpy(builder, builder.gep(into, [arguments[1]]), builder.gep(out_of, [start]), size, 1)
        return context.get_dummy_value()

    return types.void(target, types.int64, source, _tuple_of(types.int64, 2)), copy


@instruction
def copy_from(_typing: object, target: Any, _position: object, _address: object, _size: object) -> Any:  # noqa: ANN401
    """Copy so many bytes from an address to a position of the target."""

    def copy(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ANN401
        """Write the instructions of the copy."""
        into = builder.gep(_data(context, builder, signature.args[0], arguments[0]), [arguments[1]])
        out_of = builder.inttoptr(arguments[2], _BYTE.as_pointer())
        _code.raw_memcpy(builder, into, out_of, arguments[3], 1)
        return context.get_dummy_value()

    return types.void(target, types.int64, types.int64, types.int64), copy


@instruction
def copy_two_words(_typing: object, target: Any, _position: object, source: Any, _start: object) -> Any:  # noqa: ANN401
    """Copy LEAD_BYTES bytes."""

    def copy(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ANN401
        """Write the instructions of the copy."""
        into, out_of = (
            builder.bitcast(
                builder.gep(_data(context, builder, signature.args[k], arguments[k]), [arguments[k + 1]]),
                _TWO_WORDS.as_pointer(),
            )
            for k in (0, 2)
        )
        builder.store(builder.load(out_of, align=1), into, align=1)
        return context.get_dummy_value()

    return types.void(target, types.int64, source, types.int64), copy


@instruction
def put64(_typing: object, target: Any, _position: object, _word: object) -> Any:  # noqa: ANN401
    """Write a word as x86 and ARM store it: least significant byte first."""

    def store(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ANN401
        """Write the instructions that store it."""
        into = builder.gep(_data(context, builder, signature.args[0], arguments[0]), [arguments[1]])
        builder.store(arguments[2], builder.bitcast(into, _WORD.as_pointer()), align=1)
        return context.get_dummy_value()

    return types.void(target, types.int64, types.uint64), store


@instruction
def number_from(_typing: object, _address: object, _index: object) -> Any:  # noqa: ANN401
    """Give the int64 at an index of the array whose address is given."""

    def load(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:  # noqa: ANN401
        """Write the instructions that load it."""
        return builder.load(_at(builder, arguments[0], _WORD, arguments[1]))

    return types.int64(types.int64, types.int64), load


@instruction
def byte_from(_typing: object, _address: object, _index: object) -> Any:  # noqa: ANN401
    """Give the byte at an index of the array whose address is given."""

    def load(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:  # noqa: ANN401
        """Write the instructions that load it."""
        return builder.zext(builder.load(_at(builder, arguments[0], _BYTE, arguments[1])), _WORD)

    return types.int64(types.int64, types.int64), load


@instruction
def bit_length(_typing: object, _number: object) -> Any:  # noqa: ANN401
    """Give the bits that a number takes; 64 at most, and 0 for 0."""

    def count(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:  # noqa: ANN401
        """Write the instructions that count them."""
        zeros = builder.ctlz(arguments[0], ir.Constant(ir.IntType(1), 0))
        return builder.sub(ir.Constant(_WORD, 64), zeros)

    return types.int64(types.uint64), count
