"""The files with settings, named, beside the logs or ZooKeeper's, and which of them have changed.

Put here where such a file is looked for, and its digest. Its rows are made in
`assets.ingest.broker_files.configurations`.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from parsers.errors import SourceError
from parsers.files.configurations import BrokerFile, broker_files, read_broker_file
from parsers.files.discovery import OFFSETS_TOPIC, UNNAMED_CLUSTER
from parsers.zookeeper.files import is_zookeeper_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from assets.storage.warehouse import Warehouse
    from parsers.files.discovery import Discovery
    from parsers.files.partition_files import ListedFile

CONFIGURATIONS: Final = "raw.configurations"
DIGESTS: Final = "digests"
"""Under this name a commit has a digest of what each file, and each running cluster, said when it was asked last."""


@dataclass(frozen=True, slots=True)
class LogDirectory:
    """A broker's log directory, and the broker id in its own files."""

    path: str
    broker_id: int | None


def cluster_of(named: str | None, own_id: str | None, clusters: Sequence[str]) -> str | None:
    """The cluster of files that name none or only an id; None where the archive has several, and nothing says which.

    Logs of old brokers do not have the id that ZooKeeper has: both are of the cluster without a name then.
    """
    if named is not None or [*clusters] == [UNNAMED_CLUSTER]:
        return named or UNNAMED_CLUSTER
    only = clusters[0] if len(clusters) == 1 else None if clusters else UNNAMED_CLUSTER
    return own_id or only


def log_directories(segments: Iterable[tuple[str, str, int | None]]) -> set[LogDirectory]:
    """The log directories of segments (path, topic, broker), without the many small ones of tiered storage."""
    return {
        LogDirectory(posixpath.dirname(posixpath.dirname(path)), broker_id)
        for path, topic, broker_id in segments
        if topic == OFFSETS_TOPIC or broker_id is not None
    }


class ChangedFile(NamedTuple):
    """A file that is not what it was when it was read last."""

    path: str
    digest: str


def changed_files(
    warehouse: Warehouse, discoveries: Sequence[Discovery], named: Sequence[str]
) -> tuple[tuple[ChangedFile, ...], tuple[str, ...]]:
    """The files that are not what they were when they were read last; and why a named one can't be read."""
    complaints: list[str] = []
    segments = (one for discovery in discoveries for one in discovery.segments)
    directories = log_directories((one.path, one.topic, one.broker_id) for one in segments)
    digests = {file.path: file.digest for file in (*named_files(named, complaints), *files_beside(directories, []))}
    zookeeper_files = (
        file for discovery in discoveries for file in discovery.zookeeper_files if is_zookeeper_file(file.path)
    )
    digests |= {file.path: digest_of(file) for file in zookeeper_files}
    known: dict[str, str] = warehouse.note(CONFIGURATIONS).get(DIGESTS, {}) if digests else {}
    changed = (ChangedFile(path, digest) for path, digest in digests.items() if known.get(path) != digest)
    return tuple(changed), tuple(complaints)


def digest_of(file: ListedFile) -> str:
    """The same while a file of ZooKeeper's is as long and as old as it was."""
    return f"{file.size_bytes} {file.modified_ms}"


def named_files(paths: Sequence[str], complaints: list[str]) -> Iterator[BrokerFile]:
    """The named files with their settings."""
    for path in dict.fromkeys(paths):
        file = _read(path, complaints)
        if file is not None:
            yield file


def files_beside(directories: Iterable[LogDirectory], complaints: list[str]) -> Iterator[BrokerFile]:
    """The files beside log directories with their settings, without those that name another broker."""
    for directory in sorted(directories, key=str):
        files = (_read(path, complaints) for path in broker_files(directory.path))
        yield from (_of_broker(file, directory.broker_id) for file in files if file and _may_be_of(file, directory))


def _may_be_of(file: BrokerFile, directory: LogDirectory) -> bool:
    return None in (file.broker_id, directory.broker_id) or file.broker_id == directory.broker_id


def _of_broker(file: BrokerFile, broker_id: int | None) -> BrokerFile:
    """The file, with the broker of the log directory where it names none."""
    return file if file.broker_id is not None else file._replace(broker_id=broker_id)


def _read(path: str, complaints: list[str]) -> BrokerFile | None:
    try:
        return read_broker_file(path)
    except SourceError as error:
        complaints.append(str(error))
        return None
