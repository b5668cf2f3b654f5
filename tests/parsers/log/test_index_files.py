"""The files beside a segment, as a broker wrote them and as its own tool read them, and damaged ones."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from parsers.errors import SourceError
from parsers.log.index_files import offset_index, producer_snapshot, time_index, transaction_index
from tests.parsers.log_writer import crc32c

HERE = Path(__file__).resolve().parents[2] / "bytes" / "batches" / "kafka-4.1"


def test_recorded_files() -> None:
    """Index entries read as kafka-dump-log printed them."""
    times = time_index((HERE / "compacted-0/00000000000000000000.timeindex").read_bytes(), 0)
    assert times.to_pylist() == [{"timestamp_ms": 1795005314248, "offset": 5759}]
    aborted = transaction_index((HERE / "txn-out-0/00000000000000000000.txnindex").read_bytes(), "here")
    rows = [
        (row["producer_id"], row["first_offset"], row["last_offset"], row["last_stable_offset"])
        for row in aborted.to_pylist()
    ]
    assert rows == [(0, 22, 32, 33), (0, 55, 65, 66), (0, 88, 98, 99), (0, 121, 131, 132), (0, 154, 164, 165)]
    snapshot = (HERE / "compacted-0/00000000000000005760.snapshot").read_bytes()
    assert len(producer_snapshot(snapshot, "here")) == 0


def test_preallocated_index() -> None:
    """The zeros behind the last entry are not entries; a first entry for the base offset itself is one."""
    entries = struct.pack(">4i", 0, 4096, 9, 8192)
    expected = [{"offset": 500, "position": 4096}, {"offset": 509, "position": 8192}]
    assert offset_index(entries + bytes(80), 500).to_pylist() == expected
    assert offset_index(entries + b"\0\0\0", 500).to_pylist() == expected
    assert offset_index(bytes(800), 500).to_pylist() == time_index(bytes(1200), 500).to_pylist() == []


def snapshot(entries: list[tuple[int, ...]], version: int = 1) -> bytes:
    """Write a snapshot of producers."""
    covered = struct.pack(">i", len(entries)) + b"".join(struct.pack(">qhiqiqiq", *entry) for entry in entries)
    return struct.pack(">hI", version, crc32c(covered)) + covered


def test_producer_snapshot() -> None:
    """Producers are read; what they do not have is NULL."""
    table = producer_snapshot(snapshot([(9, 3, -1, 70, 0, 1000, 12, -1), (10, 0, 5, 80, 2, 2000, 1, 78)]), "here")
    first, second = table.to_pylist()
    assert (first["producer_id"], first["last_sequence"], first["current_transaction_first_offset"]) == (9, None, None)
    assert (second["last_sequence"], second["current_transaction_first_offset"]) == (5, 78)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "byte 0: expected version 1"),
        (snapshot([], version=2), "byte 0: expected version 1"),
        (snapshot([])[:-1] + b"\1", "byte 2: expected checksum"),
        (snapshot([(9, 3, 5, 70, 0, 1000, 12, -1)])[:-46], "byte 2: expected checksum"),
    ],
)
def test_damaged_snapshot(content: bytes, message: str) -> None:
    """A damaged snapshot is refused with its place."""
    with pytest.raises(SourceError, match=f"here: {message}"):
        producer_snapshot(content, "here")


def test_unknown_transaction_index() -> None:
    """A transaction index of a version to come is refused."""
    with pytest.raises(SourceError, match="here: expected entries of version 0, found 7"):
        transaction_index(struct.pack(">hqqqq", 7, 0, 0, 0, 0), "here")
