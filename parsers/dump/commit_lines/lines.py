"""The lines of the offset commits among some records; every other record is left to `parsers.dump.json_lines`.

Put here which records are tried, and the memory that their lines take.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from parsers.dump.commit_lines.characters import WORD_BYTES
from parsers.dump.commit_lines.loop import write_lines
from parsers.dump.commit_lines.program import commit_program
from parsers.spans import frozen

if TYPE_CHECKING:
    from parsers.dump.commit_lines.loop import Heads, Mask
    from parsers.log.records import Records
    from parsers.words import ByteArray, Int64Array


class CommitLines(NamedTuple):
    """Lines one after the other, and where those of each record start and the last one ends."""

    data: ByteArray
    starts: Int64Array

    @property
    def is_missing(self) -> Mask:
        """Which records have no line here."""
        is_missing: Mask = self.starts[1:] == self.starts[:-1]
        return is_missing


def padded_heads(data: ByteArray, edges: Int64Array) -> Heads:
    """Give what begins the lines of each batch as the loop takes it: with some bytes behind the last one."""
    return frozen(np.append(data, np.zeros(WORD_BYTES, np.uint8))), edges


class CommitWriter:
    """Writes the lines of offset commits into memory of its own, which the next ones are put into again."""

    def __init__(self) -> None:
        """Begin without memory."""
        self._room = np.empty(0, np.uint8)

    def write(self, records: Records, heads: Heads, is_wanted: Mask) -> CommitLines:
        """Write the wanted records, as long as they are offset commits and nothing about them is odd."""
        program, most_bytes = commit_program()
        content_bytes = records.key_end - records.key_start + records.value_end - records.value_start
        head_bytes = heads[1][records.batch + 1] - heads[1][records.batch]
        size = int((head_bytes + content_bytes + most_bytes)[is_wanted].sum())
        data, starts = self._take(size), np.empty(len(records) + 1, np.int64)
        write_lines(data, heads, (frozen(records.buffer), frozen(records.spans)), program, (is_wanted, starts))
        return CommitLines(data[: starts[-1]], starts)

    def _take(self, size: int) -> ByteArray:
        if size > self._room.size:
            self._room = np.empty(size, np.uint8)
        return self._room
