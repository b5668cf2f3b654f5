"""A cluster that is made up: its groups and topics, who commits what, and how busy each is; the same for every seed.

Only what stays as it is belongs here. What the groups do is `benchmarks.traffic`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from parsers.words import Int64Array

PARTITIONS_PER_TOPIC: Final = 16

_SUBJECTS: Final = ("orders", "billing", "stock", "search", "audit", "ledger", "mail", "fraud", "users", "prices")
_JOBS: Final = ("index", "export", "notify", "score", "archive", "join", "report")
_ZIPF: Final = 0.8
_MOST_TOPICS_PER_GROUP: Final = 3
_KEYS, _OFFSETS = range(2)


@dataclass(frozen=True)
class Shape:
    """What a made-up cluster is like."""

    commits: int
    groups: int = 500
    topics: int = 100
    log_partitions: int = 50
    """Partitions of the offsets topic."""
    hot_share: float = 0.3
    """Part of all commits that goes to the partition of the busiest group."""
    upgraded_after: float = 0.5
    """Part of the commits that is written in version 3 (up to Kafka 4.0); those after it are in version 4."""
    seed: int = 1


class Key(NamedTuple):
    """A partition that a group commits."""

    group: int
    topic: int
    partition: int


@dataclass(frozen=True)
class Crowd:
    """Groups and topics; the keys of group g are keys[first_key[g]:first_key[g + 1]]."""

    groups: tuple[str, ...]
    topics: tuple[str, ...]
    keys: tuple[Key, ...]
    first_key: Int64Array
    log_partition: Int64Array
    weight: NDArray[np.float64]
    first_offset: Int64Array
    """Where each key stands before its first commit."""


def java_hash(text: str) -> int:
    """Give Java's String.hashCode."""
    total = 0
    for unit in np.frombuffer(text.encode("utf-16-be"), ">u2").tolist():
        total = (31 * total + unit) & 0xFFFFFFFF
    return total - (total >> 31 << 32)


def log_partition_of(group: str, log_partitions: int) -> int:
    """Give the partition of the offsets topic that holds a group."""
    hashed = java_hash(group)
    return 0 if hashed == -(1 << 31) else abs(hashed) % log_partitions


def gather(shape: Shape) -> Crowd:
    """Make up the groups and topics of a cluster."""
    groups = tuple(f"{_word(_SUBJECTS, n)}.{_word(_JOBS, n)}-{n:04d}" for n in range(shape.groups))
    topics = tuple(f"{_word(_SUBJECTS, n)}-events-{n:03d}" for n in range(shape.topics))
    draws = bits(shape.seed, _KEYS).random_raw(shape.groups).tolist()
    keys = [key for group, draw in enumerate(draws) for key in _keys_of(group, draw, shape.topics)]
    log_partition = np.array([log_partition_of(group, shape.log_partitions) for group in groups])
    return Crowd(
        groups=groups,
        topics=topics,
        keys=tuple(keys),
        first_key=np.searchsorted([key.group for key in keys], np.arange(shape.groups + 1)),
        log_partition=log_partition,
        weight=_weights(shape, log_partition),
        first_offset=(bits(shape.seed, _OFFSETS).random_raw(len(keys)) >> np.uint64(40)).astype(np.int64),
    )


def bits(seed: int, *stream: int) -> np.random.PCG64:
    """Give a source of random bits: the same on every machine and with every numpy."""
    return np.random.PCG64(np.random.SeedSequence([seed, *stream]))


def _word(words: tuple[str, ...], number: int) -> str:
    return words[number % len(words)]


def _keys_of(group: int, draw: int, topics: int) -> Iterator[Key]:
    """Give all partitions of one to three topics that lie side by side."""
    first, count = draw % topics, 1 + (draw >> 32) % min(_MOST_TOPICS_PER_GROUP, topics)
    for topic in sorted((first + n) % topics for n in range(count)):
        yield from (Key(group, topic, partition) for partition in range(PARTITIONS_PER_TOPIC))


def _weights(shape: Shape, log_partition: Int64Array) -> NDArray[np.float64]:
    """Give each group its part of the commits: by Zipf's law, and such that one partition has the part it ought to."""
    weight: NDArray[np.float64] = np.arange(1.0, shape.groups + 1) ** -_ZIPF
    is_hot = log_partition == log_partition[0]
    if not is_hot.all():
        weight[is_hot] *= shape.hot_share / weight[is_hot].sum()
        weight[~is_hot] *= (1 - shape.hot_share) / weight[~is_hot].sum()
    return weight


def commits_by_partition(shape: Shape, crowd: Crowd) -> Int64Array:
    """Share the commits out among the partitions of the offsets topic."""
    part = np.cumsum(np.bincount(crowd.log_partition, crowd.weight, shape.log_partitions))
    commits: Int64Array = np.diff(np.round(part / part[-1] * shape.commits).astype(np.int64), prepend=0)
    return commits
