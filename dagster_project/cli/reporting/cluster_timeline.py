"""All incidents of a cluster on one timeline: a row for each of the worst groups, one for the others together.

Put here how the rows are drawn. What is asked about them stands in `cluster_questions`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from dagster_project.cli.reporting.axes import LEFT, RIGHT, Tick, TimeAxis
from dagster_project.cli.reporting.questions import STEPS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Row = dict[str, Any]

_TOP: Final = 14
_HEIGHT: Final = 26
_BELOW: Final = 42
_LEVELS: Final = 5
_SLANT: Final = 8
_STEP: Final = (RIGHT - LEFT) / STEPS


@dataclass(frozen=True, slots=True)
class Mark:
    """An incident: where it was detected, and from where to where it lasted."""

    x: float
    from_x: float
    width: float
    row: Row


@dataclass(slots=True)
class Lane:
    """The row of a group: its incidents, and the times of which records may be missing."""

    group: str
    y: int
    marks: list[Mark] = field(default_factory=list)
    unseen: list[tuple[float, float, str]] = field(default_factory=list)
    """From where and how wide, and the lines of the hatching."""


@dataclass(frozen=True, slots=True)
class Timeline:
    """The shapes of the timeline, in units of the figure."""

    times: list[Tick]
    lanes: list[Lane]
    others: list[tuple[float, int, int]]
    """Of the groups without a row of their own: where, how many incidents, and how dark that is."""
    others_y: int | None
    bottom: int
    height: int
    step_width: float


def timeline(
    shown: Sequence[str], incidents: Iterable[Row], others: Sequence[Row], unseen: Iterable[Row], axis: TimeAxis
) -> Timeline:
    """Put incidents and what was not seen into the rows of their groups, all others into one row below."""
    lanes = {group: Lane(group, _TOP + _HEIGHT * number) for number, group in enumerate(shown)}
    for row in incidents:
        if row["group_id"] in lanes and row["detected_at"] is not None:
            lanes[row["group_id"]].marks.append(_mark(row, axis))
    for group, steps in groupby(unseen, key=lambda row: row["group_id"]):
        lane = lanes[group]
        stretches = _stretches([row["step"] for row in steps])
        lane.unseen = [(x, width, _hatching(x, width, lane.y)) for x, width in stretches]
    below = _TOP + _HEIGHT * len(lanes)
    bottom = below + (_HEIGHT if others else 0)
    return Timeline(
        axis.ticks,
        list(lanes.values()),
        _shades(others),
        below if others else None,
        bottom,
        bottom + _BELOW,
        round(_STEP, 2),
    )


def _mark(row: Row, axis: TimeAxis) -> Mark:
    begin = axis.x(row["from_time"] or row["detected_at"])
    end = axis.x(row["to_time"] or row["detected_at"])
    return Mark(axis.x(row["detected_at"]), begin, round(max(end - begin, 0), 1), row)


def _stretches(steps: Sequence[int]) -> list[tuple[float, float]]:
    """From where and how wide, of each run of steps."""
    runs = groupby(enumerate(steps), key=lambda pair: pair[1] - pair[0])
    stretches = [[step for _, step in run] for _, run in runs]
    return [(round(LEFT + _STEP * run[0], 1), round(_STEP * len(run), 1)) for run in stretches]


def _hatching(x: float, width: float, y: int) -> str:
    """Slanted lines over the height of a row, at the same places in every row."""
    first = int(x // _SLANT + 1) * _SLANT
    return "".join(
        f"M{at} {y + _HEIGHT - 4}L{at + _SLANT} {y + 2}" for at in range(first, int(x + width) - _SLANT + 1, _SLANT)
    )


def _shades(others: Sequence[Row]) -> list[tuple[float, int, int]]:
    most = max((row["incidents"] for row in others), default=1)
    return [
        (
            round(LEFT + _STEP * row["step"], 1),
            row["incidents"],
            min(_LEVELS, 1 + row["incidents"] * _LEVELS // (most + 1)),
        )
        for row in others
    ]
