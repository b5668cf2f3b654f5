"""The files that a run has to read: those that are there, compared with the archive's record of earlier reads.

Put here the comparison. `assets.ingest.ingest` reads the files.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from assets.catalog import TABLES
from assets.ingest.broker_files.configuration_files import ChangedFile, changed_files
from assets.ingest.cluster_aliases import new_aliases
from assets.ingest.dumps.dump_files import known_dumps, plan_dumps
from assets.ingest.live.patience import patiently
from assets.ingest.live.plan import LivePlan, plan_live
from assets.ingest.live.recorded import unread_samples
from assets.ingest.places import inspect
from assets.ingest.read_history import known_files
from assets.ingest.stores.changed import changed_stores
from assets.ingest.unpacked_archives import Archive
from assets.storage.schema_evolution import refuse_others
from parsers.errors import SourceError
from parsers.exports.files import ExportFile
from parsers.files.discovery import UNNAMED_CLUSTER, Discovery
from parsers.files.internal_topics import DECLARED
from parsers.files.unpacking import Limits

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from assets.ingest.cluster_aliases import Aliases
    from assets.ingest.dumps.dump_runs import Dump
    from assets.ingest.live.access import Access
    from assets.ingest.live.recorded import SampleFile
    from assets.ingest.read_history import KnownFiles, KnownRead
    from assets.ingest.stores.declared import ExternalStores
    from assets.ingest.work_units import LiveRead
    from assets.storage.warehouse import Warehouse
    from parsers.files.discovery import SegmentFile
    from parsers.files.internal_topics import InternalTopics
    from parsers.files.partition_files import SkippedPath


SHOWN_IDS: Final = 3


@dataclass(frozen=True, slots=True)
class Sources:
    """Where the logs are, what to call their cluster if not by its id, and a running one to read from."""

    logs: tuple[str, ...]
    cluster: str | None = None
    live: Access | None = None
    unpacking: Limits = field(default_factory=Limits)
    configs: tuple[str, ...] = ()
    stores: ExternalStores | None = None
    """Offsets that consumers keep themselves, as the user declared them."""
    internal_topics: InternalTopics = DECLARED
    """Which topics are read with their records."""
    aliases: Aliases = ()
    """What aliases of MirrorMaker stand for."""


@dataclass(frozen=True, slots=True)
class FileRead:
    """One file to read, and the earlier reads that it may continue or copy."""

    segment: SegmentFile
    candidates: tuple[KnownRead, ...]

    @property
    def start_position(self) -> int:
        """The position at which reading continues, if the file only grew."""
        return next((one.end_position for one in self.candidates if one.end_position <= self.segment.size_bytes), 0)


@dataclass(frozen=True, slots=True)
class Plan:
    """The work of a run: files that are new, grown or rewritten, and new records of the running cluster.

    `unreadable` has a sentence for each place, or part of the running cluster, that holds up no other.
    """

    files_known: int
    reads: tuple[FileRead, ...]
    archives: tuple[Archive, ...]
    cluster: str | None
    skipped: tuple[SkippedPath, ...]
    unreadable: tuple[str, ...]
    live: LivePlan | None = None
    dumps: tuple[Dump, ...] = ()
    unpacking: Limits = field(default_factory=Limits)
    configurations: tuple[ChangedFile, ...] = ()
    """Brokers' files, and ZooKeeper's, that are not what they were when they were read last."""
    stores: tuple[ChangedFile, ...] = ()
    """Checkpoints of Spark, and declared tables, that are not what they were when they were read last."""
    samples: tuple[SampleFile, ...] = ()
    """Files to which a recorder has written since they were read last."""
    internal_topics: InternalTopics = DECLARED
    aliases: Aliases = ()
    """Aliases of MirrorMaker that stand for another cluster than the warehouse has it."""

    @property
    def live_reads(self) -> tuple[LiveRead, ...]:
        """What is to be fetched from the running cluster."""
        return self.live.reads if self.live else ()

    @property
    def has_reads(self) -> bool:
        """Whether there is anything to read."""
        return bool(self.reads or self.archives or self.dumps or self.live_reads)

    @property
    def files_new(self) -> int:
        """Files that would be read, a dump and an archive each as one."""
        return len(self.reads) + len(self.archives) + len(self.dumps)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing new."""
        has_facts = bool(self.configurations or self.samples or self.stores or self.aliases)
        return not self.has_reads and not has_facts and (self.live is None or self.live.is_empty)

    @property
    def size_bytes(self) -> int:
        """Bytes of files that the run would read."""
        packed = sum(archive.size_bytes for archive in self.archives)
        dumped = sum(dump.file.size_bytes for dump in self.dumps)
        return packed + dumped + sum(read.segment.size_bytes - read.start_position for read in self.reads)

    @property
    def fingerprint(self) -> str:
        """The same for the same work: names a run so that the same growth is not asked for twice."""
        segments, dumps = (read.segment for read in self.reads), (dump.file for dump in self.dumps)
        files: list[SegmentFile | Archive | ExportFile] = [*segments, *self.archives, *dumps]
        settings = [(file.path, file.digest) for file in (*self.configurations, *self.stores)]
        sampled = [(file.path, file.size_bytes) for file in self.samples]
        text = json.dumps([*settings, *sampled, *((file.path, file.size_bytes, file.modified_ms) for file in files)])
        return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def plan(warehouse: Warehouse, sources: Sources, waits_s: Sequence[float] = ()) -> Plan:
    """Compare what is there with what the archive remembers; of files only names and sizes are read.

    A cluster that is away is asked again after each of `waits_s`.
    """
    refuse_others(warehouse, [TABLES["raw.segments"]])
    inventory = _take_inventory(sources)
    _refuse_one_name_for_several(sources.cluster, inventory)
    live, complaints = _ask_live(warehouse, sources, waits_s)
    dumps, refused = plan_dumps(inventory.exports, sources.cluster or UNNAMED_CLUSTER, known_dumps(warehouse))
    configurations, unread = changed_files(warehouse, inventory.discoveries, sources.configs)
    stores, unread_stores = changed_stores(warehouse, sources, inventory.discoveries)
    unreadable = (*inventory.unreadable, *refused, *complaints, *unread, *unread_stores)
    if unreadable and live is None and inventory.has_nothing(refused):
        raise SourceError("; ".join(unreadable))
    known = known_files(warehouse)
    reads = tuple(reads_of(inventory.segments, known, sources.internal_topics))
    archives = tuple(one for one in inventory.archives if not known.has_archive(one.path, one.modified_ms))
    new = Plan(
        0, reads, archives, sources.cluster, inventory.skipped, unreadable, live, tuple(dumps), sources.unpacking
    )
    files_known = inventory.files - len(refused) - new.files_new
    samples = unread_samples(warehouse, inventory.segments)
    aliases = new_aliases(warehouse, sources.aliases)
    new = replace(new, internal_topics=sources.internal_topics, aliases=aliases)
    return replace(new, files_known=files_known, configurations=configurations, stores=stores, samples=samples)


def reads_of(segments: Iterable[SegmentFile], known: KnownFiles, internal: InternalTopics) -> Iterator[FileRead]:
    """The files that are new or changed, each with the earlier reads that it may continue or copy.

    Where the records of a topic are read, too, a read of headers alone does not count.
    """
    for segment in segments:
        has_records = internal.of(segment.topic) is not None
        if not known.has(segment, with_records=has_records):
            yield FileRead(segment, known.candidates(segment, with_records=has_records))


@dataclass(frozen=True, slots=True)
class _Inventory:
    """The logs, archives and dumps in all places, and a sentence for each place that can't be read."""

    discoveries: tuple[Discovery, ...]
    archives: tuple[Archive, ...]
    exports: tuple[ExportFile, ...]
    unreadable: tuple[str, ...]

    @property
    def segments(self) -> tuple[SegmentFile, ...]:
        """The segments, each path once."""
        return tuple({one.path: one for discovery in self.discoveries for one in discovery.segments}.values())

    @property
    def skipped(self) -> tuple[SkippedPath, ...]:
        """The files that discovery skipped."""
        return tuple(skipped for discovery in self.discoveries for skipped in discovery.skipped)

    @property
    def files(self) -> int:
        """The number of files, an archive as one."""
        return len(self.segments) + len(self.archives) + len(self.exports)

    def has_nothing(self, refused: Sequence[str]) -> bool:
        """Whether no place has a readable file."""
        return self.files == len(refused) and not any(one.checkpoint_files for one in self.discoveries)


def _take_inventory(sources: Sources) -> _Inventory:
    """The inventory of all places; a place that can't be read stops no other, and the run reports it."""
    if not sources.logs and sources.live is None and sources.stores is None:
        message = "nothing to read was named: give --logs DIR_OR_URL or --bootstrap HOST:PORT, or set LAGBOOK_LOGS"
        raise SourceError(message)
    items = [item for log in sources.logs for item in inspect(log, sources.cluster)]
    exports = {one.path: one for one in items if isinstance(one, ExportFile)}
    return _Inventory(
        tuple(one for one in items if isinstance(one, Discovery)),
        tuple(one for one in items if isinstance(one, Archive)),
        tuple(exports.values()),
        tuple(one for one in items if isinstance(one, str)),
    )


def _refuse_one_name_for_several(cluster: str | None, inventory: _Inventory) -> None:
    """A name stands for one cluster: under one name the logs of several would contradict each other."""
    ids = sorted({one for discovery in inventory.discoveries for one in discovery.cluster_ids})
    if cluster is not None and len(ids) > 1:
        several = ", ".join(ids[:SHOWN_IDS]) + (", ..." if len(ids) > SHOWN_IDS else "")
        raise SourceError(
            f"--cluster {cluster} would make one of {len(ids)} clusters ({several}): name the logs of one"
        )


def _ask_live(
    warehouse: Warehouse, sources: Sources, waits_s: Sequence[float]
) -> tuple[LivePlan | None, tuple[str, ...]]:
    """The live plan of the running cluster, if one is named and answers, and its complaints."""
    if sources.live is None:
        return None, ()
    try:
        ask = partial(plan_live, warehouse, sources.live, sources.cluster, sources.internal_topics)
        live_plan = patiently(ask, waits_s)
    except SourceError as error:
        return None, (str(error),)
    return live_plan, live_plan.complaints
