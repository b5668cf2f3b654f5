"""What each assignor would have made of a generation, and whether the one that it had did what it should.

Put here how members and their partitions become questions to the assignors, and how the answers are judged. The
assignors themselves are in `assets.assigning`; which generations there are is told by `generations_seen`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from assets.assigning.assignors import OF_BROKERS, OF_CLIENTS
from assets.assigning.members import Member, Topics, have_equal_topics

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from assets.assigning.members import Assignment, Place

    Row = dict[str, Any]

ASSIGNORS: Final = {**OF_BROKERS, **OF_CLIENTS}
STICKY: Final = {"sticky", "cooperative-sticky", "uniform"}
"""What these give out depends on what members had before."""
MOST_WORK: Final = 100_000_000
"""Members times partitions: beyond it nothing is worked out, since one generation would take many seconds."""
MOST_UNEQUAL: Final = 4_000_000
"""The same where members subscribe different topics, which is far more work for the sticky assignors."""

RIGHT: Final = "as_expected"
WRONG: Final = "differs"
UNDECIDED: Final = "undecided"

OWN_ASSIGNOR: Final = "the assignor is somebody's own, or the broker's default, which no record names"
UNREADABLE: Final = "a subscription or an assignment can't be read, or names a topic that is only known by its id"
CONVERTED: Final = "the group was converted: its coordinator wrote down what members had, no assignor made it"
TOO_LARGE: Final = "members times partitions are too many to work it out"
NO_BEFORE: Final = "what members had before is not known"
HELD_BACK: Final = "partition counts are unknown: what nobody was given may have been held back"
RACKS: Final = "members name racks, and where the replicas stand is not known"
HASH_ORDER: Final = "it is as even and moves as little, so the order of a Java hash map or the release decides"


@dataclass(frozen=True, slots=True)
class MemberInGeneration:
    """A member in one generation: what it asked for, and what it was given; None where that can't be read."""

    member_id: str
    instance_id: str | None
    topics: frozenset[str] | None
    rack: str | None
    given: frozenset[Place] | None


@dataclass(frozen=True, slots=True)
class Generation:
    """One generation of a classic group, or one complete target of a group of KIP-848."""

    place: Row
    """The columns that say which it is."""
    members: tuple[MemberInGeneration, ...]
    observed: frozenset[str]
    """The assignors that it may have had; one in a classic group, none that are known if it is somebody's own."""
    before: Mapping[Place, str] | None
    """Who had which partition in the generation before; None where that isn't known."""
    number_before: int
    """The number of that generation."""
    is_converted: bool = False
    """The group came from another kind, and its coordinator wrote down what members had."""

    @property
    def is_readable(self) -> bool:
        """Whether every member says what it wants and what it was given."""
        return all(member.topics is not None and member.given is not None for member in self.members)

    @property
    def owners(self) -> dict[Place, str]:
        """Who was given what."""
        return {place: member.member_id for member in self.members for place in member.given or ()}


def assignor_rows(generation: Generation) -> Iterator[Row]:
    """One row per assignor."""
    known = sorted(generation.observed & ASSIGNORS.keys())
    counts = _counts(generation)
    if reason := _obstacle(generation, counts):
        yield from _undecided_rows(generation, known, reason)
        return
    assignments = {name: _assignment_by(name, generation, counts) for name in ASSIGNORS}
    fitting = [name for name in known if _fits(name, generation, counts, assignments[name])]
    for name, assignment in assignments.items():
        is_observed = name in (fitting or known) if len(known) > 1 else name in known
        verdict, reason = _verdict(name, generation, assignment, fitting, known) if is_observed else (None, None)
        yield _row(generation, name, assignment, counts) | {
            "is_observed": is_observed,
            "verdict": verdict,
            "reason": reason,
        }
    if not known:
        yield _row(generation, _own_name(generation), None, counts) | _verdict_columns(UNDECIDED, OWN_ASSIGNOR)


def _obstacle(generation: Generation, counts: Mapping[str, int]) -> str | None:
    """Why no assignor can be asked."""
    if generation.is_converted:
        return CONVERTED
    if not generation.is_readable:
        return UNREADABLE
    is_equal = len({member.topics for member in generation.members}) <= 1
    work = len(generation.members) * sum(counts.values())
    return TOO_LARGE if work > (MOST_WORK if is_equal else MOST_UNEQUAL) else None


def _own_name(generation: Generation) -> str:
    return min(generation.observed, default="unknown")


def _undecided_rows(generation: Generation, known: Iterable[str], reason: str) -> Iterator[Row]:
    for name in known or (_own_name(generation),):
        yield _row(generation, name, None, {}) | _verdict_columns(UNDECIDED, reason)


def _verdict_columns(verdict: str, reason: str | None) -> Row:
    return {"is_observed": True, "verdict": verdict, "reason": reason}


def _counts(generation: Generation) -> dict[str, int]:
    """Partitions of each topic: as many as were given out now or before, of what somebody wants."""
    wanted = {topic for member in generation.members for topic in member.topics or ()}
    counts: dict[str, int] = {}
    for topic, number in (*generation.owners, *(generation.before or ())):
        if topic in wanted:
            counts[topic] = max(counts.get(topic, 0), number + 1)
    return counts


def _assignment_by(
    name: str, generation: Generation, counts: Mapping[str, int], *, are_static: bool = True
) -> dict[str, frozenset[Place]]:
    """What an assignor would have given whom."""
    had: Assignment = {}
    for place, member_id in (generation.before or {}).items():
        had.setdefault(member_id, []).append(place)
    members = [
        Member(
            member.member_id,
            member.topics or frozenset(),
            member.instance_id if are_static else None,
            tuple(sorted(had.get(member.member_id, ()))),
            generation.number_before,
        )
        for member in generation.members
    ]
    assignment = ASSIGNORS[name](Topics(counts), members)
    return {member_id: frozenset(places) for member_id, places in assignment.items()}


def _fits(
    name: str, generation: Generation, counts: Mapping[str, int], assignment: Mapping[str, frozenset[Place]]
) -> bool:
    """Whether that is what members were given; clients before 2.4 put static members in no order of their own."""
    given = {member.member_id: member.given for member in generation.members}
    if given == assignment:
        return True
    has_static = any(member.instance_id is not None for member in generation.members)
    return has_static and name not in STICKY and given == _assignment_by(name, generation, counts, are_static=False)


def _verdict(
    name: str,
    generation: Generation,
    assignment: Mapping[str, frozenset[Place]],
    fitting: Iterable[str],
    known: Iterable[str],
) -> tuple[str, str | None]:
    if name in fitting:
        return RIGHT, None
    if len(list(known)) > 1:
        return UNDECIDED, OWN_ASSIGNOR
    reason = _doubt(name, generation, assignment)
    return (UNDECIDED, reason) if reason else (WRONG, None)


def _doubt(name: str, generation: Generation, assignment: Mapping[str, frozenset[Place]]) -> str | None:
    """Why what an assignor would have given may still be what it gave.

    None for range and round robin: had the leader known of more partitions, somebody would have been given them.
    """
    if any(member.rack is not None for member in generation.members):
        return RACKS
    if name not in STICKY:
        return None
    if generation.before is None:
        return NO_BEFORE
    given = {member.member_id: member.given or frozenset() for member in generation.members}
    if name == "cooperative-sticky" and sum(map(len, given.values())) < sum(map(len, assignment.values())):
        return HELD_BACK
    moves_no_more = (_move_count(generation, given) or 0) <= (_move_count(generation, assignment) or 0)
    is_alike = moves_no_more and _imbalance(given) <= _imbalance(assignment)
    members = [Member(member.member_id, member.topics or frozenset()) for member in generation.members]
    return HASH_ORDER if is_alike or not have_equal_topics(members) else None


def _row(
    generation: Generation, name: str, assignment: Mapping[str, frozenset[Place]] | None, counts: Mapping[str, int]
) -> Row:
    given = {member.member_id: member.given or frozenset() for member in generation.members}
    is_known = assignment is not None
    return generation.place | {
        "assignor": name,
        "members": len(generation.members),
        "partitions": sum(counts.values()) if is_known else None,
        "partitions_moved": _move_count(generation, assignment) if assignment is not None else None,
        "imbalance": _imbalance(assignment) if assignment is not None else None,
        "actual_moved": _move_count(generation, given) if generation.is_readable else None,
        "actual_imbalance": _imbalance(given) if generation.is_readable else None,
    }


def _move_count(generation: Generation, assignment: Mapping[str, frozenset[Place]]) -> int | None:
    """Partitions that another member had before; None where that isn't known."""
    before = generation.before
    if before is None:
        return None
    return sum(
        before.get(place, member_id) != member_id for member_id, places in assignment.items() for place in places
    )


def _imbalance(assignment: Mapping[str, frozenset[Place]]) -> int:
    """How many partitions more the member with the most has than the one with the fewest."""
    loads = [len(places) for places in assignment.values()]
    return max(loads, default=0) - min(loads, default=0)
