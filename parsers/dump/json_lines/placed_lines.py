"""Lines with their places among the records of a block: what puts lines of several makers into the order of the file.

Put here only the order. What a line holds is for its makers to say.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa

from parsers.dump.json_lines.objects import TEXT, Texts, bytes_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from parsers.words import ByteArray, Int64Array


class PlacedLines(NamedTuple):
    """Lines in the order of the file, each with its place: 2n+1 is the line of record n, 2n stands before it."""

    texts: Texts
    places: Int64Array

    @classmethod
    def of_rows(cls, texts: Texts, rows: Int64Array) -> PlacedLines:
        """Take the lines of some records."""
        return cls(texts, 2 * rows + 1)

    @classmethod
    def before_rows(cls, parts: Sequence[tuple[Texts, Int64Array]], befores: Sequence[Int64Array]) -> PlacedLines:
        """Take lines that stand before some records, in parts, each with the position in the file of every line."""
        order = np.argsort(np.concatenate([positions for _texts, positions in parts]), kind="stable")
        texts = pa.chunked_array([texts for texts, _positions in parts], TEXT).combine_chunks()
        return cls(texts.take(pa.array(order)), 2 * np.concatenate(befores)[order])

    def between(self, low: int, high: int, *, is_last: bool) -> PlacedLines:
        """Give the lines of the records from `low` to `high` and before them, with places counted from `low`.

        With `is_last`, what stands behind the last record is among them.
        """
        first, end = np.searchsorted(self.places, [2 * low, 2 * high]).tolist()
        chosen = slice(first, len(self.places) if is_last else end)
        return PlacedLines(self.texts[chosen], self.places[chosen] - 2 * low)

    def merge(self, other: PlacedLines) -> PlacedLines:
        """Put these and other lines together in their order."""
        if not len(other.places) or not len(self.places):
            return other if len(other.places) else self
        places = np.concatenate([self.places, other.places])
        order = np.argsort(places, kind="stable")
        texts = pa.chunked_array([self.texts, other.texts], TEXT).combine_chunks().take(pa.array(order))
        return PlacedLines(texts, places[order])

    def splice(self, data: ByteArray, starts: Int64Array) -> Iterator[ByteArray]:
        """Put these lines between those of `data`, in which the line of record n starts at `starts[n]`."""
        lines, edges = bytes_of(self.texts)
        cuts, firsts = np.unique(starts[self.places >> 1], return_index=True)
        begin, stops = 0, [*edges[firsts].tolist(), edges[-1]]
        for cut, (low, high) in zip(cuts.tolist(), pairwise(stops), strict=True):
            yield data[begin:cut]
            yield lines[low:high]
            begin = cut
        yield data[begin:]
