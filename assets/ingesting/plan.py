"""What a run has to read: the files that are there, compared with what the archive remembers of them.

Put here what is read and what is known. How it is read belongs in `assets.ingesting.ingest`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING

from assets.ingesting.known import known_files
from assets.ingesting.spool import Archive, find_archive
from assets.live.patience import patiently
from assets.live.plan import LivePlan, plan_live
from parsers.errors import SourceError
from parsers.files.discovery import Discovery, discover
from parsers.files.places import expand

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from assets.archive import Warehouse
    from assets.ingesting.known import KnownFiles, KnownRead
    from assets.ingesting.reads import LiveRead
    from assets.live.access import Access
    from parsers.files.discovery import SegmentFile
    from parsers.files.partition_files import Skipped


@dataclass(frozen=True, slots=True)
class Sources:
    """Where the logs are, what to call a cluster that doesn't name itself, and a running one to read from."""

    logs: tuple[str, ...]
    cluster: str | None = None
    live: Access | None = None


@dataclass(frozen=True, slots=True)
class Read:
    """One file to read, and the reads of old of which it may be a later state or a copy."""

    segment: SegmentFile
    candidates: tuple[KnownRead, ...]

    @property
    def start_position(self) -> int:
        """Where reading will go on, if the file only grew."""
        return next((one.end_position for one in self.candidates if one.end_position <= self.segment.size_bytes), 0)


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run would read: files that are new, grown or rewritten, and what the running cluster has that is new.

    `unreadable` has a sentence for each place, or part of the running cluster, that holds up no other.
    """

    files_known: int
    reads: tuple[Read, ...]
    archives: tuple[Archive, ...]
    cluster: str | None
    skipped: tuple[Skipped, ...]
    unreadable: tuple[str, ...]
    live: LivePlan | None = None

    @property
    def live_reads(self) -> tuple[LiveRead, ...]:
        """What is to be fetched from the running cluster."""
        return self.live.reads if self.live else ()

    @property
    def has_reads(self) -> bool:
        """Whether there is anything to read."""
        return bool(self.reads or self.archives or self.live_reads)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing new."""
        return not self.has_reads and (self.live is None or self.live.is_empty)

    @property
    def size_bytes(self) -> int:
        """Bytes of files that the run would read."""
        packed = sum(archive.size_bytes for archive in self.archives)
        return packed + sum(read.segment.size_bytes - read.start_position for read in self.reads)

    @property
    def fingerprint(self) -> str:
        """The same for the same work: names a run so that the same growth is not asked for twice."""
        files: list[SegmentFile | Archive] = [*(read.segment for read in self.reads), *self.archives]
        text = json.dumps([(file.path, file.size_bytes, file.modified_ms) for file in files])
        return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def plan(warehouse: Warehouse, sources: Sources, waits_s: Sequence[float] = ()) -> Plan:
    """Compare what is there with what the archive remembers; of files only names and sizes are read.

    A cluster that is away is asked again after each of `waits_s`.
    """
    found, archives, unreadable = _look_around(sources)
    live, complaints = _ask_live(warehouse, sources, waits_s)
    if not found and not archives and live is None:
        raise SourceError("; ".join((*unreadable, *complaints)))
    known = known_files(warehouse)
    segments = {segment.path: segment for discovery in found for segment in discovery.segments}
    reads = tuple(reads_of(segments.values(), known))
    packed = tuple(archive for archive in archives if not known.has_archive(archive.path, archive.modified_ms))
    skipped = tuple(skipped for discovery in found for skipped in discovery.skipped)
    files_known = len(segments) - len(reads) + len(archives) - len(packed)
    return Plan(files_known, reads, packed, sources.cluster, skipped, (*unreadable, *complaints), live)


def reads_of(segments: Iterable[SegmentFile], known: KnownFiles) -> Iterator[Read]:
    """Those of the files that are not known as they are, each with what it may be a copy of."""
    return (Read(segment, known.candidates(segment)) for segment in segments if not known.has(segment))


def _look_around(sources: Sources) -> tuple[list[Discovery], list[Archive], tuple[str, ...]]:
    """Look into each place; one that can't be read holds up no other, but the run has to say so."""
    if not sources.logs and sources.live is None:
        message = "nothing to read was named: give --logs DIR_OR_URL or --bootstrap HOST:PORT, or set LAGBOOK_LOGS"
        raise SourceError(message)
    looked = [found for log in sources.logs for found in _look(log, sources.cluster)]
    found = [one for one in looked if isinstance(one, Discovery)]
    archives = [one for one in looked if isinstance(one, Archive)]
    return found, archives, tuple(one for one in looked if isinstance(one, str))


def _ask_live(
    warehouse: Warehouse, sources: Sources, waits_s: Sequence[float]
) -> tuple[LivePlan | None, tuple[str, ...]]:
    """What is new in the running cluster, if one was named and answers."""
    if sources.live is None:
        return None, ()
    try:
        found = patiently(partial(plan_live, warehouse, sources.live, sources.cluster), waits_s)
    except SourceError as error:
        return None, (str(error),)
    return found, found.complaints


def _look(log: str, cluster: str | None) -> Iterator[Discovery | Archive | str]:
    """What is in the places that one name stands for, or why it can't be said."""
    try:
        places = expand(log)
    except SourceError as error:
        places = []
        yield str(error)
    yield from (_look_at(place, cluster) for place in places)


def _look_at(place: str, cluster: str | None) -> Discovery | Archive | str:
    """What is in a place, or why it can't be said."""
    try:
        return find_archive(place) or discover([place], cluster)
    except SourceError as error:
        return str(error)
