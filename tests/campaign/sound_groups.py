"""What sound groups do in a history: they read on, hand over, are reset, use transactions, on topics that all share.

Put here what coordinators would write. What nobody should write stands in `strangers`.
"""

from __future__ import annotations

from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Any, Final

from tests.assets.transforms.made_groups import assignment
from tests.campaign.histories import PARTITIONS, START_MS, Event, Message, home, message, silent

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

TOPICS: Final = {"orders": 2, "audit": 1}
TOPIC_ID: Final = "b3JkZXJzb3JkZXJzb3JkZQ"
GROUPS: Final = ("payments", "billing", "reader", "exactly")
PRODUCER: Final = {"producer": (5, 0, 0), "attributes": 0x10}


def commit(group: str, topic: str, partition: int, offset: int, **also: object) -> Message:
    """An offset commit, as Kafka 3 writes it."""
    value = {"offset": offset, "leader_epoch": -1, "metadata": "", "commit_timestamp": START_MS}
    key = {"group_id": group, "topic": topic, "partition": partition}
    return message(1, key, value | also, 3)


def marker(log_partition: int, producer: tuple[int, int, int], *, commits: bool = True) -> Event:
    """A transaction marker."""
    key, value = (0).to_bytes(2, "big") + commits.to_bytes(2, "big"), bytes(6)
    return Event(log_partition, [(key, value)], {"producer": producer, "attributes": 0x30})


def _classic(group: str, generation: int, members: Sequence[tuple[str, bytes]]) -> Message:
    named = [
        {"member_id": name, "group_instance_id": None, "client_id": name[:1], "client_host": "/10.0.0.1"}
        | {"rebalance_timeout": 60000, "session_timeout": 45000, "subscription": b"\0\0\0\0\0\0\xff\xff\xff\xff"}
        | {"assignment": given}
        for name, given in members
    ]
    value = {"protocol_type": "consumer", "generation": generation, "current_state_timestamp": START_MS}
    chosen = {"protocol": "range" if named else None, "leader": members[0][0] if members else None, "members": named}
    return message(2, {"group_id": group}, value | chosen, 3)


def _payments() -> Iterable[list[Message]]:
    """A classic group: two members, one leaves and its partition is handed over, all leave, an admin sets it back."""
    group = "payments"
    both = [("m-1", assignment(0, topic="orders")), ("m-2", assignment(1, topic="orders"))]
    yield [_classic(group, 1, both)]
    yield from ([commit(group, "orders", part, 20 * step) for part in (0, 1)] for step in range(1, 6))
    yield [_classic(group, 2, [("m-1", assignment(0, 1, topic="orders"))])]
    yield from ([commit(group, "orders", part, 20 * step) for part in (0, 1)] for step in range(6, 10))
    yield [_classic(group, 3, [])]
    yield [commit(group, "orders", part, 90) for part in (0, 1)]
    yield [_classic(group, 4, [("m-3", assignment(0, 1, topic="orders"))])]
    yield from ([commit(group, "orders", part, 20 * step) for part in (0, 1)] for step in range(6, 14))


def _billing() -> Iterable[list[Message]]:
    """A KIP-848 group of one member."""
    group, member = {"group_id": "billing"}, {"group_id": "billing", "member_id": "b-1"}
    values: dict[str, Any] = {"instance_id": None, "rack_id": None, "client_id": "b", "client_host": "/10.0.0.2"}
    values |= {"subscribed_topic_names": ["orders"], "subscribed_topic_regex": None, "rebalance_timeout_ms": 60000}
    places: list[dict[str, Any]] = [{"topic_id": TOPIC_ID, "partitions": [0, 1], "assignment_epochs": []}]
    current = {"member_epoch": 1, "previous_member_epoch": 0, "state": 0, "assigned_partitions": places}
    yield [
        message(3, group, {"epoch": 1, "metadata_hash": 0}),
        message(5, member, values | {"server_assignor": None, "classic_member_metadata": None}),
        message(6, group, {"assignment_epoch": 1, "assignment_timestamp": 0}),
        message(7, member, {"topic_partitions": places}),
        message(8, member, current | {"partitions_pending_revocation": []}),
    ]
    for step in range(1, 12):
        yield [commit("billing", "orders", part, 15 * step, leader_epoch=3) for part in (0, 1)]


def _reader() -> Iterable[list[Message]]:
    """A simple consumer that seeks back once."""
    for offset in (10, 30, 50, 70, 20, 40, 60, 80, 100):
        yield [commit("reader", "audit", 0, offset, leader_epoch=3)]


def _exactly() -> Iterable[Event]:
    """Transactions, one of them aborted, the last one open."""
    place = home("exactly")
    for step in range(1, 7):
        yield Event(place, [commit("exactly", "audit", 0, 12 * step)], PRODUCER)
        yield marker(place, PRODUCER["producer"], commits=step != 3)  # type: ignore[arg-type]
    yield Event(place, [commit("exactly", "audit", 0, 99)], PRODUCER)


def sound_events() -> list[Event]:
    """What all sound groups do, in turns."""
    plain = {"payments": _payments(), "billing": _billing(), "reader": _reader()}
    rows = [[Event(home(group), some) for some in story] for group, story in plain.items()]
    turns = zip_longest(*rows, list(_exactly()))
    last = silent(PARTITIONS - 1, 1)
    return [last, *(event for event in chain.from_iterable(turns) if event is not None)]
