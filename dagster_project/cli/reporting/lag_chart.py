"""The lag of a group over time: all its partitions together, and the one that was farthest behind.

Put here how lag is drawn. How it is worked out stands in `questions`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from dagster_project.cli.reporting.axes import NumberAxis, Tick, TimeAxis

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Row = dict[str, Any]

TOP: Final = 30
BOTTOM: Final = 220
HEIGHT: Final = 262
_UNKNOWN_TOP: Final = BOTTOM + 2


@dataclass(frozen=True, slots=True)
class Line:
    """A stretch in which the lag is known: the line, the area below it, and the line of the worst partition."""

    path: str
    area: str
    worst: str


@dataclass(frozen=True, slots=True)
class LagChart:
    """What is drawn, in units of the figure."""

    times: list[Tick]
    lags: list[Tick]
    lines: list[Line]
    unknown: list[tuple[float, float]]
    peak: Row | None
    peak_x: float
    peak_y: float
    is_one_partition: bool


def lag_chart(rows: Sequence[Row], axis: TimeAxis) -> LagChart:
    """The chart of one row per instant; where nothing is known of the lag there is no line, and never a zero."""
    peak = max((row for row in rows if row["lag"] is not None), key=lambda row: row["lag"], default=None)
    lags = NumberAxis(peak["lag"] if peak else 1, TOP, BOTTOM)
    return LagChart(
        axis.ticks,
        lags.ticks if peak else [],
        [_line(stretch, axis, lags) for stretch in _known(rows)],
        list(_unknown(rows, axis)),
        peak,
        axis.x(peak["looked_at"]) if peak else 0,
        lags.y(peak["lag"]) if peak else 0,
        is_one_partition=all(row["committed"] <= 1 for row in rows),
    )


def _known(rows: Sequence[Row]) -> Iterator[list[Row]]:
    for is_known, stretch in groupby(rows, key=lambda row: row["lag"] is not None):
        if is_known:
            yield list(stretch)


def _line(rows: Sequence[Row], axis: TimeAxis, lags: NumberAxis) -> Line:
    xs = [axis.x(row["looked_at"]) for row in rows]
    path = " L".join(f"{x} {lags.y(row['lag'])}" for x, row in zip(xs, rows, strict=True))
    worst = " L".join(f"{x} {lags.y(row['worst_lag'])}" for x, row in zip(xs, rows, strict=True))
    return Line(f"M{path}", f"M{xs[0]} {lags.bottom} L{path} L{xs[-1]} {lags.bottom}Z", f"M{worst}")


def _unknown(rows: Sequence[Row], axis: TimeAxis) -> Iterator[tuple[float, float]]:
    """Where the lag of some partition that was committed is not known: from where, and how wide."""
    for is_unknown, stretch in groupby(rows, key=lambda row: row["unknown"] > 0):
        if is_unknown:
            xs = [axis.x(row["looked_at"]) for row in stretch]
            yield xs[0], round(max(xs[-1] - xs[0], 2), 1)
