"""Offsets that consumers keep in ZooKeeper, from its snapshots and transaction logs.

Put here which files are read again, and whose they are. What is in one belongs in `parsers.zookeeper`.
"""

from __future__ import annotations

import posixpath
from collections import defaultdict
from functools import partial
from typing import IO, TYPE_CHECKING, Any, Final

from assets.duckdb.database import in_memory
from assets.ingest.broker_files.configuration_files import cluster_of, digest_of, log_directories
from assets.ingest.broker_files.zookeeper import zookeeper_files
from assets.ingest.read_history import INSIDE
from assets.ingest.stores.archive import StoreRead, StoreReading, StoreTrouble
from assets.ingest.unpacked_archives import find_archive
from parsers.errors import SourceError, StoreError
from parsers.files.archives import read_each
from parsers.files.discovery import UNNAMED_CLUSTER
from parsers.files.places import expand
from parsers.zookeeper.changes import FileChanges, either, together
from parsers.zookeeper.event_nodes import EVENT_NODES, EVENTS, are_of_one_ensemble, node_events
from parsers.zookeeper.files import changes_in, is_zookeeper_file, read_changes
from parsers.zookeeper.kafka_nodes import CLUSTER_NODES, cluster_ids
from parsers.zookeeper.offset_nodes import COMMITS, OFFSET_NODES, offset_nodes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from assets.ingest.plan import Sources
    from assets.ingest.unpacked_archives import Archive
    from assets.storage.warehouse import Warehouse
    from parsers.files.unpacking import Limits

KIND: Final = "zookeeper"
ROOT: Final = "/"
"""The name of a store without a root of its own."""
WANTED: Final = either(OFFSET_NODES, EVENT_NODES, CLUSTER_NODES)
WHOSE: Final = (
    "the archive has several clusters, and neither --cluster nor a node /cluster/id says whose offsets these are"
)
SEVERAL: Final = (
    "the files of ZooKeeper that were read together have one zxid at two times: expected the copies of one ensemble; "
    "who was a member of a group is not read from them; read each ensemble with a --cluster of its own"
)
_SEGMENTS: Final = "SELECT DISTINCT path, topic, broker_id FROM raw.segments WHERE source = 'file'"
_CLUSTERS: Final = "SELECT DISTINCT cluster FROM raw.segments ORDER BY cluster"

Ids = dict[str, str]
"""The cluster id of each root."""


def read_zookeeper(warehouse: Warehouse, sources: Sources, known: Mapping[str, Any]) -> StoreReading:
    """The commits in files that are new or changed; the files of several servers of an ensemble are one store."""
    with in_memory(warehouse, ["raw.segments"]) as connection:
        segments = connection.execute(_SEGMENTS).fetchall()
        clusters = [cluster for (cluster,) in connection.execute(_CLUSTERS).fetchall()]
    digests: dict[str, str] = dict(known.get("files", {}))
    ids: dict[str, Ids] = dict(known.get("ids", {}))
    roots: dict[str, list[str]] = dict(known.get("roots", {}))
    complaints: list[str] = []
    content = dict(_changes(sources, segments, digests, complaints))
    for path, one in content.items():
        folder = posixpath.dirname(path)
        ids[folder] = {**ids.get(folder, {}), **cluster_ids(one.changes)}
    reads, troubles = [], []
    for names, files in _ensembles(content, ids):
        folders = {posixpath.dirname(path) for path in files}
        known_roots = {root for folder in folders for root in roots.get(folder, ())}
        nodes = offset_nodes(files)
        events = node_events(files, known_roots | set(nodes.commits))
        roots |= {folder: sorted(events) for folder in folders}
        whose = {root: cluster_of(sources.cluster, names.get(root), clusters) for root in events}
        complaints += [f"{next(iter(files))}: {WHOSE}" for cluster in whose.values() if cluster is None]
        if not are_of_one_ensemble(files.values()):
            complaints.append(f"{next(iter(files))}: {SEVERAL}")
            events = {root: EVENTS.empty_table() for root in events}
        commits = {root: nodes.commits.get(root, COMMITS.empty_table()) for root in events}
        reads += [StoreRead(its, KIND, root or ROOT, commits[root], events[root]) for root, its in whose.items() if its]
        cluster = cluster_of(sources.cluster, next(iter(names.values()), None), clusters) or UNNAMED_CLUSTER
        troubles += [StoreTrouble(cluster, path, one) for path, one in nodes.troubles]
    note = {"files": digests, "ids": ids, "roots": roots}
    return StoreReading(tuple(reads), note, tuple(complaints), tuple(troubles))


def _ensembles(
    content: Mapping[str, FileChanges], ids: Mapping[str, Ids]
) -> Iterator[tuple[Ids, dict[str, FileChanges]]]:
    """The files of each ensemble, with its clusters' ids: folders with the same ids are several servers' copies."""
    by_names: dict[tuple[tuple[str, str], ...], dict[str, FileChanges]] = defaultdict(dict)
    for path in sorted(content):
        by_names[tuple(sorted(ids[posixpath.dirname(path)].items()))][path] = content[path]
    return ((dict(names), files) for names, files in by_names.items())


def _changes(
    sources: Sources, segments: Sequence[tuple[str, str, int | None]], digests: dict[str, str], complaints: list[str]
) -> Iterator[tuple[str, FileChanges]]:
    """The changes in new files, in folders and in archives; one that can't be read holds up no other, and stays new."""
    places: list[tuple[str, str, Iterator[tuple[str, FileChanges]]]] = [
        (file.path, digest_of(file), _in_file(file.path, complaints))
        for file in zookeeper_files(sources.logs, log_directories(segments))
    ]
    for archive in _archives(sources.logs):
        digest = f"{archive.size_bytes} {archive.modified_ms}"
        places.append((archive.path, digest, _in_archive(archive, sources.unpacking, complaints)))
    for path, digest, changes in places:
        if digests.get(path) != digest:
            count = len(complaints)
            yield from changes
            digests |= {path: digest} if len(complaints) == count else {}


def _in_file(path: str, complaints: list[str]) -> Iterator[tuple[str, FileChanges]]:
    try:
        yield path, read_changes(path, WANTED)
    except SourceError as error:
        complaints.append(str(error))


def _in_archive(archive: Archive, limits: Limits, complaints: list[str]) -> Iterator[tuple[str, FileChanges]]:
    """The changes in the files of an archive; that it is broken is reported by the reader of its segments."""
    read = partial(_read_packed, archive.path, complaints)
    try:
        for path, one in read_each(archive.path, is_zookeeper_file, read, limits):
            yield f"{archive.path}{INSIDE}{path}", one
    except SourceError as error:
        complaints += [str(error)] if isinstance(error, StoreError) else []


def _read_packed(archive: str, complaints: list[str], path: str, content: IO[bytes]) -> FileChanges:
    """The changes in one file of an archive; none where it can't be read."""
    try:
        return changes_in(path, content, WANTED)
    except SourceError as error:
        complaints.append(f"{archive}{INSIDE}{error}")
        return FileChanges(together(()), ())


def _archives(places: Sequence[str]) -> list[Archive]:
    """The archives among all places, each once; a place that can't be listed is reported by the plan."""
    return [*{one.path: one for named in places for one in _archives_at(named)}.values()]


def _archives_at(named: str) -> list[Archive]:
    try:
        return [archive for place in expand(named) if (archive := find_archive(place))]
    except SourceError:
        return []
