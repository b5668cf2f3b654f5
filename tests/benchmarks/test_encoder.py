"""The encoder against bytes that Kafka's own classes wrote."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from benchmarks.encoder import Encoder, uvarint
from parsers.layouts.groups.consumer_group import CONSUMER_GROUP_CURRENT_MEMBER_ASSIGNMENT
from parsers.layouts.groups.consumer_protocol import ASSIGNMENT
from parsers.layouts.groups.group_metadata import GROUP_METADATA
from parsers.layouts.groups.offset_commit import OFFSET_COMMIT
from parsers.layouts.groups.offsets_key import OFFSETS_KEY

if TYPE_CHECKING:
    from parsers.wire import Layout

GOLDEN = Path(__file__).resolve().parents[1] / "bytes" / "golden"

COMMIT = {
    "offset": 42,
    "leader_epoch": 7,
    "metadata": "m",
    "commit_timestamp": 1_700_000_000_000,
    "expire_timestamp": 1_700_086_400_000,
}
TOPIC_ID = "ABEiM0RVZneImaq7zN3u_w"
MEMBER = {
    "member_id": "m-1",
    "group_instance_id": "i",
    "client_id": "c",
    "client_host": "/10.0.0.1",
    "rebalance_timeout": 300_000,
    "session_timeout": 45_000,
    "subscription": b"\0\0",
    "assignment": b"\1",
}
GROUP = {
    "protocol_type": "consumer",
    "generation": 5,
    "protocol": "range",
    "leader": "m-1",
    "current_state_timestamp": 1_700_000_000_000,
    "members": [MEMBER],
}
EMPTY = GROUP | {"generation": 6, "protocol": None, "leader": None, "members": []}
OWNED = {"topic_id": TOPIC_ID, "partitions": [0]}
CURRENT = {
    "member_epoch": 10,
    "previous_member_epoch": 9,
    "state": 1,
    "assigned_partitions": [OWNED],
    "partitions_pending_revocation": [OWNED | {"partitions": [1]}],
}
ASSIGNED = {
    "assigned_partitions": [{"topic": "a", "partitions": [0, 1]}, {"topic": "b", "partitions": [2]}],
    "user_data": None,
}

CASES: list[tuple[Layout, int, dict[str, Any]]] = [
    (OFFSETS_KEY, 1, {"group_id": "g1", "topic": "t", "partition": 3}),
    (OFFSETS_KEY, 2, {"group_id": "g1"}),
    *((OFFSET_COMMIT, version, COMMIT) for version in range(5)),
    (OFFSET_COMMIT, 4, COMMIT | {"topic_id": TOPIC_ID}),
    *((GROUP_METADATA, version, GROUP) for version in range(3)),
    (GROUP_METADATA, 3, GROUP),
    (GROUP_METADATA, 3, EMPTY),
    (CONSUMER_GROUP_CURRENT_MEMBER_ASSIGNMENT, 0, CURRENT),
    (ASSIGNMENT, 0, ASSIGNED),
]


@pytest.fixture(scope="module")
def golden() -> set[str]:
    """Every word of the golden vectors."""
    return {word for file in GOLDEN.glob("*.txt") for word in file.read_text(encoding="utf-8").split()}


@pytest.mark.parametrize(("layout", "version", "values"), CASES)
def test_kafka_writes_the_same(golden: set[str], layout: Layout, version: int, values: dict[str, Any]) -> None:
    """A message is one of those that Kafka wrote of these values."""
    assert Encoder(layout, version).message(values).content.hex() in golden


@pytest.mark.parametrize("version", range(5))
def test_places_of_numbers(version: int) -> None:
    """Where a number is said to stand, that number stands."""
    message = Encoder(OFFSET_COMMIT, version).message(COMMIT)
    for name in ("offset", "commit_timestamp"):
        at = message.places[name]
        assert int.from_bytes(message.content[at : at + 8], "big") == COMMIT[name]


def test_long_lengths() -> None:
    """A length beyond seven bits takes two bytes."""
    assert (uvarint(127), uvarint(128), uvarint(201)) == (b"\x7f", b"\x80\x01", b"\xc9\x01")
