"""The headers of records: where key and value of each stand in the buffer.

Only headers of records that `parsers.log.records` has found sound belong here, so nothing is checked again.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Final

import numpy as np

from parsers.compiled import compiled
from parsers.log.records import varint

if TYPE_CHECKING:
    from parsers.words import ByteArray, Int64Array

_LENGTH_BITS: Final = 35


class HeaderSpan(IntEnum):
    """Rows of the table of headers: one column per header; a null value has -1 as start and end."""

    KEY_START = 0
    KEY_END = 1
    VALUE_START = 2
    VALUE_END = 3


_ROWS: Final = len(HeaderSpan)


@compiled
def header_spans(buffer: ByteArray, starts: Int64Array, counts: Int64Array) -> Int64Array:
    """Find the headers of records, all of them in one table: record after record, header after header."""
    spans = np.empty((_ROWS, counts.sum()), np.int64)
    at = 0
    for record in range(starts.size):
        position = starts[record]
        for _ in range(counts[record]):
            for row in range(0, _ROWS, 2):
                length, begin = varint(buffer, position, len(buffer), _LENGTH_BITS)
                position = begin + max(length, 0)
                spans[row, at], spans[row + 1, at] = (begin, position) if length >= 0 else (-1, -1)
            at += 1
    return spans
