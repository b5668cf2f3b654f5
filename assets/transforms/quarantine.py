"""The projection of core.quarantine: the raw records that break an assumption, each with its reason.

Put here how these rows are written. The assumptions are rows of `assumptions`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assets.arrays.times import instants
from assets.catalog.core.gaps import QUARANTINE

if TYPE_CHECKING:
    from assets.transforms.projection import LogChunk, Tables


class Quarantine:
    """Has nothing to remember: whether a record is usable follows from the record alone."""

    tables: tuple[str, ...] = (QUARANTINE.full_name,)

    @classmethod
    def resume(cls, memory: Tables) -> Quarantine:  # noqa: ARG003 - as every subject
        """Resume anywhere in the log."""
        return cls()

    def replay(self, chunk: LogChunk) -> Tables:
        """Give the records of a chunk that break an assumption."""
        rows = chunk.unusable
        return {QUARANTINE.full_name: rows.append_column("appended_at", instants(rows["timestamp_ms"]))}

    def open_rows(self) -> Tables:
        """Nothing: a record does not change."""
        return {}

    def memory(self) -> Tables:
        """Nothing."""
        return {}
