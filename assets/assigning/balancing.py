"""Sticky assignment where members subscribe different topics: move partitions until nobody has two more than need be.

Put here what unequal subscriptions ask for. Equal ones are simpler, and in `sticky`.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from assets.assigning.claims import settle
from assets.assigning.members import as_java_sorts, nothing_yet, subscribers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assets.assigning.members import Assignment, Member, Place, Topics


def assign_balanced(topics: Topics, members: Sequence[Member]) -> Assignment:
    """The assignment of sticky for members with different subscriptions."""
    balance = _Balance(topics, members)
    must_give_up = balance.keep_owned()
    added = balance.give_rest()
    before = deepcopy(balance.assignment)
    if not must_give_up:
        balance.improve(added)
    balance.improve(balance.places)
    if any(member.owned for member in members) and _unevenness(balance.assignment) >= _unevenness(before):
        return before
    return balance.assignment


def _unevenness(assignment: Assignment) -> int:
    """The unevenness of an assignment: the sum of the differences of all pairs of loads."""
    loads = sorted(map(len, assignment.values()))
    return sum(load * (2 * at - len(loads) + 1) for at, load in enumerate(loads))


@dataclass
class _Balance:
    """An assignment under way."""

    topics: Topics
    members: Sequence[Member]
    assignment: Assignment = field(init=False)
    owner: dict[Place, Member] = field(default_factory=dict)
    came_from: dict[Place, Member] = field(default_factory=dict)
    """The owner of a partition before its first move."""

    def __post_init__(self) -> None:
        self.assignment = nothing_yet(self.members)
        self.readers = subscribers(self.members)
        self.claims = settle(self.topics, self.members)
        self.uses_racks = any(self.topics.racks_matter(topic, self.members) for topic in self.topics.racks)
        subscribed = self.topics.places(self.readers)
        self.places = sorted(subscribed, key=lambda p: (len(self.readers[p[0]]), as_java_sorts(p[0]), p[1]))

    def keep_owned(self) -> bool:
        """Assign members their own partitions that they still subscribe; whether one has to give something up."""
        for place, member in self.claims.keeper.items():
            if place[0] in member.topics and self._is_allowed(member, place):
                self._give(place, member)
        return len(self.owner) < len(self.claims.keeper)

    def give_rest(self) -> list[Place]:
        """Assign free partitions to the subscriber with the fewest, near ones first; the partitions assigned."""
        free = [place for place in self.places if place not in self.owner]
        if self.uses_racks:
            self._give_all(free, near_only=True)
        self._give_all([place for place in free if place not in self.owner], near_only=False)
        return free

    def _give_all(self, free: Sequence[Place], *, near_only: bool) -> None:
        for place in free:
            readers = [m for m in self.readers[place[0]] if not near_only or self._is_near(m, place)]
            if readers:
                self._give(place, self._least_loaded(readers))

    def improve(self, places: Sequence[Place]) -> None:
        """Go over the partitions again and again, until none can go to someone with two fewer."""
        while any([self._improve(place) for place in places]):  # noqa: C419 - every partition has its turn in a round
            pass

    def _improve(self, place: Place) -> bool:
        owner, before = self.owner[place], self.claims.former_owner.get(place)
        if before is not None and place[0] in before.topics and self._has_two_fewer(before, owner):
            self._move(place, before)
            return True
        lighter = [reader for reader in self.readers[place[0]] if self._has_two_fewer(reader, owner)]
        if not lighter:
            return False
        near = [reader for reader in lighter if self._is_near(reader, place)]
        target = self._least_loaded(near or lighter)
        self._move(self._instead_of(place, target), target)
        return True

    def _instead_of(self, place: Place, target: Member) -> Place:
        """Another partition of the topic that came from there to this owner, if one did: taking it back moves less."""
        owner = self.owner[place]
        back = (
            p for p, first in self.came_from.items() if p[0] == place[0] and (first, self.owner[p]) == (target, owner)
        )
        return next(back, place)

    def _move(self, place: Place, target: Member) -> None:
        source = self.owner[place]
        self.assignment[source.member_id].remove(place)
        if self.came_from.setdefault(place, source) is target:
            del self.came_from[place]
        self._give(place, target)

    def _give(self, place: Place, member: Member) -> None:
        self.owner[place] = member
        self.assignment[member.member_id].append(place)

    def _has_two_fewer(self, member: Member, owner: Member) -> bool:
        return self._load(member) + 1 < self._load(owner)

    def _load(self, member: Member) -> int:
        return len(self.assignment[member.member_id])

    def _least_loaded(self, members: Sequence[Member]) -> Member:
        return min(members, key=lambda member: (self._load(member), as_java_sorts(member.member_id)))

    def _is_near(self, member: Member, place: Place) -> bool:
        return self.uses_racks and member.rack is not None and member.rack in self.topics.racks_of(place)

    def _is_allowed(self, member: Member, place: Place) -> bool:
        return not self.uses_racks or member.rack is None or self._is_near(member, place)
