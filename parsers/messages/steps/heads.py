"""The numbers that spans begin with: record types of keys, versions of values.

Put here the loop that reads them. What is behind them is read in `parsers.messages.steps.interpreter`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from parsers.inlined import inlined, without_refcounts
from parsers.messages.primitives import int16_at, int32_at

if TYPE_CHECKING:
    from parsers.words import ByteArray, Int64Array

AnyHeads = npt.NDArray[np.int16] | npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]


class HeadSpans(NamedTuple):
    """Spans, and the arrays that the heads of each of them are written to."""

    starts: Int64Array
    ends: Int64Array
    heads: npt.NDArray[np.int16]
    is_short: Mask


_NULL, _SHORT, _NEGATIVE = range(3)


@without_refcounts
def read_heads(
    buffer: ByteArray, starts: Int64Array, ends: Int64Array, heads: AnyHeads, is_short: Mask
) -> tuple[int, int, int]:
    """Read the int16 or int32 at the start of every span that is not null, and tell which are too short for it.

    Give how many are null, how many are too short, and how many of the numbers are below zero.
    """
    null_count, short_count, negative_count = np.int64(0), np.int64(0), np.int64(0)
    for row in range(starts.size):
        finding = _read_head(buffer, (starts[row], ends[row]), heads, is_short, row)
        null_count += finding == _NULL
        short_count += finding == _SHORT
        negative_count += finding == _NEGATIVE
    return null_count, short_count, negative_count


@without_refcounts
def read_both_heads(buffer: ByteArray, key: HeadSpans, value: HeadSpans, counts: Int64Array) -> None:
    """Read the int16 of keys and of values, which stand side by side; count as `read_heads` does, keys first."""
    for row in range(key.starts.size):
        finding = _read_head(buffer, (key.starts[row], key.ends[row]), key.heads, key.is_short, row)
        if finding >= 0:
            counts[0, finding] += 1
        finding = _read_head(buffer, (value.starts[row], value.ends[row]), value.heads, value.is_short, row)
        if finding >= 0:
            counts[1, finding] += 1


@inlined
def _read_head(buffer: ByteArray, span: tuple[int, int], heads: AnyHeads, is_short: Mask, row: int) -> int:
    """Read one head: give what is to be counted, or below zero that it is as it should be."""
    heads[row], is_short[row] = 0, False
    if span[0] < 0:
        return _NULL
    if span[1] - span[0] < heads.itemsize:
        is_short[row] = True
        return _SHORT
    head = int16_at(buffer, span[0]) if heads.itemsize == 2 else int32_at(buffer, span[0])  # noqa: PLR2004 - of int16
    heads[row] = head
    return _NEGATIVE if head < 0 else -1
