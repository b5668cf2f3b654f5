"""The axes of the report's figures: positions of instants and numbers, and ticks.

Put here what several figures measure with. What is drawn along an axis belongs to the figure.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from math import ceil, log10
from typing import Final

from dagster_project.cli.times import moved

WIDTH: Final = 960
LEFT: Final = 132
RIGHT: Final = 948
"""Every figure is as wide as the others, and time runs from and to the same place in each."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=timezone.utc)
_MINUTE_S: Final = 60
_DAY_S: Final = 86_400
_STEPS_S: Final = (
    *(0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200),
    *(days * _DAY_S for days in (1, 2, 7, 14, 30, 91, 182, 365, 730, 1825, 3650, 36_500)),
)
_MOST_TICKS: Final = 8
_ROUND: Final = (1, 2, 5, 10)
_UNITS: Final = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


@dataclass(frozen=True, slots=True)
class Tick:
    """A position on an axis and its label; the day where a new one begins."""

    place: float
    label: str
    day: str = ""


@dataclass(frozen=True, slots=True)
class TimeAxis:
    """Time from left to right, in UTC."""

    begin: datetime
    end: datetime

    def x(self, instant: datetime) -> float:
        """The position of an instant; the border for one outside."""
        part = (instant - self.begin) / (self.end - self.begin)
        return round(LEFT + (RIGHT - LEFT) * min(max(part, 0.0), 1.0), 1)

    @property
    def ticks(self) -> list[Tick]:
        """At most eight round times, the first of each day with its date."""
        span_s = (self.end - self.begin).total_seconds()
        step_s = _STEPS_S[min(bisect_left(_STEPS_S, span_s / _MOST_TICKS), len(_STEPS_S) - 1)]
        first = ceil((self.begin - _EPOCH).total_seconds() / step_s)
        count = int(((self.end - _EPOCH).total_seconds() - first * step_s) / step_s) + 1
        instants = [moved(_EPOCH, timedelta(seconds=(first + number) * step_s)) for number in range(count)]
        days = [None, *(instant.date() for instant in instants)]
        return [
            Tick(self.x(instant), _clock(instant, step_s), "" if day == instant.date() else f"{instant:%d %b %Y}")
            for instant, day in zip(instants, days, strict=False)
        ]


@dataclass(frozen=True, slots=True)
class NumberAxis:
    """A number from bottom to top, beginning at 0."""

    most: float
    top: float
    bottom: float

    @property
    def limit(self) -> float:
        """The round number at which the axis ends."""
        return self._step * ceil(max(self.most, 1) / self._step)

    def y(self, number: float) -> float:
        """The position of a number."""
        return round(self.bottom - (self.bottom - self.top) * number / self.limit, 1)

    @property
    def ticks(self) -> list[Tick]:
        """Four or five round numbers."""
        count = round(self.limit / self._step)
        return [Tick(self.y(self._step * number), compact(self._step * number)) for number in range(count + 1)]

    @property
    def _step(self) -> float:
        rough = max(self.most, 1) / 4
        power = 10.0 ** int(log10(rough)) if rough >= 1 else 1.0
        return power * next(factor for factor in _ROUND if factor * power >= rough)


def compact(number: float) -> str:
    """A number as short as an axis needs it: 1.5k, 20M."""
    for size, unit in _UNITS:
        if number >= size:
            return f"{number / size:.3g}{unit}"
    return f"{number:g}"


def _clock(instant: datetime, step_s: float) -> str:
    if step_s >= _DAY_S:
        return f"{instant:%d %b}"
    if step_s >= _MINUTE_S:
        return f"{instant:%H:%M}"
    return f"{instant:%H:%M:%S}" if step_s >= 1 else f"{instant:%H:%M:%S}.{instant.microsecond // 100_000}"
