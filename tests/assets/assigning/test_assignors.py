"""Every assignor against what Kafka's own classes gave for the same members."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from assets.assigning.assignors import OF_BROKERS, OF_CLIENTS
from assets.assigning.members import Member, Topics

if TYPE_CHECKING:
    from assets.assigning.members import Assignment, Place

GOLDEN = Path(__file__).parents[2] / "bytes" / "golden"


def vectors(name: str) -> list[dict[str, Any]]:
    """What Kafka's classes were given, and gave."""
    return [json.loads(line) for line in (GOLDEN / f"vectors-{name}-assignors.jsonl").read_text().splitlines()]


def place(text: str) -> Place:
    """A partition as Kafka writes it."""
    topic, _, number = text.rpartition("-")
    return topic, int(number)


def member_of(described: dict[str, Any]) -> Member:
    """A member as a vector describes it; a target of the broker's is what it has."""
    target = ((topic, number) for topic, numbers in described.get("currentTarget", {}).items() for number in numbers)
    return Member(
        described["memberId"],
        frozenset(described["topics"]),
        described.get("groupInstanceId"),
        (*(place(text) for text in described.get("owned", ())), *target),
        described.get("generation", -1),
        described.get("rack"),
    )


def topics_of(vector: dict[str, Any]) -> Topics:
    """The topics of a vector, with racks where it names some."""
    racks = vector.get("partitionRacks", {})
    return Topics(vector["topics"], {topic: [frozenset(of) for of in by] for topic, by in racks.items()})


def as_sets(assignment: Assignment) -> dict[str, set[Place]]:
    """Which places each member has: in which order is Java's affair."""
    assert all(len(set(places)) == len(places) for places in assignment.values())
    return {member: set(places) for member, places in assignment.items()}


def expected(vector: dict[str, Any]) -> dict[str, set[Place]]:
    """What Kafka gave."""
    return {member: {place(text) for text in places} for member, places in vector["result"].items()}


@pytest.mark.parametrize("vector", vectors("client"), ids=lambda v: f"{v['assignor']}: {v['case']}")
def test_a_client_would_assign_the_same(vector: dict[str, Any]) -> None:
    """Range, round robin, sticky and cooperative-sticky."""
    members = [member_of(member) for member in vector["members"]]
    assert as_sets(OF_CLIENTS[vector["assignor"]](topics_of(vector), members)) == expected(vector)


@pytest.mark.parametrize("vector", vectors("server"), ids=lambda v: f"{v['assignor']}: {v['case']}")
def test_a_broker_would_assign_the_same(vector: dict[str, Any]) -> None:
    """Uniform and range."""
    members = [member_of(member) for member in vector["members"]]
    assert as_sets(OF_BROKERS[vector["assignor"]](topics_of(vector), members)) == expected(vector)
