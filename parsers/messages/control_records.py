"""Control records in full: which type each is, and the decoded column of each type that occurs.

Put here how a control record's key leads to the layout of its value. The marker that stands for a whole batch is read
by `parsers.log.markers`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from parsers.layouts.control_records import CONTROL_KEY, CONTROL_VALUES, END_TRANSACTION_MARKER
from parsers.messages.decode import Structs, decode, decode_versioned, int16_heads

if TYPE_CHECKING:
    from parsers.words import ByteArray, Int64Array

UNKNOWN_TYPE: Final = -1
Edges = tuple["Int64Array", "Int64Array"]


@dataclass(frozen=True)
class ControlRecords:
    """Control records by type; what has no type that is known, or can't be read, is in none of them."""

    types: Int64Array
    """Type in the key; -1 where there is none."""
    decoded: dict[int, Structs]


def decode_control(buffer: ByteArray, keys: Edges, values: Edges) -> ControlRecords:
    """Decode keys and values of control records, each given by its starts and ends; a start of -1 is null."""
    key = decode_versioned(CONTROL_KEY, buffer, *keys, int16_heads(buffer, *keys))
    named = key.columns.field("type").to_numpy(zero_copy_only=False)
    types = np.where((keys[0] >= 0) & (key.error == 0), named, UNKNOWN_TYPE).astype(np.int64)
    decoded = {}
    for number in np.unique(types).tolist():
        if number in CONTROL_VALUES:
            starts = np.where(types == number, values[0], np.int64(-1))
            decoded[number] = _decode_value(number, buffer, starts, values[1])
    return ControlRecords(types, decoded)


def _decode_value(number: int, buffer: ByteArray, starts: Int64Array, ends: Int64Array) -> Structs:
    """Decode values of one type: a version before the struct, or the version that is the struct's first field."""
    layout, heads = CONTROL_VALUES[number], int16_heads(buffer, starts, ends)
    if layout is END_TRANSACTION_MARKER:
        return decode_versioned(layout, buffer, starts, ends, heads)
    return decode(layout, buffer, starts, ends, heads.values)
