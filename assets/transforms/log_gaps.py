"""The subject of the holes in a partition's log: offsets of which nothing is known, and when they were written.

Put here what a hole is. What it hides is up to who compares records across it: `commits`, `effects`, the
models.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc

from assets.arrays.times import instants
from assets.catalog.core.gaps import LOG_GAPS

if TYPE_CHECKING:
    from assets.transforms.projection import Stretch, Tables

MEMORY: Final = pa.schema([("last_log_offset", pa.int64()), ("last_ms", pa.int64())])


class Holes:
    """Remembers when the last record was appended, for a hole that may follow it."""

    tables: tuple[str, ...] = (LOG_GAPS.full_name,)

    def __init__(self, last: pa.Table) -> None:
        """Begin behind a record."""
        self._last = last

    @classmethod
    def resumed(cls, memory: Tables) -> Holes:
        """Go on from what was remembered; from nothing at the beginning of the log."""
        return cls(memory.get("last", MEMORY.empty_table()))

    def replay(self, stretch: Stretch) -> Tables:
        """Give the holes: what was not seen by now is a hole of this log, until it is replayed anew."""
        rows = _rows(stretch.gaps, self._last)
        if [stretch.last_offset] != self._last["last_log_offset"].to_pylist():
            last = {"last_log_offset": stretch.last_offset, "last_ms": stretch.last_ms}
            self._last = pa.Table.from_pylist([last], MEMORY)
        return {LOG_GAPS.full_name: rows}

    def standing(self) -> Tables:
        """Nothing: where the log ends there is no hole."""
        return {}

    def memory(self) -> Tables:
        """The last record."""
        return {"last": self._last}


def _rows(gaps: pa.Table, last: pa.Table) -> pa.Table:
    """The rows of core.log_gaps; one that follows the stretch before begins at the time of its last record."""
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
