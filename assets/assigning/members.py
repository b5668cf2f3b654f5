"""The input of an assignor: members with subscriptions and claims, topics with partitions, and their order.

Put here what all assignors share. How one of them shares out partitions is in the module of its name.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Place = tuple[str, int]
"""A topic and one of its partitions."""
Assignment = dict[str, list[Place]]
"""The places of each member, by member id."""

UNKNOWN_GENERATION: Final = -1
INT_BITS: Final = 32
SMALLEST_TABLE: Final = 16


@dataclass(frozen=True, slots=True)
class Member:
    """One member: its subscription, and the partitions that it claims or is known to own."""

    member_id: str
    topics: frozenset[str]
    instance_id: str | None = None
    owned: tuple[Place, ...] = ()
    generation: int = UNKNOWN_GENERATION
    rack: str | None = None


@dataclass(frozen=True, slots=True)
class Topics:
    """The number of each topic's partitions, and the racks of each partition's replicas where known."""

    counts: Mapping[str, int]
    racks: Mapping[str, Sequence[frozenset[str]]] = field(default_factory=dict)

    def places(self, topics: Iterable[str]) -> list[Place]:
        """The partitions of those topics that exist, topic by topic as Java sorts them."""
        known = sorted({topic for topic in topics if topic in self.counts}, key=as_java_sorts)
        return [(topic, number) for topic in known for number in range(self.counts[topic])]

    def racks_of(self, place: Place) -> frozenset[str]:
        """The racks that hold a replica of a partition."""
        topic, number = place
        return self.racks[topic][number] if topic in self.racks else frozenset()

    def racks_matter(self, topic: str, members: Iterable[Member]) -> bool:
        """Whether partitions of the topic have replicas in different racks, and a member is in one of them."""
        by_partition = self.racks.get(topic, ())
        everywhere = frozenset().union(*by_partition)
        some_member_is_there = any(member.rack in everywhere for member in members)
        return some_member_is_there and any(racks != everywhere for racks in by_partition)


def as_java_sorts(text: str) -> bytes:
    """Sorts texts by UTF-16 code unit, as Java does."""
    return text.encode("utf-16-be", "surrogatepass")


def by_member_id(members: Iterable[Member]) -> list[Member]:
    """Members in the order of their ids."""
    return sorted(members, key=lambda member: as_java_sorts(member.member_id))


def static_first(members: Iterable[Member]) -> list[Member]:
    """Static members by instance id, then the others by member id."""
    return sorted(
        members,
        key=lambda m: (m.instance_id is None, as_java_sorts(m.member_id if m.instance_id is None else m.instance_id)),
    )


def in_hash_order(members: Sequence[Member]) -> list[Member]:
    """Members as a Java HashMap of that many goes through them; in one bucket by id, where Java may do otherwise."""
    buckets = SMALLEST_TABLE
    while len(members) > buckets * 3 // 4:
        buckets *= 2
    return sorted(by_member_id(members), key=lambda member: _spread_bits(java_hash(member.member_id)) & (buckets - 1))


def java_hash(text: str) -> int:
    """The hash code that Java gives a text, as an unsigned number."""
    units = as_java_sorts(text)
    code = 0
    for high, low in zip(units[::2], units[1::2], strict=True):
        code = (31 * code + (high << 8 | low)) & 0xFFFFFFFF
    return code


def _spread_bits(code: int) -> int:
    return code ^ (code >> INT_BITS // 2)


def subscribers(members: Iterable[Member]) -> dict[str, list[Member]]:
    """The members of each topic, in their order."""
    by_topic: dict[str, list[Member]] = defaultdict(list)
    for member in members:
        for topic in member.topics:
            by_topic[topic].append(member)
    return by_topic


def have_equal_topics(members: Iterable[Member]) -> bool:
    """Whether all members subscribed the same."""
    return len({member.topics for member in members}) <= 1


def nothing_yet(members: Iterable[Member]) -> Assignment:
    """An assignment without a place."""
    return {member.member_id: [] for member in members}
