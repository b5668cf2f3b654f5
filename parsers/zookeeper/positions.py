"""Where a change of a node stands among all changes of a store: its zxid, and below it its place in the transaction.

Put here how a position is made. What stands there belongs to the modules that read nodes.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    import pyarrow as pa

    from parsers.words import Int64Array

PLACE_BITS: Final = 16
"""Below the zxid a position has so many bits of a checksum of the path: one transaction may set several nodes."""
LAST_PLACE: Final = (1 << PLACE_BITS) - 1
LARGEST_ZXID: Final = (1 << 63 - PLACE_BITS) - 1


def positions(paths: pa.DictionaryArray, zxids: Int64Array) -> Int64Array:
    """The position of each change: below its zxid a checksum of its path, so that every server's files say the same.

    Two changes have the same position only if both path and zxid are the same.
    """
    base, codes = zxids << PLACE_BITS, paths.indices.to_numpy().astype(np.int64)
    order = np.lexsort([codes, zxids])
    first = np.ones(order.size, np.bool_)
    first[1:] = (zxids[order][1:] != zxids[order][:-1]) | (codes[order][1:] != codes[order][:-1])
    own = np.empty(order.size, np.int64)
    own[order] = np.cumsum(first) - 1
    return _distinct(paths, base[order][first], codes[order][first])[own]


def _distinct(paths: pa.DictionaryArray, base: Int64Array, codes: Int64Array) -> Int64Array:
    """The positions of distinct changes; of two checksums that are the same one moves on."""
    places = np.array([zlib.crc32(text.encode()) & LAST_PLACE for text in paths.dictionary.to_pylist()], np.int64)
    distinct: Int64Array = base + places[codes]
    order = np.argsort(distinct, kind="stable")
    while (distinct[order][1:] <= distinct[order][:-1]).any():
        again = order[1:][distinct[order][1:] <= distinct[order][:-1]]
        distinct[again] = base[again] + (distinct[again] - base[again] + 1 & LAST_PLACE)
        order = np.argsort(distinct, kind="stable")
    return distinct
