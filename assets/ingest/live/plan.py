"""The reads of a run from a running cluster: of each internal topic's partition, the records that are not archived yet.

Put here where a read begins and ends. How it is done belongs in `assets.ingest.live.reading`.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

import pyarrow.compute as pc

from assets.ingest.broker_files.configuration_files import CONFIGURATIONS, DIGESTS
from assets.ingest.live.access import connect
from assets.ingest.live.errors import GoneError, PassingError
from assets.ingest.live.samples import ask_samples, changed_samples
from assets.ingest.live.settings import has_changed
from assets.ingest.work_units import LiveRead
from assets.storage.data_files import as_one
from parsers.errors import SourceError
from parsers.files.discovery import OFFSETS_TOPIC, UNNAMED_CLUSTER, SegmentFile
from parsers.files.internal_topics import DECLARED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from assets.ingest.live.access import Access
    from assets.ingest.live.cluster import Bounds, LiveCluster, Partition, Topic
    from assets.storage.warehouse import Warehouse
    from parsers.files.internal_topics import InternalTopics

PROBE_BYTES: Final = 1
"""Asks for one batch: whether the log may be read at all is better known before a run than in the middle of it."""


@dataclass(frozen=True, slots=True)
class LivePlan:
    """The news of a running cluster: ranges of its internal topics to read, and the number of changed partitions."""

    cluster: str
    reads: tuple[LiveRead, ...]
    partitions_changed: int
    complaints: tuple[str, ...] = ()
    are_settings_new: bool = False

    @property
    def offsets(self) -> int:
        """Offsets that would be read; records may be fewer."""
        return sum(read.end_offset - read.segment.base_offset for read in self.reads)

    @property
    def is_empty(self) -> bool:
        """Whether the cluster has nothing new."""
        return not self.reads and not self.partitions_changed and not self.are_settings_new


@dataclass(frozen=True, slots=True)
class TopicState:
    """The bounds of a topic that is read with its records, and the ranges of it that are archived."""

    access: Access
    cluster: str
    log: Topic
    bounds: Mapping[tuple[str, int], Bounds]
    stretches: Mapping[int, list[tuple[int, int]]]

    def reads(self) -> Iterator[LiveRead]:
        """The ranges that are not archived yet."""
        for partition in self.log.partitions:
            bounds = self._bounds(partition)
            if bounds is not None and self._next_offset(partition, bounds[0]) < bounds[1]:
                yield LiveRead(self._segment(partition, bounds), bounds[1], self.access)

    def complaints(self) -> Iterator[str]:
        """Sentences about partitions without a leader, and about logs that end before the archived offsets."""
        for partition in self.log.partitions:
            place, bounds = f"{self.access.name}: {self.log.name}-{partition.number}", self._bounds(partition)
            if bounds is None:
                yield f"{place} has no leader that answers, so it was not read"
            elif self._next_offset(partition, bounds[0]) > bounds[1]:
                yield (
                    f"{place} ends at offset {bounds[1]}, and the archive has it up to"
                    f" {self._next_offset(partition, bounds[0])}: the log was truncated, or the topic made anew;"
                    " nothing of it was read"
                )

    def _bounds(self, partition: Partition) -> tuple[int, int] | None:
        """Log start offset and high watermark of a partition; None unless its leader gave both."""
        answer = self.bounds.get((partition.topic, partition.number))
        if answer is None or answer.log_start is None or answer.high_watermark is None:
            return None
        return answer.log_start, answer.high_watermark

    def _next_offset(self, partition: Partition, log_start: int) -> int:
        return archived_to(self.stretches.get(partition.number, ()), log_start)

    def _segment(self, partition: Partition, bounds: tuple[int, int]) -> SegmentFile:
        """The stretch to read, described like a segment that begins where it does."""
        return SegmentFile(
            cluster=self.cluster,
            broker_id=partition.leader,
            topic=partition.topic,
            partition=partition.number,
            base_offset=self._next_offset(partition, bounds[0]),
            path=f"{self.access.name}/{partition.topic}-{partition.number}",
            size_bytes=0,
            modified_ms=None,
            topic_id=self.log.topic_id,
            log_start_offset=bounds[0],
            high_watermark=bounds[1],
        )


def plan_live(
    warehouse: Warehouse, access: Access, cluster_name: str | None, internal: InternalTopics = DECLARED
) -> LivePlan:
    """Ask the cluster how far its logs reach, and compare with the archive."""
    with connect(access) as cluster:
        name = cluster_name or cluster.cluster_id() or UNNAMED_CLUSTER
        reads, complaints = _records_of(OFFSETS_TOPIC, warehouse, access, cluster, name)
        for more_reads, more_complaints in _internal_topics(internal, warehouse, access, cluster, name):
            reads, complaints = (*reads, *more_reads), (*complaints, *more_complaints)
        samples = changed_samples(warehouse, ask_samples(cluster, name))
        known: dict[str, str] = warehouse.note(CONFIGURATIONS).get(DIGESTS, {})
        are_settings_new = has_changed(cluster, access.name, known.get(access.name))
    return LivePlan(name, reads, samples.num_rows, complaints, are_settings_new)


def is_another(log: Topic, archived_ids: set[str]) -> bool:
    """Whether the topic was recreated since it was archived: its offsets begin again and mean other records."""
    return log.topic_id is not None and bool(archived_ids - {log.topic_id})


def _internal_topics(
    internal: InternalTopics, warehouse: Warehouse, access: Access, cluster: LiveCluster, name: str
) -> Iterator[tuple[tuple[LiveRead, ...], tuple[str, ...]]]:
    """The reads of each internal topic that may be described; one that may not be read is a complaint alone."""
    for topic in sorted(one.name for one in cluster.topics() if internal.of(one.name) is not None):
        yield _permitted(partial(_records_of, topic, warehouse, access, cluster, name))


def _permitted(
    ask: Callable[[], tuple[tuple[LiveRead, ...], tuple[str, ...]]],
) -> tuple[tuple[LiveRead, ...], tuple[str, ...]]:
    """The reads of a topic and its complaints; of one that may not be read the refusal is the complaint."""
    try:
        return ask()
    except PassingError:
        raise
    except SourceError as error:
        return (), (str(error),)


def _records_of(
    topic: str, warehouse: Warehouse, access: Access, cluster: LiveCluster, name: str
) -> tuple[tuple[LiveRead, ...], tuple[str, ...]]:
    """The reads of a topic, after a probe that it may be read; none if there is no such topic."""
    log = cluster.topic(topic)
    if log is None:
        return (), ()
    stretches, topic_ids = _stretches_read(warehouse, name, topic)
    if is_another(log, topic_ids):
        return (), (f"{access.name}: {log.name} was made anew since the archive read it, so nothing of it was read",)
    state = TopicState(access, name, log, cluster.bounds(log.partitions), stretches)
    reads = tuple(state.reads())
    if reads:
        first = reads[0].segment
        partition = next(one for one in log.partitions if one.number == first.partition)
        with suppress(GoneError):
            cluster.fetch(partition, first.base_offset, PROBE_BYTES)
    return reads, tuple(state.complaints())


def archived_to(stretches: Iterable[tuple[int, int]], log_start: int) -> int:
    """The offset up to which the archive has everything from the log's start on, whatever it was read from.

    What lies behind a stretch that nobody read is read again with it: what is kept already is not kept twice.
    """
    reached = log_start
    for begin, end in sorted(stretches):
        reached = max(reached, end) if begin <= reached else reached
    return reached


def _stretches_read(
    warehouse: Warehouse, cluster: str, topic: str
) -> tuple[dict[int, list[tuple[int, int]]], set[str]]:
    """By partition: the stretches of a topic whose records were read to their end, from any source; and its ids."""
    files = warehouse.files("raw.segments")
    if not files:
        return {}, set()
    filters = (pc.field("cluster") == cluster) & (pc.field("topic") == topic)
    # A dump has fewer fields than the cluster's log; a file without a digest was read for its headers.
    has_records = (pc.field("source") == "live") | ((pc.field("source") == "file") & pc.field("blake3").is_valid())
    filters &= pc.field("end_offset").is_valid() & has_records
    rows = as_one(files).to_table(columns=["partition", "from_offset", "end_offset", "topic_id"], filter=filters)
    stretches: dict[int, list[tuple[int, int]]] = {}
    for row in rows.to_pylist():
        stretches.setdefault(row["partition"], []).append((row["from_offset"], row["end_offset"]))
    return stretches, set(rows["topic_id"].drop_null().to_pylist())
