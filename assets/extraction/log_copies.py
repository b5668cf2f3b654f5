"""The copies of a log that a range is read from: segment files, and a partition of a running cluster.

Put here which of the files count. How one is read belongs in `assets.extraction.log_streams`.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Final

from assets.extraction.log_streams import FileStream, LiveStream
from assets.ingest.live.access import connect
from assets.ingest.work_units import LiveRead
from parsers.errors import SourceError
from parsers.files.discovery import UNNAMED_CLUSTER, SegmentFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from assets.extraction.log_ranges import LogRange
    from assets.extraction.log_streams import LogStream
    from assets.ingest.live.access import Access
    from assets.ingest.live.cluster import LiveCluster
    from assets.ingest.live.reading import Fetcher

_IN_USE: Final = frozenset({None, "swap"})


def segments_of(segments: Iterable[SegmentFile], wanted: LogRange) -> list[SegmentFile]:
    """The segments of a log from the beginning of a range on; behind its end there may be markers of its transactions.

    Of the segments in use of one folder, those before the last one that begins at or before the range have nothing of
    it. Segments that the broker is about to remove may reach anywhere.
    """
    of_log = [one for one in segments if (one.cluster, one.topic, one.partition) == wanted.log]
    first: dict[str, int] = {}
    for one in of_log:
        folder = posixpath.dirname(one.path)
        if one.file_suffix in _IN_USE and one.base_offset <= wanted.from_offset:
            first[folder] = max(first.get(folder, 0), one.base_offset)
    return [
        one
        for one in of_log
        if one.file_suffix not in _IN_USE or one.base_offset >= first.get(posixpath.dirname(one.path), 0)
    ]


def file_streams(
    segments: Sequence[SegmentFile], wanted: LogRange, complaints: list[str], progress: Callable[[int], None]
) -> list[LogStream]:
    """The streams of the files that may hold a record of a range, or a marker of its transactions."""
    return [FileStream(segment, complaints, progress) for segment in segments_of(segments, wanted)]


def live_stream(
    access: Access, wanted: LogRange, fetcher: Fetcher, complaints: list[str], progress: Callable[[int], None]
) -> LogStream:
    """The stream of a partition of a running cluster, from its log start to its high watermark of now."""
    with connect(access) as cluster:
        return LiveStream(_live_read(cluster, access, wanted), fetcher, complaints, progress)


def cluster_name(access: Access) -> str:
    """The id of a running cluster."""
    with connect(access) as cluster:
        return cluster.cluster_id() or UNNAMED_CLUSTER


def _live_read(cluster: LiveCluster, access: Access, wanted: LogRange) -> LiveRead:
    path = f"{access.name}/{wanted.topic}-{wanted.partition}"
    topic = cluster.topic(wanted.topic)
    partitions = [one for one in (topic.partitions if topic else ()) if one.number == wanted.partition]
    if topic is None or not partitions:
        raise SourceError(f"{path}: the cluster has no such partition")
    bounds = cluster.bounds(partitions).get((wanted.topic, wanted.partition))
    if bounds is None or bounds.log_start is None or bounds.high_watermark is None:
        raise SourceError(f"{path}: the partition has no leader that answers")
    segment = SegmentFile(
        cluster=wanted.cluster,
        broker_id=partitions[0].leader,
        topic=wanted.topic,
        partition=wanted.partition,
        base_offset=bounds.log_start,
        path=path,
        size_bytes=0,
        modified_ms=None,
        topic_id=topic.topic_id,
        log_start_offset=bounds.log_start,
        high_watermark=bounds.high_watermark,
    )
    return LiveRead(segment, bounds.high_watermark, access)
