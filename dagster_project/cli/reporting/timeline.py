"""Owners of partitions and moves of their offsets: a lane for each partition that matters, bands for the rest.

Put here which partitions get a lane and how lanes and bands are drawn. What is asked about them stands in `questions`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from dagster_project.cli.reporting.axes import LEFT, RIGHT, Tick, TimeAxis
from dagster_project.cli.reporting.questions import STEPS

if TYPE_CHECKING:
    from collections.abc import Sequence

Row = dict[str, Any]
Place = tuple[str, int]

LANES_MOST: Final = 16
BANDS_MOST: Final = 12
LETTERS: Final = "ABCDEFGH"
"""Members that have a letter and a colour of their own; the others share one."""
OTHER: Final = "other"
_TOP: Final = 34
_LANES: Final = ((4, 70), (8, 52), (LANES_MOST, 40))
"""How high a lane is when there are up to so many."""
_BAND: Final = 12
_OWNER: Final = 10
_LEVELS: Final = 5
_NARROWEST: Final = 0.5
_WIDE_ENOUGH: Final = 14
_PLACE: Final = itemgetter("topic", "partition")


@dataclass(frozen=True, slots=True)
class Member:
    """A member that owned partitions: its letter and its name."""

    letter: str
    member_id: str | None
    client_id: str | None
    host: str | None


@dataclass(frozen=True, slots=True)
class Span:
    """A time for which a member owned a partition."""

    x: float
    width: float
    member: Member
    from_at: Any
    to_at: Any

    @property
    def shows_letter(self) -> bool:
        """Whether the letter fits in."""
        return self.width >= _WIDE_ENOUGH


@dataclass(slots=True)
class Lane:
    """One partition: its owners above, the way of its committed offset below."""

    topic: str
    partition: int
    y: int
    height: int
    spans: list[Span] = field(default_factory=list)
    path: str = ""
    lowest: int | None = None
    highest: int | None = None
    marks: list[tuple[float, str]] = field(default_factory=list)
    removals: list[float] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Band:
    """A band for many partitions: numbers of their commits over time, as shades."""

    first: str
    last: str
    partitions: int
    y: int
    cells: list[tuple[float, float, int, int]]


@dataclass(frozen=True, slots=True)
class TimelineRows:
    """The rows that a timeline is made of."""

    owners: list[Row]
    offsets: list[Row]
    marks: list[Row]
    bands: list[Row]


@dataclass(frozen=True, slots=True)
class Timeline:
    """The shapes of the timeline, in units of the figure."""

    times: list[Tick]
    lanes: list[Lane]
    bands: list[Band]
    members: list[Member]
    others: int
    folded: int
    spans_too_narrow: int
    height: int


def choose_lanes(lanes: Sequence[Row]) -> list[Place]:
    """The partitions that get a lane of their own: those with findings, then those that changed hands most."""
    return sorted(_PLACE(row) for row in lanes[:LANES_MOST])


def timeline(places: Sequence[Place], rows: TimelineRows, axis: TimeAxis, *, folded: int) -> Timeline:
    """Put owners and offsets into lanes, and what is folded into bands below them."""
    letters = _letters(rows.owners)
    height = next(high for most, high in _LANES if len(places) <= most)
    lanes = {place: Lane(*place, _TOP + height * number, height) for number, place in enumerate(places)}
    spans_too_narrow = sum(not _add_span(lanes[_PLACE(row)], row, letters, axis) for row in rows.owners)
    for place, steps in groupby(rows.offsets, key=_PLACE):
        _add_offsets(lanes[place], list(steps))
    for row in rows.marks:
        lanes[_PLACE(row)].marks.append((axis.x(row["occurred_at"]), row["kind"]))
    top = _TOP + height * len(lanes) + (18 if rows.bands else 0)
    drawn = _bands(rows.bands, top)
    others = {row["member_id"] for row in rows.owners} - {
        member.member_id for member in letters.values() if member.letter != OTHER
    }
    return Timeline(
        axis.ticks,
        list(lanes.values()),
        drawn,
        sorted({member for member in letters.values() if member.letter != OTHER}, key=lambda member: member.letter),
        len(others),
        folded,
        spans_too_narrow,
        top + len(drawn) * (_BAND + 2) + 42,
    )


def _letters(owners: Sequence[Row]) -> dict[str | None, Member]:
    """The members; those that owned partitions longest have letters, in the order of their first ownership."""
    owned: Counter[str | None] = Counter()
    for row in owners:
        owned[row["member_id"]] += (row["to_at"] - row["from_at"]).total_seconds() + 1
    best = {member_id for member_id, _ in owned.most_common(len(LETTERS))}
    members: dict[str | None, Member] = {}
    for row in sorted(owners, key=lambda row: (row["from_at"], str(row["member_id"]))):
        if row["member_id"] not in members:
            letter_count = sum(member.letter != OTHER for member in members.values())
            letter = LETTERS[letter_count] if row["member_id"] in best else OTHER
            members[row["member_id"]] = Member(letter, row["member_id"], row["client_id"], row["client_host"])
    return members


def _add_span(lane: Lane, row: Row, letters: dict[str | None, Member], axis: TimeAxis) -> bool:
    """Draw a time of ownership, unless it is too short to be visible."""
    x, end = axis.x(row["from_at"]), axis.x(row["to_at"])
    if end - x < _NARROWEST:
        return False
    lane.spans.append(
        Span(x, round(max(end - x - 1, _NARROWEST), 1), letters[row["member_id"]], row["from_at"], row["to_at"])
    )
    return True


def _add_offsets(lane: Lane, steps: Sequence[Row]) -> None:
    """Draw the committed offset as steps from the lowest to the highest that this partition had in the window."""
    committed = [row for row in steps if row["committed_offset"] is not None]
    lane.removals = [_at(row["step"]) for row in steps if row["is_removed"]]
    if not committed:
        return
    lane.lowest, lane.highest = min(row["lowest"] for row in committed), max(row["highest"] for row in committed)
    bottom, height, extent = lane.y + lane.height - 9, lane.height - _OWNER - 13, max(lane.highest - lane.lowest, 1)
    points = [
        (_at(row["step"]), round(bottom - height * (row["committed_offset"] - lane.lowest) / extent, 1))
        for row in committed
    ]
    lane.path = "M" + " ".join(f"{x} {y}" if n == 0 else f"H{x} V{y}" for n, (x, y) in enumerate(points))


def _bands(rows: Sequence[Row], top: int) -> list[Band]:
    most = max((row["commits"] for row in rows), default=1)
    bands = []
    for number, (_, steps) in enumerate(groupby(rows, key=itemgetter("band"))):
        cells = list(steps)
        bands.append(
            Band(
                _name(cells[0]["first"]),
                _name(cells[0]["last"]),
                max(cell["partitions"] for cell in cells),
                top + number * (_BAND + 2),
                [(_at(c["step"]), _width(), _shade(c["commits"], most), c["commits"]) for c in cells],
            )
        )
    return bands


def _shade(commits: int, most: int) -> int:
    return min(_LEVELS, 1 + commits * _LEVELS // (most + 1))


def _at(step: int) -> float:
    return round(LEFT + (RIGHT - LEFT) * (step + 0.5) / STEPS, 1)


def _width() -> float:
    return round((RIGHT - LEFT) / STEPS, 2)


def _name(place: Any) -> str:  # noqa: ANN401 - a struct of DuckDB is a tuple or a dict, by version
    topic, partition = place.values() if isinstance(place, dict) else place
    return f"{topic}-{partition}"
