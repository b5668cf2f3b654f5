"""The sticky assignors: as even as possible, and as many partitions as possible stay with their owners.

Put here the case of equal subscriptions, and what the cooperative form holds back. Unequal ones are in `balancing`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from assets.assigning.balancing import assign_balanced
from assets.assigning.claims import settle
from assets.assigning.members import by_member_id, have_equal_topics, in_hash_order, nothing_yet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assets.assigning.claims import Claims
    from assets.assigning.members import Assignment, Member, Place, Topics


def assign_sticky(topics: Topics, members: Sequence[Member]) -> Assignment:
    """The assignment of sticky."""
    if not have_equal_topics(members):
        return assign_balanced(topics, members)
    return _Even(topics, members, settle(topics, members)).assign()


def assign_cooperative_sticky(topics: Topics, members: Sequence[Member]) -> Assignment:
    """The assignment of cooperative-sticky: sticky's without partitions that another member still owns."""
    claims = settle(topics, members)
    is_even = have_equal_topics(members)
    return {
        member.member_id: [
            place
            for place in places
            if not (_is_given_up(claims, place, member) if is_even else _is_taken(members, place, member))
        ]
        for member, places in _by_member(members, assign_sticky(topics, members))
    }


def _by_member(members: Sequence[Member], assignment: Assignment) -> list[tuple[Member, list[Place]]]:
    return [(member, assignment[member.member_id]) for member in members]


def _is_given_up(claims: Claims, place: Place, new: Member) -> bool:
    """Whether the settled claims give the partition to another, also to one that lost an older claim to it."""
    return place in claims.disputed or claims.keeper.get(place, new) is not new


def _is_taken(members: Sequence[Member], place: Place, new: Member) -> bool:
    """Whether another member claims the partition: the rule for different subscriptions."""
    return place not in new.owned and any(place in member.owned for member in members)


@dataclass
class _Even:
    """Equal subscriptions: everyone gets the quota, and as many as there are partitions over get one more."""

    topics: Topics
    members: Sequence[Member]
    claims: Claims
    under: list[Member] = field(default_factory=list)
    at_quota: list[Member] = field(default_factory=list)
    turn: int = 0

    def __post_init__(self) -> None:
        self.places = self.topics.places(self.members[0].topics if self.members else ())
        self.quota, self.extras = divmod(len(self.places), max(1, len(self.members)))
        self.assignment = nothing_yet(self.members)
        self.uses_racks = any(self.topics.racks_matter(topic, self.members) for topic in self.topics.racks)

    def assign(self) -> Assignment:
        """Assign members their own partitions, then the free ones."""
        self._keep_owned()
        self.under, self.at_quota = by_member_id(self.under), by_member_id(self.at_quota)
        in_use = {place for places in self.assignment.values() for place in places}
        left = [place for place in self.places if place not in in_use]
        if self.uses_racks:
            left = [place for place in sorted(left, key=self._readers_near) if not self._gave_near(place)]
            self.turn = 0
        for place in left:
            self._give_next(place)
        return self.assignment

    def _keep_owned(self) -> None:
        owned = self.claims.by_member()
        for member in in_hash_order(self.members):
            retained = [place for place in owned.get(member.member_id, ()) if not self._is_far(member, place)]
            gets_extra = len(retained) > self.quota and self.extras > 0
            self.extras -= gets_extra
            self.assignment[member.member_id] = retained[: self.quota + gets_extra]
            if len(retained) < self.quota:
                self.under.append(member)
            elif not gets_extra:
                self.at_quota.append(member)

    def _is_far(self, member: Member, place: Place) -> bool:
        return self.uses_racks and member.rack is not None and member.rack not in self.topics.racks_of(place)

    def _is_near(self, member: Member, place: Place) -> bool:
        return member.rack is not None and member.rack in self.topics.racks_of(place)

    def _readers_near(self, place: Place) -> int:
        return sum(self._is_near(member, place) for member in self.members)

    def _gave_near(self, place: Place) -> bool:
        """Give it to a member in one of its racks: the next in turn of those under the quota, else one at it."""
        ring = [(self.turn + step) % len(self.under) for step in range(len(self.under))]
        near = next((at for at in ring if self._is_near(self.under[at], place)), None)
        if near is not None:
            self._give_under(near, place)
            return True
        near = next((at for at, member in enumerate(self.at_quota) if self._is_near(member, place)), None)
        if near is None or not self.extras:
            return False
        self._give_extra(near, place)
        return True

    def _give_next(self, place: Place) -> None:
        if self.under:
            self._give_under(self.turn, place)
        else:
            self._give_extra(0, place)

    def _give_extra(self, at: int, place: Place) -> None:
        self.assignment[self.at_quota.pop(at).member_id].append(place)
        self.extras -= 1

    def _give_under(self, at: int, place: Place) -> None:
        """Give it to a member under the quota; the turn goes to the one after it."""
        mine = self.assignment[self.under[at].member_id]
        mine.append(place)
        if len(mine) == self.quota:
            self.at_quota.append(self.under.pop(at))
        else:
            at += 1
        self.turn = at % len(self.under) if self.under else 0
