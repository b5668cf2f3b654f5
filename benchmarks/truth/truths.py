"""What truly happened to offsets, from what members wrote down: read again when, or never read.

Only the truth belongs here. What Lagbook claims is held against it in `scores`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from assets.arrays.columns import Mask
    from benchmarks.truth.recordings import Recording
    from parsers.words import Int64Array

ANY_TIME: Final = -1
"""The time of what was read again, where only truth.json tells of it."""


class Key(NamedTuple):
    """A group's offset of one partition."""

    group: str
    topic: str
    partition: int


@dataclass(frozen=True)
class Truth:
    """What truly happened to one group's offsets of one partition."""

    again: Int64Array
    """Offset and time in ms of every processing after the first, in order of offsets."""
    missed: Int64Array
    """Offsets that the group never processed, of those below the last it did, or that are gone from the log."""
    known_missed: Int64Array
    """These without the beginning of the log, which a group that began later never declared done."""
    following: int
    """The offset after the last that the group processed."""

    def is_unread(self, numbers: Int64Array) -> Mask:
        """Which offsets the group never processed, so far as is written down."""
        unread: Mask = np.isin(numbers, self.missed) | (numbers >= self.following)
        return unread

    def is_reread(self, span: tuple[int, float], from_ms: float, to_ms: float) -> Mask:
        """Which rows of `again` are in a range of offsets and a range of times, both half-open."""
        offset, ms = self.again[:, 0], self.again[:, 1]
        is_then = (ms == ANY_TIME) | ((ms >= from_ms) & (ms < to_ms))
        is_meant: Mask = (offset >= span[0]) & (offset < span[1]) & is_then
        return is_meant


def truths(
    recording: Recording, topics: Mapping[str, Sequence[str]], log_starts: Mapping[tuple[str, int], int]
) -> dict[Key, Truth]:
    """The truth of every group that commits; `topics` are those for which a group does, log starts those of the end."""
    by_key = {}
    for group, of_group in recording.truth.items():
        times = recording.processed(group)
        for name, summary in of_group.items():
            topic, partition = _place(name, topics.get(group, ()))
            if topic is not None:
                rows = times.get((topic, partition), times.get((None, partition)))
                by_key[Key(group, topic, partition)] = _truth(summary, rows, log_starts.get((topic, partition), 0))
    return by_key


def _place(name: str, topics: Sequence[str]) -> tuple[str | None, int]:
    """Topic and partition; where the name tells no topic, that of the group's commits; None of a group without any."""
    topic, _, partition = name.rpartition("-")
    if not topics:
        return None, int(partition)
    if not topic and len(topics) > 1:
        raise ValueError(f"partition {partition} of which of {', '.join(topics)}? truth.json has to name the topic")
    return topic or topics[0], int(partition)


def _truth(summary: Mapping[str, Any], rows: Int64Array | None, log_start: int) -> Truth:
    lives = [summary, *summary.get("earlier", ())]
    duplicated = offsets(span for life in lives for span in life["duplicated"])
    gone = [[summary["next"], log_start]] if log_start > summary["next"] else []
    missed = [span for life in lives for span in life["missed"]]
    untimed = np.stack([duplicated, np.full(duplicated.size, ANY_TIME)], axis=1)
    again = untimed if rows is None else _again(rows, duplicated)
    known = [span for span in missed if span[0] > 0]
    return Truth(again, offsets(missed + gone), offsets(known + gone), summary["next"])


def _again(rows: Int64Array, duplicated: Int64Array) -> Int64Array:
    """The processings after the first, of offsets that were processed twice in one life of the topic."""
    ordered = rows[np.lexsort((rows[:, 1], rows[:, 0]))]
    is_again = np.append([False], ordered[1:, 0] == ordered[:-1, 0])
    again: Int64Array = ordered[is_again & np.isin(ordered[:, 0], duplicated)]
    return again


def offsets(ranges: Iterable[Sequence[int]]) -> Int64Array:
    """All offsets in half-open ranges, in order and each once."""
    return np.unique(np.concatenate([np.empty(0, np.int64), *(np.arange(*span, dtype=np.int64) for span in ranges)]))
