"""Generations and members from group metadata records, embedded bytes included."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assets.tables.core import GENERATIONS, MEMBERS
from assets.transforms.groups import generations, members

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SCHEMA = (
    "cluster string, log_partition int, log_offset long, timestamp_ms long, record_type short, is_tombstone boolean, "
    "group_id string, group_metadata struct<protocol_type: string, generation: int, protocol: string, leader: string, "
    "current_state_timestamp: long, members: array<struct<member_id: string, group_instance_id: string, "
    "client_id: string, client_host: string, rebalance_timeout: int, session_timeout: int, subscription: binary, "
    "assignment: binary>>>"
)
SUBSCRIBED_T = bytes.fromhex("000000000001000174ffffffff")
ASSIGNED_T_0_2 = bytes.fromhex("000000000001000174000000020000000000000002ffffffff")


def member(name: str, subscription: bytes = SUBSCRIBED_T, assignment: bytes = ASSIGNED_T_0_2) -> tuple[Any, ...]:
    """A member as the record holds it."""
    return (name, None, "client", "/10.0.0.1", -1, 8000, subscription, assignment)


def value(generation: int, *of: tuple[Any, ...], kind: str = "consumer") -> tuple[Any, ...]:
    """A group metadata value with these members, the first one the leader."""
    return (kind, generation, "range" if of else None, of[0][0] if of else None, -1, list(of))


def records(spark: SparkSession, *values: tuple[Any, ...] | None) -> DataFrame:
    """Group metadata records of group g at offsets 0, 1, ...; None is a tombstone."""
    rows = [("c", 7, at, 1000 + at, 2, of is None, "g", of) for at, of in enumerate(values)]
    return spark.createDataFrame(rows, SCHEMA)


def test_each_record_stands_until_the_next(spark: SparkSession) -> None:
    """States are told apart, and each has the time and place where it ended; the last still stands."""
    frame = generations(records(spark, value(0), value(1, member("a")), value(2), None))
    assert tuple(frame.columns) == GENERATIONS.column_names
    rows = frame.orderBy("log_offset").collect()
    assert [(r.generation, r.state, r.member_count, r.to_log_offset) for r in rows] == [
        (0, "Empty", 0, 1),
        (1, "Stable", 1, 2),
        (2, "Empty", 0, 3),
        (None, "Removed", None, None),
    ]
    assert [row.to_at for row in rows] == [row.from_at for row in rows[1:]] + [None]
    assert rows[0].state_at is None


def test_members_are_opened(spark: SparkSession) -> None:
    """Subscribed topics and assigned partitions are columns; Kafka's -1 for a timeout is NULL."""
    frame = members(records(spark, value(1, member("a"), member("b"))))
    assert tuple(frame.columns) == MEMBERS.column_names
    first, second = frame.orderBy("member_id").collect()
    assert (first.subscribed_topics, [(a.topic, a.partitions) for a in first.assigned]) == (["t"], [("t", [0, 2])])
    assert (first.is_leader, second.is_leader) == (True, False)
    assert (first.session_timeout_ms, first.rebalance_timeout_ms) == (8000, None)


def test_bytes_that_are_not_a_consumers_stay_closed(spark: SparkSession) -> None:
    """Another protocol type, no bytes and broken bytes all leave NULL, and the members are there all the same."""
    connect = value(1, member("a"), kind="connect")
    empty = value(2, member("a", b"", b""))
    broken = value(3, member("a", b"\0\0\x7f\xff\xff\xff", b"\0"))
    rows = members(records(spark, connect, empty, broken)).orderBy("log_offset").collect()
    assert [(row.generation, row.subscribed_topics, row.assigned) for row in rows] == [
        (1, None, None),
        (2, None, None),
        (3, None, None),
    ]
