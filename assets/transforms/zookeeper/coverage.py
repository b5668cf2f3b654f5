"""Which transactions of a store were read, and between which two of them none is missing.

Put here what is known of transactions alone. What they did belongs in `nodes`.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from assets.arrays.neighbours import NO_ROW
from parsers.zookeeper.positions import PLACE_BITS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from parsers.words import Int64Array

_COUNTER_BITS: Final = 32
RANGES: Final = pa.schema([("first_zxid", pa.int64()), ("last_zxid", pa.int64())])
NO_CHAIN: Final = NO_ROW
Range = tuple[int, int]


class Coverage:
    """Ranges of zxids of which all transactions were read, and which of these ranges follow each other."""

    def __init__(self, ranges: Iterable[Range], snapshots: Sequence[int]) -> None:
        """Merge ranges; a snapshot of a transaction between two of them shows that some is missing there."""
        self.ranges = tuple(_merged(ranges))
        self._firsts = [first for first, _ in self.ranges]
        is_new = [not _follows(*pair, snapshots) for pair in zip(self.ranges, self.ranges[1:], strict=False)]
        self._chains = np.concatenate([np.zeros(min(len(self.ranges), 1), np.int64), np.cumsum(is_new, dtype=np.int64)])

    def chain(self, position: int) -> int:
        """The number of the chain of ranges that a position is in: between two of one chain none is missing."""
        zxid = position >> PLACE_BITS
        row = bisect_right(self._firsts, zxid) - 1
        return int(self._chains[row]) if row >= 0 and zxid <= self.ranges[row][1] else NO_CHAIN

    def chain_from(self, position: int) -> int:
        """The same from the end of a transaction on, which need not have been read itself: a snapshot has it."""
        chain = self.chain(position)
        return self.chain(((position >> PLACE_BITS) + 1) << PLACE_BITS) if chain == NO_CHAIN else chain

    def is_whole(self, start: int, end: int) -> bool:
        """Whether all transactions behind a position were read, up to another one."""
        chain = self.chain(end)
        return chain != NO_CHAIN and self.chain_from(start) == chain

    def chains(self, positions: Int64Array) -> Int64Array:
        """The chain of each position."""
        if not self.ranges:
            return np.full(positions.size, NO_CHAIN)
        zxids = positions >> PLACE_BITS
        rows = np.searchsorted(np.array(self._firsts), zxids, side="right") - 1
        lasts = np.array([last for _, last in self.ranges])
        is_in = (rows >= 0) & (zxids <= lasts[rows])
        return np.where(is_in, self._chains[rows], NO_CHAIN)

    def memory(self) -> pa.Table:
        """The ranges."""
        return pa.Table.from_pylist([dict(zip(RANGES.names, one, strict=True)) for one in self.ranges], RANGES)


def ranges_of(runs: pa.Table) -> list[Range]:
    """The ranges of zxids between positions."""
    firsts, lasts = (runs[name].to_numpy() >> PLACE_BITS for name in ("from_log_offset", "log_offset"))
    return list(zip(firsts.tolist(), lasts.tolist(), strict=True))


def _merged(ranges: Iterable[Range]) -> Iterable[Range]:
    """Disjoint ranges in order, none of which ends where the next begins."""
    merged: list[Range] = []
    for first, last in sorted(ranges):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = merged[-1][0], max(last, merged[-1][1])
        else:
            merged.append((first, last))
    return merged


def _follows(before: Range, after: Range, snapshots: Sequence[int]) -> bool:
    """Whether a range is the beginning of the epoch behind the one that the other ends in.

    A server that missed the end of an epoch takes a snapshot from its leader, of a transaction that it has not logged.
    """
    first_of_epoch = ((before[1] >> _COUNTER_BITS) + 1 << _COUNTER_BITS) + 1
    return after[0] == first_of_epoch and not any(before[1] < zxid < after[0] for zxid in snapshots)
