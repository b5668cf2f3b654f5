"""Opened and numbered blobs become the bytes they were."""

from __future__ import annotations

import pyarrow as pa
import pytest

from parsers.layouts.groups.consumer_protocol import ASSIGNMENT, SUBSCRIPTION
from parsers.messages.embedded import open_subscriptions
from parsers.text.blobs import encode, restore_bytes
from parsers.text.rows import Unreadable

SUBSCRIPTIONS = {
    0: "0000000000020001610001620000000107",
    1: "000100000002000161000162000000010700000001000161000000020000000000000001",
    2: "00020000000200016100016200000001070000000100016100000002000000000000000100000005",
    3: "0003000000020001610001620000000107000000010001610000000200000000000000010000000500027231",
}
SUBSCRIBED = {
    "topics": ["a", "b"],
    "user_data": b"\x07",
    "owned_partitions": [{"topic": "a", "partitions": [0, 1]}],
    "generation_id": 5,
    "rack_id": "r1",
}
EAGER = (
    "0000000000026d31000e687474703a2f2f773a383038332f0000000000000011000000010002633100000003ffffffff0000000000000001"
)
COOPERATIVE = (
    "0001000000026d31000e687474703a2f2f773a383038332f0000000000000011000000010002633100000002ffffffff000000000000000100"
    "0263320000000100000003000493e0"
)


@pytest.mark.parametrize("version", SUBSCRIPTIONS)
def test_a_subscription_is_encoded_as_kafka_does(version: int) -> None:
    """Every version gives the bytes that Kafka's own class made."""
    assert encode(SUBSCRIPTION, version, SUBSCRIBED).hex() == SUBSCRIPTIONS[version]


def test_nulls_are_encoded_and_read_back() -> None:
    """What may be null stays null on the way to bytes and back."""
    row = {"topics": ["a"], "user_data": None, "owned_partitions": [], "generation_id": -1, "rack_id": None}
    blob = encode(SUBSCRIPTION, 3, row)
    assert blob.hex() == "000300000001000161ffffffff00000000ffffffffffff"
    assert open_subscriptions(pa.array([blob])).to_pylist() == [{"version": 3, **row}]


def test_an_assignment_is_encoded_as_kafka_does() -> None:
    """Partitions are grouped by topic, and user data may be null."""
    assigned = [{"topic": "a", "partitions": [0, 1]}, {"topic": "b", "partitions": [2]}]
    blob = encode(ASSIGNMENT, 0, {"assigned_partitions": assigned, "user_data": None})
    assert blob.hex() == "0000000000020001610000000200000000000000010001620000000100000002ffffffff"


def test_text_that_no_length_can_say_is_refused() -> None:
    """A topic longer than an int16 has no encoding."""
    with pytest.raises(Unreadable, match="too long"):
        encode(ASSIGNMENT, 0, {"assigned_partitions": [{"topic": "x" * 40000, "partitions": []}], "user_data": None})


@pytest.mark.parametrize("blob", [EAGER, COOPERATIVE, COOPERATIVE.replace("0001", "0002", 1)])
def test_zeros_that_a_layout_implies_are_restored(blob: str) -> None:
    """An assignment of Connect, printed as a number without its leading zeros, has one length that fits."""
    assert restore_bytes(b"%X" % int(blob, 16), "connect", "default") == bytes.fromhex(blob)


def test_zeros_that_nothing_implies_stay_unknown() -> None:
    """A number of an unknown layout, or one that fits none, is not taken for bytes."""
    assert restore_bytes(b"1FF", "other", "p") is None
    assert restore_bytes(b"1FF", "connect", "default") is None
    assert restore_bytes(b"", "other", "p") == b""
    assert restore_bytes(b"7B7D", "sr", "v0") == b"{}"
