"""The partitions that members claim to own, and whose claim holds: the start of the sticky assignors.

Put here the claims before the assignment. The assignment itself is in `sticky` and `balancing`.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assets.assigning.members import Member, Place, Topics


@dataclass
class Claims:
    """The owner of each claimed partition, its former owner, and the partitions whose claims cancel out."""

    keeper: dict[Place, Member] = field(default_factory=dict)
    former_owner: dict[Place, Member] = field(default_factory=dict)
    """The member whose older claim lost."""
    disputed: set[Place] = field(default_factory=set)
    """Claimed twice in one generation."""

    def by_member(self) -> dict[str, list[Place]]:
        """The partitions that members keep, by member id, each lowest partition first."""
        by_member: dict[str, list[Place]] = defaultdict(list)
        for place in sorted(self.keeper, key=lambda place: (place[1], place[0])):
            by_member[self.keeper[place].member_id].append(place)
        return by_member


def settle(topics: Topics, members: Sequence[Member]) -> Claims:
    """The claims that hold: those of the newest generation; two of one generation cancel out."""
    claims, newest = Claims(), dict[tuple[str, int], "Member"]()
    there = set(topics.places(topic for member in members for topic in member.topics))
    for member in members:
        for place in there.intersection(member.owned):
            _claim(claims, newest, place, member)
    return claims


def _claim(claims: Claims, newest: dict[Place, Member], place: Place, member: Member) -> None:
    other = newest.get(place)
    if other is None or member.generation > other.generation:
        newest[place] = claims.keeper[place] = member
        claims.disputed.discard(place)
        if other is not None:
            claims.former_owner[place] = other
    elif member.generation == other.generation:
        claims.disputed.add(place)
        claims.keeper.pop(place, None)
    else:
        claims.former_owner[place] = member
