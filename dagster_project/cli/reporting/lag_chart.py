"""The lag of a group over time: all its partitions together, and the one that was farthest behind.

Put here how lag is drawn. How it is worked out stands in `questions`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from dagster_project.cli.reporting.axes import NumberAxis, Tick, TimeAxis

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Row = dict[str, Any]

TOP: Final = 30
BOTTOM: Final = 220
HEIGHT: Final = 262
_BAND_MOST: Final = 4


@dataclass(frozen=True, slots=True)
class Line:
    """A stretch in which the lag is known exactly: the line, and the line of the worst partition."""

    path: str
    worst: str


@dataclass(frozen=True, slots=True)
class LagChart:
    """The shapes of the chart, in units of the figure."""

    times: list[Tick]
    lags: list[Tick]
    areas: list[str]
    """The line of the lower bound of the lag."""
    bands: list[str]
    """The area from the lower to the upper bound, where they differ."""
    lines: list[Line]
    unknown: list[tuple[float, float]]
    peak: Row | None
    is_peak_exact: bool
    """The lag was higher at no instant that was looked at."""
    peak_x: float
    peak_y: float
    is_one_partition: bool


def lag_chart(rows: Sequence[Row], axis: TimeAxis) -> LagChart:
    """The chart of one row per instant; where nothing is known of the lag there is no line, and never a zero."""
    peak = max((row for row in rows if row["lag_lower"] is not None), key=lambda row: row["lag_lower"], default=None)
    lags = NumberAxis(_most(rows, peak), TOP, BOTTOM)
    known = list(_stretches(rows, lambda row: row["lag_lower"] is not None))
    return LagChart(
        axis.ticks,
        lags.ticks if peak else [],
        [_area(stretch, axis, lags) for stretch in known],
        [_band(stretch, axis, lags) for rows_of in known for stretch in _inexact(rows_of)],
        [_line(stretch, axis, lags) for stretch in _stretches(rows, _is_exact)],
        list(_unknown(rows, axis)),
        peak,
        is_peak_exact=peak is not None and all(_is_at_most(row, peak["lag_lower"]) for row in rows if row["committed"]),
        peak_x=axis.x(peak["looked_at"]) if peak else 0,
        peak_y=lags.y(peak["lag_lower"]) if peak else 0,
        is_one_partition=all(row["committed"] <= 1 for row in rows),
    )


def _is_exact(row: Row) -> bool:
    return row["lag_lower"] is not None and bool(row["lag_lower"] == row["lag_upper"])


def _is_at_most(row: Row, lag: int) -> bool:
    return row["lag_upper"] is not None and bool(row["lag_upper"] <= lag)


def _most(rows: Sequence[Row], peak: Row | None) -> int:
    """The highest lag to draw: upper bounds are cut so that the lower ones stay visible."""
    lower = peak["lag_lower"] if peak else 0
    upper = max((row["lag_upper"] for row in rows if row["lag_upper"] is not None), default=0)
    return max(lower, min(upper, _BAND_MOST * lower) if lower else upper)


def _stretches(rows: Sequence[Row], is_in: Callable[[Row], bool]) -> Iterator[list[Row]]:
    for is_inside, stretch in groupby(rows, key=is_in):
        if is_inside:
            yield list(stretch)


def _inexact(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """The stretches with bounds, each with the exact instants on both sides of it."""
    places = [place for place, row in enumerate(rows) if not _is_exact(row)]
    for _, run in groupby(enumerate(places), key=lambda pair: pair[1] - pair[0]):
        inside = [place for _, place in run]
        yield list(rows[max(inside[0] - 1, 0) : inside[-1] + 2])


def _line(rows: Sequence[Row], axis: TimeAxis, lags: NumberAxis) -> Line:
    return Line(
        *(f"M{_path(rows, axis, [lags.y(row[name]) for row in rows])}" for name in ("lag_lower", "worst_lower"))
    )


def _area(rows: Sequence[Row], axis: TimeAxis, lags: NumberAxis) -> str:
    path = _path(rows, axis, [lags.y(row["lag_lower"]) for row in rows])
    return f"M{axis.x(rows[0]['looked_at'])} {BOTTOM} L{path} L{axis.x(rows[-1]['looked_at'])} {BOTTOM}Z"


def _band(rows: Sequence[Row], axis: TimeAxis, lags: NumberAxis) -> str:
    """Open to the top where the lag has no upper bound."""
    upper = [TOP if row["lag_upper"] is None else max(lags.y(row["lag_upper"]), TOP) for row in rows]
    lower = [lags.y(row["lag_lower"]) for row in reversed(rows)]
    return f"M{_path(rows, axis, upper)} L{_path(rows[::-1], axis, lower)}Z"


def _path(rows: Sequence[Row], axis: TimeAxis, ys: Sequence[float]) -> str:
    return " L".join(f"{axis.x(row['looked_at'])} {y}" for row, y in zip(rows, ys, strict=True))


def _unknown(rows: Sequence[Row], axis: TimeAxis) -> Iterator[tuple[float, float]]:
    """Where the lag of some partition that was committed is not known: from where, and how wide."""
    for is_unknown, stretch in groupby(rows, key=lambda row: row["unknown"] > 0):
        if is_unknown:
            xs = [axis.x(row["looked_at"]) for row in stretch]
            yield xs[0], round(max(xs[-1] - xs[0], 2), 1)
