"""The read of one range of a log from a running cluster, batch by batch to the planned end.

Put here the progress through the log. Requests to brokers belong in `assets.ingest.live.cluster`, the treatment of
batches in `assets.ingest.slice_writer`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np

from assets.ingest.live.access import connect
from assets.ingest.live.errors import GoneError, PassingError
from assets.ingest.live.patience import patiently
from parsers.errors import SourceError
from parsers.log.batches import chain, last_offset
from parsers.log.segments import walk

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from assets.ingest.comparison.copies import Part
    from assets.ingest.live.access import Access
    from assets.ingest.live.cluster import LiveCluster, Partition
    from assets.ingest.slice_writer import SliceWriter
    from assets.ingest.work_units import LiveRead
    from parsers.words import ByteArray, Int64Array

PIECE_BYTES: Final = 8 << 20
"""The size of one fetch, and of what is in memory at a time; a larger batch comes alone."""


class Piece:
    """Batches in memory as the part of a log that they are."""

    def __init__(self, path: str, position: int, buffer: ByteArray) -> None:
        """Take the log's path, and the number of bytes fetched before this piece."""
        self.path, self.size_bytes = path, position + len(buffer)
        self._position, self._buffer = position, buffer

    def read(self, position: int, length: int) -> ByteArray:
        """Give up to `length` bytes from `position`."""
        start = position - self._position
        return self._buffer[start : start + length]


class Fetcher:
    """The connection of one task, opened at its first use, and again after a broker was away."""

    def __init__(self) -> None:
        """Begin without one."""
        self._cluster: LiveCluster | None = None
        self._partitions: dict[tuple[str, int], Partition] = {}

    def __enter__(self) -> Fetcher:  # noqa: PYI034 - Python 3.10 has no Self
        """Give the fetcher itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Close the connection."""
        self._disconnect()

    def fetch(self, read: LiveRead, offset: int) -> bytes:
        """The batches from an offset on, or the reason why there are none after some patience."""
        return patiently(partial(self._fetch_or_disconnect, read, offset))

    def resume(self, read: LiveRead, offset: int) -> int:
        """The offset to continue at when the requested one is gone: the current log start offset."""
        partition = self._partition(read)
        bounds = self._connect(read.access).bounds([partition])[partition.topic, partition.number]
        if bounds.log_start is None or bounds.log_start <= offset:
            raise SourceError(f"{read.segment.path}: offset {offset} is not in the log, which ends earlier than it did")
        return bounds.log_start

    def _fetch_or_disconnect(self, read: LiveRead, offset: int) -> bytes:
        """The batches; a passing error closes the connection, so that the next attempt finds the new leader."""
        try:
            return self._fetch(read, offset)
        except PassingError:
            self._disconnect()
            raise

    def _fetch(self, read: LiveRead, offset: int) -> bytes:
        return self._connect(read.access).fetch(self._partition(read), offset, PIECE_BYTES)

    def _connect(self, access: Access) -> LiveCluster:
        if self._cluster is None:
            self._cluster = connect(access)
        return self._cluster

    def _partition(self, read: LiveRead) -> Partition:
        place = read.segment.topic, read.segment.partition
        if place not in self._partitions:
            topic = self._connect(read.access).topic(read.segment.topic)
            self._partitions |= {(one.topic, one.number): one for one in (topic.partitions if topic else ())}
        if place not in self._partitions:
            raise PassingError(f"{read.segment.path}: the partition is not there")
        return self._partitions[place]

    def _disconnect(self) -> None:
        """Close the connection and forget the leaders."""
        if self._cluster is not None:
            self._cluster.close()
        self._cluster, self._partitions = None, {}


@dataclass(slots=True)
class Progress:
    """The next offset of a read."""

    offset: int


def read_live(read: LiveRead, fetcher: Fetcher, writer: SliceWriter, complaints: list[str]) -> Iterator[Part]:
    """Read to the planned end; after a failure the rows so far remain, and the failure becomes a complaint."""
    begin, progress = read.segment.base_offset, Progress(read.segment.base_offset)
    try:
        while progress.offset < read.end_offset:
            yield from _next_parts(read, progress, fetcher, writer)
    except SourceError as error:
        reached = f"read up to offset {progress.offset} of {read.end_offset}; the next run goes on there"
        complaints.append(f"{error} ({reached})")
    if progress.offset > begin:
        tally = writer.tally
        size_bytes = tally.end_position + tally.torn_bytes
        writer.account("live", from_offset=begin, end_offset=progress.offset, size_bytes=size_bytes)


def _next_parts(read: LiveRead, progress: Progress, fetcher: Fetcher, writer: SliceWriter) -> Iterator[Part]:
    """Fetch the next batches, give their rows, and advance."""
    buffer = fetch_batches(read, progress.offset, fetcher)
    if buffer is None:
        progress.offset = fetcher.resume(read, progress.offset)
    elif not len(buffer):
        progress.offset = read.end_offset
    else:
        bounds = chain(buffer, len(buffer), len(buffer))
        yield from _read_parts(buffer[: bounds[-1]] if len(bounds) > 1 else buffer, writer)
        progress.offset = _next_offset(read, progress.offset, buffer, bounds, writer)


def fetch_batches(read: LiveRead, offset: int, fetcher: Fetcher) -> ByteArray | None:
    """The batches at an offset; None when it is gone from the log."""
    try:
        return np.frombuffer(fetcher.fetch(read, offset), np.uint8)
    except GoneError:
        return None


def _read_parts(batches: ByteArray, writer: SliceWriter) -> Iterator[Part]:
    """The rows of fetched batches; positions continue from fetch to fetch."""
    position = writer.tally.end_position
    source = Piece(writer.segment.path, position, batches)
    for piece in walk(source, position, bodies=True):
        yield from writer.take(piece, source)


def _next_offset(read: LiveRead, offset: int, buffer: ByteArray, bounds: Int64Array, writer: SliceWriter) -> int:
    """The offset after the last whole batch, by its header; without one, after the last sound batch so far."""
    after = int(last_offset(buffer, bounds[-2])) + 1 if len(bounds) > 1 else writer.tally.end_offset
    if after is None or after <= offset:
        raise SourceError(f"{read.segment.path}: what the broker gave at offset {offset} is no batch")
    return after
