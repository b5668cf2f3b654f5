"""The range assignors: of each topic, a run of partitions for each member in turn.

Put here how ranges are cut, with and without racks. The order of members is in `members`.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from assets.assigning.members import nothing_yet, static_first, subscribers

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from assets.assigning.members import Assignment, Member, Place, Topics


@dataclass
class _Topic:
    """A topic while it is shared out among its subscribers."""

    name: str
    topics: Topics
    members: Sequence[Member]
    assignment: Assignment
    left: list[Place] = field(init=False)
    partition_counts: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        self.left = self.topics.places([self.name])
        self.partition_counts = {member.member_id: 0 for member in self.members}
        self.quota, self.extras = divmod(len(self.left), len(self.members))

    @property
    def racks_matter(self) -> bool:
        """Whether the topic's partitions are assigned by racks."""
        return self.topics.racks_matter(self.name, self.members)

    def room(self, member: Member) -> int:
        """The number of partitions that the member may still get; `extras` members get one above the quota."""
        return self.quota + (self.extras > 0) - self.partition_counts[member.member_id]

    def is_near(self, member: Member, place: Place) -> bool:
        """Whether the member reads the partition in its own rack; one that names no rack is near to all."""
        return member.rack is None or member.rack in self.topics.racks_of(place)

    def give(self, member: Member, places: Sequence[Place]) -> None:
        """Give a member partitions of those that are left."""
        for place in places:
            self.left.remove(place)
            self.assignment[member.member_id].append(place)
        self.partition_counts[member.member_id] += len(places)
        self.extras -= bool(places) and self.partition_counts[member.member_id] > self.quota

    def share_out(self, may_have: Callable[[Member, Place], bool]) -> None:
        """Give each member in turn the first partitions that it may have, up to its share."""
        for member in self.members:
            wanted = (place for place in self.left if may_have(member, place))
            self.give(member, list(islice(wanted, max(0, self.room(member)))))


def assign_ranges(topics: Topics, members: Sequence[Member]) -> Assignment:
    """The assignment of range, for clients and brokers."""
    assignment = nothing_yet(members)
    shared = [
        _Topic(topic, topics, readers, assignment)
        for topic, readers in subscribers(static_first(members)).items()
        if topic in topics.counts
    ]
    for alike in _alike(shared):
        _share_out_near(alike)
    for topic in shared:
        topic.share_out(lambda _member, _place: True)
    return {member_id: sorted(places) for member_id, places in assignment.items()}


def _alike(shared: Sequence[_Topic]) -> list[list[_Topic]]:
    """Topics with the same readers and as many partitions: their partitions of one number should go together."""
    groups: dict[tuple[tuple[str, ...], int], list[_Topic]] = defaultdict(list)
    for topic in shared:
        groups[tuple(member.member_id for member in topic.members), len(topic.left)].append(topic)
    return list(groups.values())


def _share_out_near(alike: Sequence[_Topic]) -> None:
    if not any(topic.racks_matter for topic in alike):
        return
    if len(alike) == 1:
        alike[0].share_out(alike[0].is_near)
        return
    for number in range(len(alike[0].left)):
        _give_together(alike, number)


def _give_together(alike: Sequence[_Topic], number: int) -> None:
    """Give the partitions of one number to the first member that is near to all of them and has room for each."""
    takers = (
        member
        for member in alike[0].members
        if all(topic.room(member) > 0 and topic.is_near(member, (topic.name, number)) for topic in alike)
    )
    member = next(takers, None)
    if member is not None:
        for topic in alike:
            topic.give(member, [(topic.name, number)])
