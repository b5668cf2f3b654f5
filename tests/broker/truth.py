"""What was really processed twice or never, from what the members themselves wrote down.

Counting belongs here. What a log says of it is for Lagbook to find.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Truth = dict[str, dict[str, Any]]
"""By partition."""

NOWHERE: Final[Mapping[int, int]] = {}


def truth_of_lives(processed: Iterable[tuple[int, int, int]], lives: Sequence[tuple[int, Mapping[int, int]]]) -> Truth:
    """The truth of the last life of a topic's log; that of those before it stands in it as `earlier`, oldest first.

    `processed` is time, partition and offset of each record. Of a life it is said when it began and at which offsets.
    """
    records = sorted(processed)
    ends = [began_ms for began_ms, _ in lives[1:]] + [float("inf")]
    truths = [
        truth(((partition, offset) for ms, partition, offset in records if began_ms <= ms < end), starts)
        for (began_ms, starts), end in zip(lives, ends, strict=True)
    ]
    *earlier, last = truths
    return {partition: last_of_partition | _before(partition, earlier) for partition, last_of_partition in last.items()}


def _before(partition: str, earlier: Iterable[Truth]) -> dict[str, Any]:
    outcomes = [one[partition] for one in earlier if partition in one]
    return {"earlier": outcomes} if outcomes else {}


def truth(records: Iterable[tuple[int, int]], starts: Mapping[int, int] = NOWHERE) -> Truth:
    """Per partition: records processed, distinct ones, the next offset, ranges processed twice or never.

    `records` are partition and offset of each. Ranges are half-open; what was never processed counts below the next,
    and from the offset where the partition starts.
    """
    times: defaultdict[int, Counter[int]] = defaultdict(Counter)
    for partition, offset in records:
        times[partition][offset] += 1
    return {
        str(partition): _of_one(deliveries, starts.get(partition, 0)) for partition, deliveries in sorted(times.items())
    }


def _of_one(deliveries: Counter[int], start: int) -> dict[str, Any]:
    following = max(deliveries) + 1
    return {
        "processed": deliveries.total(),
        "distinct": len(deliveries),
        "next": following,
        "duplicated": ranges(offset for offset, number in deliveries.items() if number > 1),
        "missed": ranges(offset for offset in range(start, following) if offset not in deliveries),
    }


def ranges(offsets: Iterable[int]) -> list[list[int]]:
    """Offsets as half-open ranges, in order."""
    runs: list[list[int]] = []
    for offset in sorted(offsets):
        if runs and runs[-1][1] == offset:
            runs[-1][1] += 1
        else:
            runs.append([offset, offset + 1])
    return runs
