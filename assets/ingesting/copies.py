"""Copies of one log, gone over side by side: what each of them says of the same offsets comes together.

Put here only the lining up. Where rows come from is in `assets.ingesting.reading`, what is kept of them in
`assets.ingesting.kept`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from parsers.files.discovery import SegmentFile
    from parsers.words import Int64Array


@dataclass(frozen=True, slots=True)
class Part:
    """Rows of one copy in the order of their offsets, at least one, and the file they stand in."""

    segment: SegmentFile
    rows: pa.RecordBatch
    offsets: Int64Array
    told_by: str | None = None
    """Set when no log says so, only a tool: what it does not say is NULL, and no contradiction."""

    def before(self, offset: int) -> Part | None:
        """The rows below an offset."""
        return self._cut(0, int(np.searchsorted(self.offsets, offset)))

    def since(self, offset: int) -> Part | None:
        """The rows at or after an offset."""
        return self._cut(int(np.searchsorted(self.offsets, offset)), len(self.offsets))

    def _cut(self, start: int, stop: int) -> Part | None:
        if start == stop:
            return None
        if stop - start == len(self.offsets):
            return self
        return Part(self.segment, self.rows.slice(start, stop - start), self.offsets[start:stop], self.told_by)


def side_by_side(copies: Sequence[Iterator[Part]]) -> Iterator[list[Part]]:
    """Go over all copies at once: each step gives, from every copy that has any, its rows below the same offset.

    Only what one step is about is held in memory, however long the copies are.
    """
    waiting = [next(copy, None) for copy in copies]
    while any(part is not None for part in waiting):
        end = 1 + min(int(part.offsets[-1]) for part in waiting if part is not None)
        step = [part.before(end) for part in waiting if part is not None]
        yield [part for part in step if part is not None]
        left = [None if part is None else part.since(end) for part in waiting]
        waiting = [next(copy, None) if part is None else part for part, copy in zip(left, copies, strict=True)]
