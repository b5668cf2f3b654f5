"""The round-robin assignor: all partitions, one after the other, to the next member that subscribed the topic.

Put only this one rule here. The order of members is in `members`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assets.assigning.members import nothing_yet, static_first

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assets.assigning.members import Assignment, Member, Topics


def assign_round_robin(topics: Topics, members: Sequence[Member]) -> Assignment:
    """The assignment of round robin; the turn continues from topic to topic."""
    assignment, ring, turn = nothing_yet(members), static_first(members), 0
    for place in topics.places(topic for member in members for topic in member.topics):
        while place[0] not in ring[turn % len(ring)].topics:
            turn += 1
        assignment[ring[turn % len(ring)].member_id].append(place)
        turn += 1
    return assignment
