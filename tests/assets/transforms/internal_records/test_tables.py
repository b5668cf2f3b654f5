"""Tables of internal topics out of their records: transactions, tombstones, and what nothing can be made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from assets.transforms.internal_records import connect, mirror, quarantine
from tests.assets.rows import Book, second

if TYPE_CHECKING:
    from assets.transforms.declaration import Transform

CHECKPOINTS = "a.checkpoints.internal"
SYNCS = "mm2-offset-syncs.b.internal"
TOPICS = {"mirror_checkpoints": CHECKPOINTS, "mirror_offset_syncs": SYNCS, "connect_offsets": "connect-offsets"}
NOON_MS = 1_767_268_800_000


def text(words: str) -> bytes:
    """A text as Kafka writes it."""
    return len(words.encode()).to_bytes(2, "big") + words.encode()


def number(value: int, width: int = 8) -> bytes:
    """A number as Kafka writes it."""
    return value.to_bytes(width, "big", signed=True)


CHECKPOINT_KEY = text("billing") + text("a.orders") + number(3, 4)
CHECKPOINT = number(0, 2) + number(60) + number(1) + text("")
SYNC_KEY = text("orders") + number(3, 4)
SYNC = number(60) + number(1)
OFFSET_KEY = b'["lines",{"file":"x"}]'


@pytest.fixture
def book() -> Book:
    """The raw table, without a row."""
    return Book(["raw.internal_records"])


def record(book: Book, kind: str, offset: int, key: bytes | None, value: bytes | None, **more: Any) -> None:  # noqa: ANN401 - a value of any column
    """A record of partition 0 of the topic of a kind in cluster c."""
    place = {"cluster": "c", "topic": TOPICS[kind], "partition": 0, "record_offset": offset, "kind": kind}
    row = {"timestamp_ms": NOON_MS, "is_transactional": False, "is_control": False, "is_tombstone": value is None}
    book.insert("raw.internal_records", **{**place, **row, "key": key, "value": value, **more})


def rows(book: Book, transform: Transform) -> list[dict[str, Any]]:
    """What a transform makes of them."""
    with book.borrowed() as connection:
        result: list[dict[str, Any]] = pa.Table.from_batches(list(transform.rows(connection))).to_pylist()
    return result


def test_a_checkpoint_has_the_alias_of_its_topic(book: Book) -> None:
    """Its time is the record's; a tombstone has no offsets."""
    record(book, "mirror_checkpoints", 0, CHECKPOINT_KEY, CHECKPOINT)
    record(book, "mirror_checkpoints", 1, CHECKPOINT_KEY, None, timestamp_ms=None, topic="own-name")
    first, other = rows(book, mirror.CHECKPOINTS)
    assert first == {
        "cluster": "c",
        "checkpoints_topic": CHECKPOINTS,
        "log_partition": 0,
        "log_offset": 0,
        "source_alias": "a",
        "group_id": "billing",
        "topic": "a.orders",
        "partition": 3,
        "upstream_offset": 60,
        "downstream_offset": 1,
        "metadata": "",
        "checkpoint_at": first["checkpoint_at"],
    }
    assert first["checkpoint_at"].isoformat() == second(0)
    assert [other[name] for name in ("source_alias", "upstream_offset", "metadata", "checkpoint_at")] == [None] * 4


def test_an_offset_sync_has_the_other_alias(book: Book) -> None:
    """Out of the name of its topic."""
    record(book, "mirror_offset_syncs", 7, SYNC_KEY, SYNC)
    (row,) = rows(book, mirror.OFFSET_SYNCS)
    assert (row["other_alias"], row["topic"], row["partition"], row["log_offset"]) == ("b", "orders", 3, 7)
    assert (row["upstream_offset"], row["downstream_offset"]) == (60, 1)


def test_source_offsets_of_a_part_are_one_history(book: Book) -> None:
    """Each is compared with the one before it of the same connector, part and topic, and no other."""
    for at, value in enumerate((b'{"p":1}', b'{"p":5}', b'{"p":2}', None, b'{"p":2}')):
        record(book, "connect_offsets", 2 * at, OFFSET_KEY, value)
        record(book, "connect_offsets", 2 * at + 1, b'["other",{"file":"x"}]', b'{"p":9}')
    actual = [(row["kind"], row["source_offset"]) for row in rows(book, connect.SOURCE_OFFSETS)[::2]]
    assert actual == [
        ("first", '{"p":1}'),
        ("advance", '{"p":5}'),
        ("rewind", '{"p":2}'),
        ("removed", None),
        ("first", '{"p":2}'),
    ]


def test_what_a_transaction_did_not_commit_does_not_count(book: Book) -> None:
    """As of exactly-once workers: the next marker of the producer decides."""
    part = {"producer_id": 9, "is_transactional": True}
    record(book, "connect_offsets", 0, OFFSET_KEY, b'{"p":1}', **part)
    marker = {**part, "is_control": True, "is_tombstone": False}
    record(book, "connect_offsets", 1, None, None, **{**marker, "control_type": "ABORT"})
    record(book, "connect_offsets", 2, OFFSET_KEY, b'{"p":2}', **part)
    record(book, "connect_offsets", 3, None, None, **{**marker, "control_type": "COMMIT"})
    record(book, "connect_offsets", 4, OFFSET_KEY, b'{"p":3}', **part)
    assert [row["source_offset"] for row in rows(book, connect.SOURCE_OFFSETS)] == ['{"p":2}']
    assert rows(book, quarantine.QUARANTINE) == []


def test_what_no_layout_reads_is_in_quarantine_alone_with_its_place(book: Book) -> None:
    """The rest goes on; a value that was too large to be stored is no tombstone."""
    record(book, "mirror_checkpoints", 0, CHECKPOINT_KEY, CHECKPOINT[:9])
    record(book, "mirror_checkpoints", 1, CHECKPOINT_KEY, CHECKPOINT)
    record(book, "mirror_checkpoints", 2, CHECKPOINT_KEY, None, is_tombstone=False)
    record(book, "mirror_offset_syncs", 3, None, SYNC)
    record(book, "connect_offsets", 4, b"{}", b"7")
    assert [row["log_offset"] for row in rows(book, mirror.CHECKPOINTS)] == [1]
    assert rows(book, mirror.OFFSET_SYNCS) == rows(book, connect.SOURCE_OFFSETS) == []
    actual = [
        (row["record_offset"], row["part"], row["position"], row["found"]) for row in rows(book, quarantine.QUARANTINE)
    ]
    assert actual == [
        (0, "value", 2, CHECKPOINT[2:9].hex()),
        (2, "value", None, "null"),
        (3, "key", None, "null"),
        (4, "key", 0, b"{}".hex()),
        (4, "value", 0, b"7".hex()),
    ]
