"""The ranges of offsets that a group read twice or never: one row for partitions that fared alike.

Put here how ranges are listed and measured against each other. How they are found belongs to the marts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

Row = dict[str, Any]

ROWS_MOST: Final = 20
BAR: Final = 120


@dataclass(frozen=True, slots=True)
class Range:
    """Partitions with the same range, and its bar: what is possible, estimated and certain of it."""

    row: Row
    estimate: tuple[float, float] | None
    certain: tuple[float, float] | None

    @property
    def possible(self) -> int | None:
        """Offsets of the possible range; NULL where it has no end."""
        end: int | None = self.row["possible_to"]
        return None if end is None else end - self.row["possible_from"]


@dataclass(frozen=True, slots=True)
class Ranges:
    """The rows that are shown, and what is left out."""

    rows: list[Range]
    more: int
    more_partitions: int


def ranges(rows: Sequence[Row]) -> Ranges:
    """The worst twenty rows."""
    rest = rows[ROWS_MOST:]
    return Ranges([_range(row) for row in rows[:ROWS_MOST]], len(rest), sum(len(row["partitions"]) for row in rest))


def _range(row: Row) -> Range:
    return Range(row, _part(row, "estimate"), _part(row, "certain"))


def _part(row: Row, name: str) -> tuple[float, float] | None:
    """Where a part of the possible range begins on its bar, and how wide it is."""
    begin, end, possible_from, possible_to = (
        row[f"{name}_from"],
        row[f"{name}_to"],
        row["possible_from"],
        row["possible_to"],
    )
    if begin is None or end is None or possible_to is None or possible_to <= possible_from:
        return None
    scale = BAR / (possible_to - possible_from)
    return round((begin - possible_from) * scale, 1), round(max((end - begin) * scale, 1), 1)
