"""The projection of core.log_gaps: ranges of a partition's log without records, and when they were written.

Put here what a gap is. What it may hide is for the code that compares records across it: `commits`,
`transaction_outcomes`, the models.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc

from assets.arrays.times import instants
from assets.catalog.core.gaps import LOG_GAPS

if TYPE_CHECKING:
    from assets.transforms.projection import LogChunk, Tables

MEMORY: Final = pa.schema([("last_log_offset", pa.int64()), ("last_ms", pa.int64())])


class LogGaps:
    """Remembers when the last record was appended, for a gap that may follow it."""

    tables: tuple[str, ...] = (LOG_GAPS.full_name,)

    def __init__(self, last: pa.Table) -> None:
        """Begin after a record."""
        self._last = last

    @classmethod
    def resume(cls, memory: Tables) -> LogGaps:
        """Resume from the last record; from none at the beginning of the log."""
        return cls(memory.get("last", MEMORY.empty_table()))

    def replay(self, chunk: LogChunk) -> Tables:
        """Give the gaps: an offset without a record by now is a gap until the log is reconstructed anew."""
        rows = _rows(chunk.gaps, self._last)
        if [chunk.last_offset] != self._last["last_log_offset"].to_pylist():
            last = {"last_log_offset": chunk.last_offset, "last_ms": chunk.last_ms}
            self._last = pa.Table.from_pylist([last], MEMORY)
        return {LOG_GAPS.full_name: rows}

    def open_rows(self) -> Tables:
        """Nothing: there is no gap at the end of the log."""
        return {}

    def memory(self) -> Tables:
        """The last record."""
        return {"last": self._last}


def _rows(gaps: pa.Table, last: pa.Table) -> pa.Table:
    """The rows of core.log_gaps; a gap directly after the chunk before begins at the time of its last record."""
    from_ms = gaps["from_ms"]
    if last.num_rows:
        follows = pc.equal(gaps["from_log_offset"], last["last_log_offset"][0].as_py() + 1)
        from_ms = pc.coalesce(from_ms, pc.if_else(follows, last["last_ms"][0], None))
    return pa.table(
        {
            "from_log_offset": gaps["from_log_offset"],
            "to_log_offset": gaps["to_log_offset"],
            "from_at": instants(from_ms),
            "to_at": instants(gaps["to_ms"]),
            "is_damage": gaps["is_damage"],
        }
    )
