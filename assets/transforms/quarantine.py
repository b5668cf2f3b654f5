"""The subject of core.quarantine: the raw records that the reconstruction could not use, each with its reason.

Put here how these rows are told. What is assumed of a record is a row of `assumptions`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assets.arrays.times import instants
from assets.catalog.core.gaps import QUARANTINE

if TYPE_CHECKING:
    from assets.transforms.projection import Stretch, Tables


class Quarantine:
    """Has nothing to remember: whether a record is usable follows from the record alone."""

    tables: tuple[str, ...] = (QUARANTINE.full_name,)

    @classmethod
    def resumed(cls, memory: Tables) -> Quarantine:  # noqa: ARG003 - as every subject
        """Go on anywhere in the log."""
        return cls()

    def replay(self, stretch: Stretch) -> Tables:
        """Give the records of a stretch that were set aside."""
        rows = stretch.unusable
        return {QUARANTINE.full_name: rows.append_column("appended_at", instants(rows["timestamp_ms"]))}

    def standing(self) -> Tables:
        """Nothing: a record does not change."""
        return {}

    def memory(self) -> Tables:
        """Nothing."""
        return {}
