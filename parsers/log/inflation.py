"""The compressed bodies of a window, inflated into one buffer behind the window's own bytes.

Only the gathering belongs here: how much may be inflated at a time, and where each body is then. How it is inflated
is in `parsers.log.compression.codecs` and `parsers.log.compression.lz4`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from parsers.log.compression.codecs import INFLATED_LIMIT_BYTES, LZ4, CodecError, inflate
from parsers.log.compression.lz4 import LEFT, inflate_frames
from parsers.log.damage.quarantine import Trouble, quote_bytes
from parsers.log.records import Body

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parsers.log.headers import Headers
    from parsers.log.windows import Window
    from parsers.words import ByteArray, Int64Array

SLICE_INFLATED_BYTES: Final = 16 << 20
PACKED: Final = "compression"
"""Why a batch is set aside whose body can't be inflated."""
_NEWEST_MAGIC: Final = 2


@dataclass(frozen=True)
class Stretches:
    """Where the body of each batch lies in `buffer`: the window, with what was inflated behind it.

    The table has the first batches only, where more of them would take too much memory.
    """

    buffer: ByteArray
    table: Int64Array
    troubles: tuple[Trouble, ...]


def inflate_bodies(window: Window, headers: Headers, table: Int64Array) -> Stretches:
    """Inflate the compressed bodies; a body that can't be becomes empty, its batch a trouble."""
    compressed = np.flatnonzero(headers.codec)
    if not compressed.size:
        return Stretches(window.buffer, table, ())
    sizes = np.zeros(len(table), np.int64)
    buffer, done = _inflate_lz4(window, headers, table, sizes)
    left = np.setdiff1d(compressed, done, assume_unique=True)
    pieces, troubles = _inflate_singly(window, headers, (left, table[left]), np.cumsum(sizes)[left])
    single, lengths = left[: len(pieces)], np.array([len(piece) for piece in pieces], np.int64)
    sizes[single] = lengths
    table[single, Body.END] = len(buffer) + np.cumsum(lengths)
    table[single, Body.START] = table[single, Body.END] - lengths
    table[list(troubles), Body.START : Body.RECORD_COUNT + 1] = 0
    whole = np.frombuffer(b"".join([buffer.data, *pieces]), np.uint8) if any(pieces) else buffer
    whole.flags.writeable = False
    return Stretches(whole, table[: _stop(compressed, sizes)], tuple(troubles.values()))


def _inflate_lz4(
    window: Window, headers: Headers, table: Int64Array, sizes: Int64Array
) -> tuple[ByteArray, NDArray[np.intp]]:
    """Inflate the frames of lz4 in their usual form: give the buffer that has them, and their batches."""
    frames = np.flatnonzero((headers.codec == LZ4) & (headers["magic"] == _NEWEST_MAGIC))
    if not frames.size:
        return window.buffer, frames
    bounds = (INFLATED_LIMIT_BYTES, SLICE_INFLATED_BYTES)
    edges = (table[frames, Body.START].copy(), table[frames, Body.END].copy())
    buffer, ends = inflate_frames(window.buffer, *edges, bounds)
    done, ends = frames[ends != LEFT], ends[ends != LEFT]
    sizes[done] = np.diff(ends, prepend=len(window.buffer))
    table[done, Body.START], table[done, Body.END] = ends - sizes[done], ends
    return buffer, done


def _inflate_singly(
    window: Window, headers: Headers, left: tuple[NDArray[np.intp], Int64Array], before: Int64Array
) -> tuple[list[bytes], dict[int, Trouble]]:
    """Inflate bodies one by one until there is enough: give the bytes of each, none where there is a trouble."""
    pieces: list[bytes] = []
    troubles: dict[int, Trouble] = {}
    batches, table = left
    total, view = 0, window.buffer.data
    codecs, magics = headers.codec[batches].tolist(), headers["magic"][batches].tolist()
    starts, ends = table[:, Body.START].tolist(), table[:, Body.END].tolist()
    for number, batch in enumerate(batches.tolist()):
        if before[number] + total > SLICE_INFLATED_BYTES:
            break
        try:
            piece = inflate(codecs[number], magics[number], bytes(view[starts[number] : ends[number]]))
        except CodecError as error:
            piece, troubles[batch] = b"", _whole_batch(window, headers, batch, error)
        pieces.append(piece)
        total += len(piece)
    return pieces, troubles


def _stop(compressed: NDArray[np.intp], sizes: Int64Array) -> int:
    """Give the first compressed batch before which enough was inflated, or the number of batches."""
    before = np.cumsum(sizes) - sizes
    behind = compressed[before[compressed] > SLICE_INFLATED_BYTES]
    return int(behind[0]) if behind.size else len(sizes)


def _whole_batch(window: Window, headers: Headers, batch: int, error: CodecError) -> Trouble:
    start, size = int(headers.starts[batch]), int(headers.size_bytes[batch])
    offset, quote = int(headers["base_offset"][batch]), quote_bytes(window.buffer, start, start + size)
    return Trouble(window.position + start, size, offset, PACKED, error.expected, error.actual, quote)
