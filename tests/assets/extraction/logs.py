"""Logs of a topic written byte by byte into folders, and what an extraction gives of them, as plain values."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

from assets.extraction.extract import Extraction, Tally
from assets.extraction.log_copies import file_streams
from assets.extraction.log_ranges import NO_END, LogRange
from parsers.files.discovery import discover
from tests.parsers.log_writer import batch, record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from parsers.files.discovery import SegmentFile

TOPIC = "orders"
TRANSACTIONAL = 0x10
CONTROL = 0x20
ABORT, COMMIT = 0, 1


def data(base_offset: int, count: int = 1, producer: int | None = None, **options: Any) -> bytes:  # noqa: ANN401
    """A batch of records `k OFFSET`; with a producer, of its transaction."""
    records = [record(delta, b"k%d" % (base_offset + delta), b"v") for delta in range(count)]
    if producer is None:
        return batch(base_offset, records, **options)
    return batch(base_offset, records, attributes=TRANSACTIONAL, producer=(producer, 0, 0), **options)


def marker(base_offset: int, producer: int, kind: int) -> bytes:
    """The marker that ends a transaction."""
    content = record(0, struct.pack(">hh", 0, kind), struct.pack(">hi", 0, 0))
    return batch(base_offset, [content], attributes=TRANSACTIONAL | CONTROL, producer=(producer, 0, -1))


def in_epoch(content: bytes, epoch: int) -> bytes:
    """The batch as a leader of that epoch has it; no checksum covers the epoch."""
    return content[:12] + struct.pack(">i", epoch) + content[16:]


def write(folder: Path, segments: Mapping[int, Sequence[bytes]]) -> Path:
    """Write the segments of the one partition of a broker's log directory."""
    partition = folder / f"{TOPIC}-0"
    partition.mkdir(parents=True, exist_ok=True)
    for base_offset, batches in segments.items():
        (partition / f"{base_offset:020d}.log").write_bytes(b"".join(batches))
    return folder


def segments_in(*folders: Path) -> tuple[SegmentFile, ...]:
    """The segments in log directories of one cluster."""
    return discover([str(folder) for folder in folders], "c").segments


def extraction_of(
    segments: Sequence[SegmentFile], begin: int = 0, end: int = NO_END, complaints: list[str] | None = None
) -> tuple[list[dict[str, Any]], Tally]:
    """The records of a range in these segments of one log, and the tally."""
    wanted = LogRange(segments[0].cluster, segments[0].topic, segments[0].partition, begin, end)
    sentences = [] if complaints is None else complaints
    extraction = Extraction(wanted, file_streams(segments, wanted, sentences, lambda _size_bytes: None))
    return [row for batch in extraction.batches() for row in batch.to_pylist()], extraction.tally


def extract(*folders: Path, begin: int = 0, end: int = NO_END) -> tuple[list[int], Tally]:
    """The offsets of the records of a range, after a look at their keys; and the tally."""
    rows, tally = extraction_of(segments_in(*folders), begin, end)
    assert [row["key"] for row in rows] == [b"k%d" % row["offset"] for row in rows]
    return [row["offset"] for row in rows], tally
