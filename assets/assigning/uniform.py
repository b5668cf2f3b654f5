"""The uniform assignor of the broker: equal counts, and members keep as many of their partitions as that allows.

Put here what the broker does by counts alone. Its range assignor is the clients', in `ranges`.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from assets.assigning.members import have_equal_topics, in_hash_order, nothing_yet, subscribers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assets.assigning.members import Assignment, Member, Place, Topics

MOST_ROUNDS: Final = 16
"""So often the broker goes over the partitions at most."""


def assign_uniform(topics: Topics, members: Sequence[Member]) -> Assignment:
    """The assignment of uniform."""
    order = in_hash_order(members)
    return _evenly(topics, order) if have_equal_topics(members) else _by_load(topics, order)


def _evenly(topics: Topics, members: Sequence[Member]) -> Assignment:
    """Equal subscriptions: one more than the quota goes to members that have it already, then to the last ones."""
    places = topics.places(members[0].topics if members else ())
    quota, extras = divmod(len(places), max(1, len(members)))
    there = set(places)
    owned = {member.member_id: sorted(there.intersection(member.owned)) for member in members}
    have_extra = set([name for name, mine in owned.items() if len(mine) > quota][:extras])
    others = [name for name in owned if name not in have_extra]
    lucky = have_extra.union(others[len(others) - (extras - len(have_extra)) :])
    retained = {name: mine[: quota + (name in lucky)] for name, mine in owned.items()}
    left = iter(sorted(there - {place for mine in retained.values() for place in mine}))
    return {name: [*mine, *islice(left, quota + (name in lucky) - len(mine))] for name, mine in retained.items()}


def _by_load(topics: Topics, members: Sequence[Member]) -> Assignment:
    """Different subscriptions: each partition to the reader with the fewest, then from the most to the least loaded."""
    readers = {topic: topic_readers for topic, topic_readers in subscribers(members).items() if topic in topics.counts}
    in_turn = sorted(
        readers, key=lambda topic: (-topics.counts[topic] / len(readers[topic]), len(readers[topic]), topic)
    )
    free = set(topics.places(readers))
    assignment = nothing_yet(members)
    for member in members:
        retained = [place for place in member.owned if place in free and place[0] in member.topics]
        free.difference_update(retained)
        assignment[member.member_id] = retained
    for place in (place for topic in in_turn for place in topics.places([topic]) if place in free):
        _lightest(assignment, readers[place[0]]).append(place)
    for _ in range(MOST_ROUNDS):
        if not any([_even_out(assignment, readers[topic], topic) for topic in in_turn]):  # noqa: C419 - each has its turn
            break
    return assignment


def _even_out(assignment: Assignment, readers: Sequence[Member], topic: str) -> bool:
    """Move partitions of a topic from the reader with the most to the one with the fewest; whether any was."""
    moved = False
    while True:
        light = _lightest(assignment, readers)
        heavy = max(
            (assignment[m.member_id] for m in readers if _some_of(assignment, m, topic)), key=len, default=light
        )
        if len(heavy) <= len(light) + 1:
            return moved
        light.append(heavy.pop(max(at for at, place in enumerate(heavy) if place[0] == topic)))
        moved = True


def _some_of(assignment: Assignment, member: Member, topic: str) -> bool:
    return any(place[0] == topic for place in assignment[member.member_id])


def _lightest(assignment: Assignment, members: Sequence[Member]) -> list[Place]:
    return min((assignment[member.member_id] for member in members), key=len)
