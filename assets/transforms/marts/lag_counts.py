"""What is left to read between a place in a log and its end: whole columns, as macros say it of one instant.

Put here the counting alone. How a commit finds its place is in `assets.transforms.marts.lag`, what follows from the
bounds in the description of mart.lag. The macros `_lag_bounds`, `_lag_times`, `_stable_goal` and `_lag_columns` define
the same for one instant. This second definition stays for speed: it places and counts a million commits in 1.7 s of
processor, where the macros take half a second for one instant. tests/assets/test_lag.py compares every column of both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assets.arrays.neighbours import Mask
    from parsers.words import Int64Array

    Numbers = Mapping[str, Int64Array]

UNKNOWN: Final = int(np.iinfo(np.int64).min)
"""The number that is not known. It is lower than any other, so that the greater of two is the one that is."""


@dataclass(frozen=True)
class Lookup:
    """Rows that were looked for: what a column says in each, UNKNOWN where none was found."""

    columns: Numbers
    """Each with UNKNOWN behind its rows, where -1 leads."""
    rows: Int64Array

    def __getitem__(self, name: str) -> Int64Array:
        """What the column says."""
        return self.columns[name][self.rows]


@dataclass(frozen=True)
class LogEnds:
    """Where reading would end: at one goal, or between two where the log end is known within bounds."""

    first: Lookup
    last: Lookup
    """The same as the first where the log end is known exactly."""
    is_bounded: Mask
    known_end: Int64Array
    last_end: Int64Array

    @property
    def are_stable(self) -> Mask:
        """For who reads committed records only there is as much as for everybody."""
        first, last = (np.equal(goal["log_end_offset"], goal["last_stable_offset"]) for goal in (self.first, self.last))
        return np.logical_and(first, last)

    def are_sound(self, begins: Int64Array) -> Mask:
        """Something is known of the end, and where reading begins is not beyond the last that it can be."""
        is_compared = (begins != UNKNOWN) & (self.last_end != UNKNOWN)
        return np.where(is_compared, begins <= self.last_end, (self.known_end >= 0) | (self.last_end >= 0))


class LogEnd(NamedTuple):
    """Where reading would end, and what there is to read from the beginning of the log to there."""

    end: Int64Array
    lower: Int64Array
    upper: Int64Array
    bytes: Int64Array
    unseen: Int64Array


class Remainder(NamedTuple):
    """What a stretch has from an offset on."""

    lookup: Lookup
    unread_from: Int64Array
    least: Int64Array
    most: Int64Array
    before: Int64Array
    """Offsets before the stretch that nobody looked into."""


class Times(NamedTuple):
    """Microseconds from the first record that is left to the instant."""

    longest: Int64Array
    shortest: Int64Array


def remainder_of(stretch: Lookup, unread_from: Int64Array) -> Remainder:
    """What the stretch that an offset lies in, or before, has from there on."""
    base, lower, upper = (stretch[name] for name in ("base_offset", "records_lower", "records_upper"))
    is_all = unread_from <= base
    least = np.where(is_all, lower, np.maximum(lower - (unread_from - base), 0))
    most = np.where(is_all, upper, np.minimum(upper, stretch["last_offset"] - unread_from + 1))
    return Remainder(stretch, unread_from, least, most, np.maximum(stretch["seen_from"] - unread_from, 0))


def bounds_up_to(left: Remainder, goal: LogEnd) -> LogEnd:
    """Between which bounds lie the records from an offset to the goal, the bytes and the offsets nobody looked into."""
    stretch = left.lookup
    is_at_end = (left.unread_from != UNKNOWN) & (goal.end != UNKNOWN) & (left.unread_from >= goal.end)
    is_found = (stretch.rows >= 0) & (goal.lower != UNKNOWN) & ~is_at_end
    is_beyond = is_found & (goal.end != UNKNOWN) & (stretch["last_offset"] >= goal.end)
    kinds = [is_at_end, is_beyond, is_found]

    def known(beyond: Int64Array | int, inside: Int64Array) -> Int64Array:
        return np.select(kinds, [np.int64(0), beyond, inside], np.int64(UNKNOWN))

    whole = np.where(left.most > 0, stretch["bytes"], 0)
    looked = left.before + (stretch["is_batch"] == 0)
    return LogEnd(
        goal.end,
        known(np.int64(0), goal.lower - stretch["records_lower_through"] + left.least),
        known(goal.end - left.unread_from, goal.upper - stretch["records_upper_through"] + left.most + left.before),
        known(np.int64(UNKNOWN), goal.bytes - stretch["bytes_through"] + whole),
        known(np.int64(1), goal.unseen - stretch["unseen_through"] + looked),
    )


def ages_of(left: Remainder, reached_at: Int64Array, as_of: Int64Array) -> Times:
    """How long ago the first record that is left can have been written."""
    stretch, is_found = left.lookup, left.lookup.rows >= 0
    is_none, is_unsure = is_found & (left.most == 0), is_found & (left.least == 0)
    is_inside = is_found & (left.unread_from >= stretch["seen_from"])
    earliest = np.select([is_none, is_inside], [stretch["next_earliest_at"], stretch["earliest_at"]], UNKNOWN)
    is_first = is_found & (left.unread_from <= stretch["base_offset"])
    choices = [stretch["next_latest_at"], np.full_like(as_of, UNKNOWN), stretch["first_latest_at"]]
    latest = np.select([is_none, is_unsure, is_first], choices, stretch["latest_at"])
    return Times(_since(earliest, as_of), _since(np.where(latest == UNKNOWN, reached_at, latest), as_of))


def lag_columns(bounds: LogEnd, times: Times) -> dict[str, Int64Array]:
    """The bounds as columns of lag."""
    lower, upper = bounds.lower, bounds.upper
    return {
        "records_lower": lower,
        "records_upper": upper,
        "bytes": np.where(bounds.unseen == 0, bounds.bytes, UNKNOWN),
        "seconds_lower": np.where(lower == 0, 0, np.where(lower > 0, times.shortest, UNKNOWN)),
        "seconds_upper": np.where(upper == 0, 0, np.where(lower >= 0, times.longest, UNKNOWN)),
    }


def remaining_lag(
    as_of: Int64Array, goals: LogEnds, left: Remainder
) -> tuple[dict[str, Int64Array], dict[str, Int64Array]]:
    """What is left for everybody, and for who reads committed records only."""
    times = ages_of(left, goals.first["reached_at"], as_of)
    first, last = (bounds_up_to(left, _whole(goal)) for goal in (goals.first, goals.last))
    high = lag_columns(bounds_between(first, last, goals.is_bounded, left.unread_from), times)
    if goals.are_stable.all():
        return high, high
    first, last = (bounds_up_to(left, _stable(goal, left.unread_from)) for goal in (goals.first, goals.last))
    return high, lag_columns(bounds_between(first, last, goals.is_bounded, left.unread_from), times)


def bounds_between(first: LogEnd, last: LogEnd, is_bounded: Mask, unread_from: Int64Array) -> LogEnd:
    """The bounds of the first goal; where the log ended between two, its lower and the upper of the last."""
    is_unknown = unread_from == UNKNOWN
    lower = np.where(is_unknown, UNKNOWN, np.maximum(first.lower, 0))
    return LogEnd(
        first.end,
        np.where(is_bounded, lower, first.lower),
        np.where(is_bounded, last.upper, first.upper),
        np.where(is_bounded, UNKNOWN, first.bytes),
        np.where(is_bounded, np.where(is_unknown, UNKNOWN, 1), first.unseen),
    )


def _whole(goal: Lookup) -> LogEnd:
    """The goal of who reads all records."""
    through = (goal[f"{name}_through"] for name in ("records_lower", "records_upper", "bytes", "unseen"))
    return LogEnd(goal["log_end_offset"], *through)


def _stable(goal: Lookup, unread_from: Int64Array) -> LogEnd:
    """The goal of who reads committed records only: behind the last stable offset nothing is left for him."""
    last_stable = goal["last_stable_offset"]
    is_ahead = (unread_from != UNKNOWN) & (last_stable > unread_from)
    end = np.where(is_ahead | (last_stable == UNKNOWN), last_stable, unread_from)
    return LogEnd(end, *(goal[f"stable_{name}_through"] for name in ("lower", "upper", "bytes", "unseen")))


def _since(at: Int64Array, as_of: Int64Array) -> Int64Array:
    """Microseconds since then; none since what a producer's clock put later."""
    return np.where(at == UNKNOWN, UNKNOWN, np.maximum(as_of - at, 0))
