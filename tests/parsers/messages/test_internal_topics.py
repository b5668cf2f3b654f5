"""Transaction state and share-group state, against bytes that Kafka wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from parsers.layouts.share_group_state import SHARE_SNAPSHOT
from parsers.layouts.transaction_state import TRANSACTION_STATUSES
from parsers.messages.internal_topics import SHARE_GROUP_STATE, TRANSACTION_STATE
from parsers.messages.topic_records import RecordColumns, Topic, decode_records
from tests.parsers.encode import encode
from tests.parsers.golden import blob_vectors
from tests.parsers.made_messages import laid_out

if TYPE_CHECKING:
    from collections.abc import Sequence

VECTORS: Final = {vector.name: vector.data for vector in blob_vectors("vectors-blobs.txt")}
TIME_MS: Final = 1_700_000_000_000

ONGOING: Final[dict[str, Any]] = {
    "producer_id": 9000,
    "previous_producer_id": -1,
    "next_producer_id": -1,
    "producer_epoch": 3,
    "next_producer_epoch": -1,
    "transaction_timeout_ms": 60_000,
    "transaction_status": 1,
    "transaction_partitions": [{"topic": "t", "partition_ids": [0, 2]}],
    "transaction_last_update_timestamp_ms": TIME_MS,
    "transaction_start_timestamp_ms": TIME_MS,
    "client_transaction_version": 0,
    "unknown_tags": None,
}
EMPTY: Final = ONGOING | {"transaction_status": 0, "transaction_partitions": None}


def read(topic: Topic, records: Sequence[tuple[bytes, bytes | None]]) -> RecordColumns:
    """Decode records of an internal topic."""
    buffer, starts, ends = laid_out([part for record in records for part in record])
    return decode_records(topic, buffer, (starts[::2], ends[::2]), (starts[1::2], ends[1::2]))


def test_golden_transactions() -> None:
    """Both versions, with and without partitions and tagged fields, are what Kafka wrote."""
    expected: dict[str, dict[str, Any]] = {
        "txn value v0 ongoing": ONGOING,
        "txn value v1 ongoing clientTxnVersion=2": ONGOING | {"client_transaction_version": 2},
        "txn value v1 with prev/next pid": ONGOING
        | {"client_transaction_version": 2, "previous_producer_id": 9000, "next_producer_id": 9001},
        "txn value v0 empty": EMPTY,
        "txn value v1 empty": EMPTY,
    }
    columns = read(TRANSACTION_STATE, [(VECTORS["txn key"], VECTORS[name]) for name in expected])
    assert columns.keys["transactional_id"].to_pylist() == ["tx"] * len(expected)
    assert columns.values["transaction"].to_pylist() == list(expected.values())
    assert columns.value_version.to_pylist() == [0, 1, 1, 0, 1]
    assert TRANSACTION_STATUSES[ONGOING["transaction_status"]] == "Ongoing"


def test_golden_share_snapshot() -> None:
    """A snapshot of a share group's state, and the tombstone of one."""
    key, value = VECTORS["share snapshot key"], VECTORS["share snapshot value"]
    columns = read(SHARE_GROUP_STATE, [(key, value), (key, None)])
    assert {name: column[0].as_py() for name, column in columns.keys.items()} == {
        "group_id": "g",
        "topic_id": "AAAAAAAAAAEAAAAAAAAAAg",
        "partition": 3,
    }
    batch = {"first_offset": 10, "last_offset": 19, "delivery_state": 2, "delivery_count": 1}
    snapshot, tombstone = columns.values["share_snapshot"].to_pylist()
    assert tombstone is None
    assert snapshot | {"unknown_tags": None} == {
        "snapshot_epoch": 1,
        "early_snapshot_epoch": None,
        "state_epoch": 2,
        "leader_epoch": 3,
        "start_offset": 4,
        "delivery_complete_count": -1,
        "create_timestamp": 5,
        "write_timestamp": 6,
        "state_batches": [batch],
        "unknown_tags": None,
    }
    assert columns.values["share_update"].null_count == 2


def test_share_snapshot_of_4_0_has_a_shorter_epoch() -> None:
    """The early access wrote the epoch in two bytes and no timestamps under the same version."""
    early = {"early_snapshot_epoch": 7, "state_epoch": 2, "leader_epoch": 3, "start_offset": 4, "state_batches": []}
    value = b"\0\0" + encode(SHARE_SNAPSHOT, -1, early)
    (row,) = read(SHARE_GROUP_STATE, [(VECTORS["share snapshot key"], value)]).values["share_snapshot"].to_pylist()
    assert (row["early_snapshot_epoch"], row["snapshot_epoch"], row["create_timestamp"]) == (7, None, None)
