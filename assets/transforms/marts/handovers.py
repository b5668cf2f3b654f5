"""Ends of ownership with the commits before them, and before the next owners began.

Put here how these commits are found, and the pace of an owner's own. Where ownership ends is in the model
`ownership_ends`, what a hand-over means in the models of mart.replays. A test compares this with a plain query.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assets.arrays.columns import minus
from assets.arrays.neighbours import NO_ROW, at_rows
from assets.catalog.table import TIMESTAMP
from assets.transforms.commits.committers import ADMIN_MOST
from assets.transforms.marts.lag_counts import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assets.arrays.neighbours import Mask
    from assets.transforms.marts.commit_index import CommitIndex
    from parsers.words import Int64Array

OWN_MOST: Final = 10
"""The most commits that the pace of an owner is worked out from."""
REPEATS: Final = pa.array(["repeat"])
COMMIT: Final = {
    "committed_offset": "committed_offset",
    "log_offset": "log_offset",
    "place": "position",
    "committed_at": "effective_us",
    "kind": "kind",
    "cause": "cause",
    "is_transactional": "is_transactional",
    "previous_offset": "previous_offset",
}
"""The fields of a commit, and the columns of the index that they are in."""


def handovers(ownership_ends: pa.Table, index: CommitIndex) -> pa.Table:
    """Each end of ownership with the `last` commit before it, the one `standing` when the next began, and the pace.

    Of commits that only repeat what stood when the next owner began, more may come: until `is_repeat_over`.
    """
    key, until, begins, owned = (
        ownership_ends[name].to_numpy() for name in ("key", "until_log_offset", "from_log_offset", "owned_log_offset")
    )
    stretches, at = _stretches(index, np.concatenate([key, key]), np.concatenate([until, begins]))
    ended, begun = at[: key.size], at[key.size :]
    standing = stretches.newest[begun]
    is_later = at_rows(index.positions, standing, UNKNOWN) >= until
    repeats = Repeats.of(index, key, begins)
    looked_up = {
        "last_repeat_at": repeats.last_at,
        "is_repeat_over": repeats.is_over,
        "standing": _commits(index, standing),
        "last": _commits(index, stretches.newest[ended]),
        "is_read_between": pa.array(is_later & stretches.is_read_outside(index)[begun]),
        "stretch_position": stretches.positions(index, np.where(until > begins, ended, begun)),
        **_pace(index, stretches.begins[ended], stretches.ends[ended], index.behind(key, owned)),
    }
    return pa.table({**{name: ownership_ends[name] for name in ownership_ends.column_names}, **looked_up})


def with_later_repeats(earlier: pa.Table, index: CommitIndex) -> pa.Table:
    """Remembered commits before ends of ownership, with what new commits, those of the index, repeat of them."""
    later = Repeats.of(index, earlier["key"].to_numpy(), earlier["from_log_offset"].to_numpy())
    was_over = earlier["is_repeat_over"]
    stays = pc.or_(was_over, pc.invert(later.has_any))
    merged = {
        "last_repeat_at": pc.if_else(stays, earlier["last_repeat_at"], later.last_at),
        "is_repeat_over": pc.or_(was_over, later.is_over),
    }
    return pa.table({name: merged.get(name, earlier[name]) for name in earlier.column_names})


class Repeats(NamedTuple):
    """The commits, from some places on, that only repeat what stood there."""

    has_any: pa.Array
    last_at: pa.Array
    """When the last of them was made."""
    is_over: pa.Array
    """Whether another commit came behind them."""

    @classmethod
    def of(cls, index: CommitIndex, key: Int64Array, begins: Int64Array) -> Repeats:
        """Those of keys from these places on."""
        is_repeat = index.are_one_of(REPEATS)
        others = np.append(np.flatnonzero(~is_repeat), is_repeat.size)
        first = index.behind(key, begins - 1)
        ends = np.minimum(others[np.searchsorted(others, first)], index.high[key])
        last_at = at_rows(index.times, np.where(ends > first, ends - 1, NO_ROW), UNKNOWN)
        times = pa.array(last_at, TIMESTAMP, mask=last_at == UNKNOWN)
        return cls(pa.array(ends > first), times, pa.array(ends < index.high[key]))


@dataclass(frozen=True)
class Stretches:
    """For places in the log the stretch of commits since the place before; the last one, where none came since."""

    begins: Int64Array
    ends: Int64Array

    @property
    def newest(self) -> Int64Array:
        """The row of the last commit before each place; NO_ROW without one."""
        return np.where(self.ends > self.begins, self.ends - 1, NO_ROW)

    def positions(self, index: CommitIndex, at: Int64Array) -> pa.Array:
        """Where some of them begin; NULL without a commit."""
        has_any = self.ends > self.begins
        positions = at_rows(index.positions, np.where(has_any, self.begins, NO_ROW))[at]
        return pa.array(positions, mask=~has_any[at])

    def is_read_outside(self, index: CommitIndex) -> Mask:
        """Whether somebody who is no member read there: who commits often, or knows an epoch."""
        outside, read = index.truths("is_outside"), index.truths("is_outside") & index.truths("has_epoch")
        often: Mask = self.count(outside) > ADMIN_MOST
        return often | (self.count(read) > 0)

    def count(self, mask: Mask) -> Int64Array:
        """How many commits of each stretch something holds of."""
        until = _running_counts(mask)
        return until[self.ends] - until[self.begins]


def _stretches(index: CommitIndex, key: Int64Array, place: Int64Array) -> tuple[Stretches, Int64Array]:
    """The stretches of all places in order, and for each that was asked for which is its own."""
    order = np.lexsort((place, key))
    keys, places = key[order], place[order]
    is_new = np.append(True, (keys[1:] != keys[:-1]) | (places[1:] != places[:-1]))[: keys.size]
    at = np.empty(keys.size, np.int64)
    at[order] = np.cumsum(is_new) - 1
    return _fill(index, keys[is_new], places[is_new]), at


def _fill(index: CommitIndex, key: Int64Array, place: Int64Array) -> Stretches:
    """The stretch before each place; where it has no commit, the last of the key that has some."""
    ends, low = index.behind(key, place - 1), index.low[key]
    is_first = np.append(True, key[1:] != key[:-1])[: key.size]
    begins = np.where(is_first, low, np.append(0, ends)[: key.size])
    row = np.arange(key.size)
    last = np.maximum.accumulate(np.where(is_first | (ends > begins), row, 0))
    return Stretches(begins[last], ends)


def _pace(index: CommitIndex, begins: Int64Array, ends: Int64Array, behind: Int64Array) -> Mapping[str, pa.Array]:
    """How many of the last commits of a stretch are the owner's own, and how far apart these are."""
    committed, times = index.committed, index.times
    rows, until = np.flatnonzero(committed != UNKNOWN), _running_counts(committed != UNKNOWN)
    is_known = until[ends] > until[begins]
    own = np.clip(until[ends] - until[np.clip(behind, begins, ends)], 0, OWN_MOST)
    newest, oldest = (at_rows(rows, np.where(own > 0, until[ends] - back, NO_ROW)) for back in (1, own))
    newest_at, oldest_at = at_rows(times, newest, UNKNOWN), at_rows(times, oldest, UNKNOWN)
    steps = np.maximum(own - 1, 1)
    is_timed = (own > 1) & (newest_at != UNKNOWN) & (oldest_at != UNKNOWN)
    step = np.maximum(minus(at_rows(committed, newest), at_rows(committed, oldest)), 0) / steps
    return {
        "own": pa.array(own, mask=~is_known),
        "own_at": pa.array(newest_at, TIMESTAMP, mask=newest_at == UNKNOWN),
        "interval_ms": pa.array((newest_at // 1000 - oldest_at // 1000) / steps, mask=~is_timed),
        "step": pa.array(step, mask=own <= 1),
    }


def _running_counts(mask: Mask) -> Int64Array:
    """Of how many rows before each something holds, and of how many at all."""
    return np.append(0, np.cumsum(mask))


def _commits(index: CommitIndex, rows: Int64Array) -> pa.Array:
    """Commits as structs; NULL of NO_ROW."""
    columns = {name: index.take(column, rows) for name, column in COMMIT.items()}
    columns["committed_at"] = columns["committed_at"].cast(TIMESTAMP)
    return pa.StructArray.from_arrays(list(columns.values()), list(columns), mask=pa.array(rows == NO_ROW))
