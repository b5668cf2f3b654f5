"""What groups that are made up do in one day: batches of commits, now and then a new generation or a deletion.

Rows of numbers are made here, not bytes. The groups are `benchmarks.crowd`, the bytes are `benchmarks.batches`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from benchmarks.batches import NULL, Row
from benchmarks.crowd import bits
from parsers.compiled import compiled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from benchmarks.crowd import Crowd, Shape
    from parsers.words import Int64Array

START_MS: Final = 1_760_000_000_000
DAY_MS: Final = 86_400_000
MOST_RECORDS_PER_BATCH: Final = 16

COMMIT, STATE, TOMBSTONE = range(3)

_TRAFFIC: Final = 2
_BATCHES_PER_CHUNK: Final = 32_768
_STATE_EVERY: Final = 512
_TOMBSTONE_EVERY: Final = 4096
_LONGEST_STEP: Final = 200
_SHARE_BITS: Final = 53


class Lexicon(NamedTuple):
    """Numbers of the phrases: by key its own and its commit's in versions 3 and 4, by group its own and its state's."""

    key: Int64Array
    older: Int64Array
    newer: Int64Array
    group: Int64Array
    state: Int64Array


class Progress(NamedTuple):
    """How far everyone is: offset by key; by group its generation, and the turn of its keys."""

    committed: Int64Array
    generation: Int64Array
    turn: Int64Array


class Drawn(NamedTuple):
    """Batches as they were drawn."""

    group: Int64Array
    record_count: Int64Array
    kind: Int64Array
    timestamp_ms: Int64Array
    is_newer: NDArray[np.bool_]


class Chunk(NamedTuple):
    """Batches of one partition that follow each other, and the rows of their records."""

    drawn: Drawn
    rows: Int64Array


def beginning(crowd: Crowd) -> Progress:
    """Give the progress of a crowd that has done nothing yet."""
    groups = len(crowd.groups)
    return Progress(crowd.first_offset.copy(), np.ones(groups, np.int64), np.zeros(groups, np.int64))


class Traffic:
    """The batches of one partition of the offsets topic, from its first commit to its last."""

    def __init__(self, shape: Shape, crowd: Crowd, log_partition: int) -> None:
        """Choose the groups of the partition."""
        self._upgraded_after = shape.upgraded_after
        self._first_key = crowd.first_key
        self._groups = np.flatnonzero(crowd.log_partition == log_partition)
        self._bounds = np.cumsum(crowd.weight[self._groups])
        self._bits = bits(shape.seed, _TRAFFIC, log_partition)

    def chunks(self, commits: int, lexicon: Lexicon, progress: Progress) -> Iterator[Chunk]:
        """Draw batches until there are so many commits, spread over a day; `progress` goes along."""
        done = 0
        while done < commits:
            drawn = self._draw(done, commits)
            yield Chunk(drawn, _rows(drawn, self._first_key, lexicon, progress))
            done += int(drawn.record_count[drawn.kind == COMMIT].sum())

    def _draw(self, done: int, commits: int) -> Drawn:
        """Draw a chunk of batches; the last of all is cut so that the commits come out even."""
        first, second = (self._bits.random_raw(_BATCHES_PER_CHUNK) for _ in range(2))
        kind, lot = np.full(len(second), COMMIT), second >> np.uint64(32)
        kind[lot % np.uint64(_TOMBSTONE_EVERY) == 1] = TOMBSTONE
        kind[lot % np.uint64(_STATE_EVERY) == 0] = STATE
        count = 1 + (second % np.uint64(MOST_RECORDS_PER_BATCH)).astype(np.int64)
        count[kind == STATE] = 1
        sums = done + np.cumsum(np.where(kind == COMMIT, count, 0))
        last = min(int(np.searchsorted(sums, commits)), len(sums) - 1)
        count[last] -= max(0, sums[last] - commits)
        part = np.minimum(sums[: last + 1], commits) / commits
        time_ms = START_MS + (part * DAY_MS).astype(np.int64)
        return Drawn(
            self._who(first[: last + 1]), count[: last + 1], kind[: last + 1], time_ms, part > self._upgraded_after
        )

    def _who(self, draws: NDArray[np.uint64]) -> Int64Array:
        """Choose groups by their weights."""
        shares = (draws >> np.uint64(64 - _SHARE_BITS)) * 2.0**-_SHARE_BITS * self._bounds[-1]
        chosen: Int64Array = self._groups[np.searchsorted(self._bounds, shares, side="right")]
        return chosen


@compiled
def _rows(drawn: Drawn, first_key: Int64Array, lexicon: Lexicon, progress: Progress) -> Int64Array:
    """Make the rows of all records, and let everyone make progress."""
    rows, at = np.empty((drawn.record_count.sum(), 4), np.int64), 0
    for batch in range(len(drawn.record_count)):
        for _ in range(drawn.record_count[batch]):
            rows[at, Row.TIMESTAMP_MS] = drawn.timestamp_ms[batch]
            _fill(rows[at], drawn, batch, first_key, (lexicon, progress))
            at += 1
    return rows


@compiled
def _fill(row: Int64Array, drawn: Drawn, batch: int, first_key: Int64Array, all_of: tuple[Lexicon, Progress]) -> None:
    """Make one row: the state of a group, or the next of its keys, committed or deleted."""
    (lexicon, progress), group, kind = all_of, drawn.group[batch], drawn.kind[batch]
    if kind == STATE:
        progress.generation[group] += 1
        row[Row.KEY], row[Row.VALUE] = lexicon.group[group], lexicon.state[group]
        row[Row.NUMBER] = progress.generation[group]
        return
    turn = progress.turn[group]
    progress.turn[group] = turn + 1
    key = first_key[group] + turn % (first_key[group + 1] - first_key[group])
    progress.committed[key] += turn % _LONGEST_STEP
    row[Row.KEY], row[Row.NUMBER] = lexicon.key[key], progress.committed[key]
    row[Row.VALUE] = lexicon.newer[key] if drawn.is_newer[batch] else lexicon.older[key]
    if kind == TOMBSTONE:
        row[Row.VALUE] = NULL
