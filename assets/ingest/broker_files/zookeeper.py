"""Settings of topics and brokers from ZooKeeper's snapshots and transaction logs.

Put here which folders are read again and their clusters. Parsing a file belongs in `parsers.zookeeper`.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from itertools import groupby, islice
from typing import TYPE_CHECKING, Final

from assets.ingest.broker_files.configuration_files import digest_of
from parsers.errors import SourceError
from parsers.files.discovery import ZOOKEEPER_FOLDER
from parsers.files.places import expand
from parsers.zookeeper.files import find_zookeeper_files, read_nodes
from parsers.zookeeper.kafka_nodes import ClusterSettings, clusters_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from assets.ingest.broker_files.configuration_files import LogDirectory
    from parsers.files.configurations import Setting
    from parsers.files.partition_files import ListedFile
    from parsers.zookeeper.nodes import Node

BESIDE: Final = ("", "..", "../zookeeper")
"""Where its folder may lie, from a log directory."""
MOST_NODES: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class ZooKeeperSettings:
    """The settings of a cluster in a folder of ZooKeeper's, and its files' digests; no id before Kafka 0.10.1."""

    path: str
    cluster_id: str | None
    settings: tuple[Setting, ...]
    digests: Mapping[str, str]


def read_folders(
    places: Sequence[str], directories: Iterable[LogDirectory], known: Mapping[str, str], complaints: list[str]
) -> Iterator[ZooKeeperSettings]:
    """The settings of each folder with a new or changed file; a broken file stops no other."""
    files = zookeeper_files(places, directories)
    for folder, its_files in groupby(files, key=lambda one: posixpath.dirname(one.path)):
        digests = {file.path: digest_of(file) for file in its_files}
        if any(known.get(path) != digest for path, digest in digests.items()):
            yield from _read(folder, digests, complaints)


def zookeeper_files(places: Sequence[str], directories: Iterable[LogDirectory]) -> list[ListedFile]:
    """The files of ZooKeeper in all places and beside log directories, each once, in the order of their paths."""
    files = {file.path: file for place in _folders(places, directories) for file in _files(place)}
    return sorted(files.values())


def _read(folder: str, digests: Mapping[str, str], complaints: list[str]) -> Iterator[ZooKeeperSettings]:
    """The clusters of a folder; one that has none is read all the same."""
    clusters = list(clusters_of(_nodes(digests, complaints))) or [ClusterSettings(None, ())]
    return (ZooKeeperSettings(folder, one.cluster_id, one.settings, digests) for one in clusters)


def _folders(places: Sequence[str], directories: Iterable[LogDirectory]) -> Iterator[str]:
    for named in places:
        yield from _expand(named)
    for path in sorted({one.path for one in directories if "://" not in one.path}):
        yield from (posixpath.normpath(posixpath.join(path, one, ZOOKEEPER_FOLDER)) for one in BESIDE)


def _expand(named: str) -> list[str]:
    """The places of a name; none if they can't be listed, which the plan reports."""
    try:
        return expand(named)
    except SourceError:
        return []


def _files(place: str) -> list[ListedFile]:
    try:
        return find_zookeeper_files(place)
    except SourceError:
        return []


def _nodes(paths: Iterable[str], complaints: list[str]) -> Iterator[Node]:
    """The nodes in the files, up to a bound."""
    nodes = (node for path in paths for node in _nodes_of(path, complaints))
    yield from islice(nodes, MOST_NODES)
    if next(nodes, None) is not None:
        complaints.append(f"{MOST_NODES} changes of settings in ZooKeeper's files were read, and there are more")


def _nodes_of(path: str, complaints: list[str]) -> Iterator[Node]:
    try:
        yield from read_nodes(path)
    except SourceError as error:
        complaints.append(str(error))
