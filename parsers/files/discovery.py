"""Which segment files there are under the places a user names, and what is known about each before it is opened.

Only names, sizes and the small text files beside the segments are looked at here. Which of the files of one partition
count is said by `parsers.files.partition_files`, what is in a segment by `parsers.log.segments`.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from pyarrow import fs

from parsers.errors import SourceError, StoreError
from parsers.files.checkpoints import (
    LARGEST_CHECKPOINT_BYTES,
    LARGEST_INT32,
    LARGEST_PROPERTIES_BYTES,
    MetaProperties,
    epoch_checkpoints,
    meta_properties,
    offset_checkpoints,
    partition_metadata,
)
from parsers.files.partition_files import ListedFile, PartitionFiles, SkippedPath, choose_segments, tiered_segments
from parsers.files.text_logs import is_text_log
from parsers.sources import Place, read_file, resolve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Facts = TypeVar("Facts")

OFFSETS_TOPIC: Final = "__consumer_offsets"
UNNAMED_CLUSTER: Final = "unnamed"
ZOOKEEPER_FOLDER: Final = "version-2"
CHECKPOINT_FOLDERS: Final = ("offsets", "commits")
CHECKPOINT_METADATA: Final = "metadata"
"""Names in checkpoints of Spark."""

_SEGMENT: Final = re.compile(r"[0-9]{20}\.log(\.(cleaned|swap|deleted))?")
_PARTITION_DIRECTORY: Final = re.compile(r"(?P<topic>.+)-(?P<partition>[0-9]{1,10})")
_TIERED_DIRECTORY: Final = re.compile(
    r".*?(?P<topic>[^/]+)-((?P<partition>[0-9]{1,10})-(?P<id>[A-Za-z0-9_-]{22})"
    r"|(?P<id_above>[A-Za-z0-9_-]{22})/(?P<partition_below>[0-9]{1,10}))"
)
"""TOPIC-PARTITION-ID, as Kafka's LocalTieredStorage has it, or TOPIC-ID/PARTITION, as plugins for object stores do."""
_DYING_DIRECTORY: Final = re.compile(r".*\.[0-9a-f]{32}-(?P<kind>delete|future|stray)")
_DYING_REASONS: Final = {
    "delete": "directory of a deleted topic",
    "future": "directory of a replica that is being moved here",
    "stray": "directory of a partition that this broker does not expect",
}
_NO_META: Final = MetaProperties(None, None, None)


@dataclass(frozen=True)
class SegmentFile:
    """One segment file and what is known about it; None where nothing recorded it."""

    cluster: str
    broker_id: int | None
    topic: str
    partition: int
    base_offset: int
    path: str
    size_bytes: int
    modified_ms: int | None
    topic_id: str | None
    log_start_offset: int | None
    high_watermark: int | None
    copy: str | None = None
    """Where the bytes can be opened, when not at the path: the file is a member of an archive."""
    first_dirty_offset: int | None = None
    file_suffix: str | None = None
    """What the broker has the file called by behind .log: deleted, swap or cleaned; None for a segment in use."""

    @property
    def location(self) -> str:
        """Where the bytes can be opened."""
        return self.copy or self.path

    @property
    def is_offsets_topic(self) -> bool:
        """Say whether the segment belongs to __consumer_offsets."""
        return self.topic == OFFSETS_TOPIC


@dataclass(frozen=True)
class Discovery:
    """The segment files found, what was passed over with the reason, and a sentence for each thing that is barred."""

    segments: tuple[SegmentFile, ...]
    skipped: tuple[SkippedPath, ...]
    unreadable: tuple[str, ...] = ()
    cluster_ids: frozenset[str] = frozenset()
    """As the log directories say, whatever the cluster is to be called."""
    zookeeper_files: tuple[ListedFile, ...] = ()
    """What lies in folders of the name that ZooKeeper gives to its own."""
    checkpoint_files: tuple[ListedFile, ...] = ()
    """What has the name, or lies in a folder of the name, that Spark gives to its own."""


class LogDirectory(NamedTuple):
    """What the files in the root of a log directory say."""

    meta: MetaProperties
    log_starts: dict[tuple[str, int], int]
    high_watermarks: dict[tuple[str, int], int]
    first_dirty_offsets: dict[tuple[str, int], int]


def discover(logs: Sequence[str], cluster: str | None) -> Discovery:
    """Find the segments under broker log directories, parents of them, partition directories, files and URLs.

    A segment belongs to the cluster of that name, if one is given: several installations may have one id, which images
    bring along. Else it belongs to the cluster.id of the nearest meta.properties above it, else to "unnamed".
    """
    segments: dict[str, SegmentFile] = {}
    skipped: dict[str, SkippedPath] = {}
    unreadable: dict[str, None] = {}
    cluster_ids: set[str] = set()
    zookeeper_files: list[ListedFile] = []
    checkpoint_files: list[ListedFile] = []
    for log in logs:
        search = _Search(resolve(log), cluster)
        more = search.run()
        segments |= {segment.path: segment for segment in more}
        skipped |= {passed.path: passed for passed in search.skipped}
        unreadable |= dict.fromkeys(search.unreadable)
        cluster_ids |= search.cluster_ids
        zookeeper_files += search.zookeeper_files
        checkpoint_files += search.checkpoint_files
    order = sorted(segments.values(), key=lambda one: (one.cluster, one.topic, one.partition, one.path))
    others = (tuple(zookeeper_files), tuple(checkpoint_files))
    return Discovery(tuple(order), tuple(skipped.values()), tuple(unreadable), frozenset(cluster_ids), *others)


class _Search:
    """The search under one place: it remembers what it passed over and the log directories it has read."""

    def __init__(self, place: Place, cluster: str | None) -> None:
        self.skipped: list[SkippedPath] = []
        self.unreadable: list[str] = []
        self.zookeeper_files: list[ListedFile] = []
        self.checkpoint_files: list[ListedFile] = []
        self._place = place
        self._cluster = cluster
        self._directories: dict[str, LogDirectory] = {}

    def run(self) -> list[SegmentFile]:
        """Find the segments, and refuse a place that holds none."""
        segments = [
            segment for directory, files in self._files().items() for segment in self._segments(directory, files)
        ]
        if not segments:
            passed = f" ({len(self.skipped)} files or directories passed over)" if self.skipped else ""
            nothing = f"{self._place.named}: no segment (TOPIC-PARTITION/<20 digits>.log) was found there{passed}"
            raise SourceError("; ".join([nothing, *self.unreadable]))
        return segments

    @property
    def cluster_ids(self) -> set[str]:
        """The ids of the clusters whose log directories were read."""
        return {directory.meta.cluster_id for directory in self._directories.values() if directory.meta.cluster_id}

    def _files(self) -> dict[str, list[fs.FileInfo]]:
        """List the files under the place by directory."""
        by_directory: dict[str, list[fs.FileInfo]] = {}
        for info in self._listing():
            if info.type == fs.FileType.File:
                by_directory.setdefault(posixpath.dirname(info.path), []).append(info)
            elif _SEGMENT.fullmatch(posixpath.basename(info.path)):
                self.unreadable.append(f"{self._place.child(info.path)}: it is no file")
        return by_directory

    def _listing(self) -> list[fs.FileInfo]:
        here = self._place.info()
        if here.type == fs.FileType.NotFound:
            raise SourceError(f"{self._place.named}: there is no such file or directory")
        return (
            [here] if here.type == fs.FileType.File else self._place.below(recursive=True, complaints=self.unreadable)
        )

    def _segments(self, directory: str, files: list[fs.FileInfo]) -> Iterator[SegmentFile]:
        """Give the segments of one directory, if it is one of a partition."""
        name = posixpath.basename(directory)
        named, tiered = _PARTITION_DIRECTORY.fullmatch(name), _TIERED_DIRECTORY.fullmatch(directory)
        listed = [ListedFile(self._place.child(info.path), info.size, _modified_ms(info)) for info in files]
        is_spark = name in CHECKPOINT_FOLDERS
        both = zip(listed, files, strict=True)
        self.checkpoint_files += (one for one, info in both if is_spark or _is_checkpoint_metadata(info))
        if name == ZOOKEEPER_FOLDER:
            self.zookeeper_files += listed
        elif tiered and (chosen := tiered_segments(listed)).segments:
            place = (tiered["topic"], int(tiered["partition"] or tiered["partition_below"]))
            yield from self._partition(directory, place, chosen, tiered["id"] or tiered["id_above"])
        elif named and int(named["partition"]) <= LARGEST_INT32:
            place = (named["topic"], int(named["partition"]))
            yield from self._partition(directory, place, choose_segments(listed), self._topic_id(directory))
        elif dying := _DYING_DIRECTORY.fullmatch(name):
            self.skipped.append(SkippedPath(self._place.child(directory), _DYING_REASONS[dying["kind"]]))
        else:
            logs = (file for file in listed if file.path.endswith(".log") and not is_text_log(file.path))
            self.skipped.extend(SkippedPath(file.path, "not in a directory named TOPIC-PARTITION") for file in logs)

    def _partition(
        self, directory: str, place: tuple[str, int], chosen: PartitionFiles, topic_id: str | None
    ) -> Iterator[SegmentFile]:
        self.skipped.extend(chosen.skipped)
        if not chosen.segments:
            return
        log_directory = self._log_directory(posixpath.dirname(directory))
        log_start = log_directory.log_starts.get(place, self._moved_start(directory, chosen.first_live_offset))
        for base_offset, suffix, file in chosen.segments:
            yield SegmentFile(
                cluster=self._cluster or log_directory.meta.cluster_id or UNNAMED_CLUSTER,
                broker_id=log_directory.meta.broker_id,
                topic=place[0],
                partition=place[1],
                base_offset=base_offset,
                path=file.path,
                size_bytes=file.size_bytes,
                modified_ms=file.modified_ms,
                topic_id=topic_id,
                log_start_offset=log_start,
                high_watermark=log_directory.high_watermarks.get(place),
                first_dirty_offset=log_directory.first_dirty_offsets.get(place),
                file_suffix=suffix,
            )

    def _moved_start(self, directory: str, first_base_offset: int | None) -> int | None:
        """The log start where whole segments were deleted: the broker then moves the first leader epoch there.

        Without that, the files before the first one may just not have been copied.
        """
        if not first_base_offset:
            return None
        path = posixpath.join(directory, "leader-epoch-checkpoint")
        epochs = self._read_facts(path, epoch_checkpoints, LARGEST_CHECKPOINT_BYTES) or ()
        return first_base_offset if first_base_offset in {entry.start_offset for entry in epochs[:1]} else None

    def _topic_id(self, directory: str) -> str | None:
        path = posixpath.join(directory, "partition.metadata")
        metadata = self._read_facts(path, partition_metadata, LARGEST_PROPERTIES_BYTES)
        return None if metadata is None else metadata.topic_id

    def _log_directory(self, directory: str) -> LogDirectory:
        """Read the files in the root of a log directory, once."""
        if directory not in self._directories:
            starts = self._offsets(directory, "log-start-offset-checkpoint")
            high_watermarks = self._offsets(directory, "replication-offset-checkpoint")
            dirty = self._offsets(directory, "cleaner-offset-checkpoint")
            self._directories[directory] = LogDirectory(self._meta(directory), starts, high_watermarks, dirty)
        return self._directories[directory]

    def _meta(self, directory: str) -> MetaProperties:
        """Read the nearest meta.properties from `directory` upwards."""
        path, above = posixpath.join(directory, "meta.properties"), posixpath.dirname(directory)
        if self._place.info(path).type != fs.FileType.File:
            return self._meta(above) if above not in (directory, "") else _NO_META
        return self._read_facts(path, meta_properties, LARGEST_PROPERTIES_BYTES) or _NO_META

    def _offsets(self, directory: str, name: str) -> dict[tuple[str, int], int]:
        lines = self._read_facts(posixpath.join(directory, name), offset_checkpoints, LARGEST_CHECKPOINT_BYTES) or ()
        return {(line.topic, line.partition): line.offset for line in lines}

    def _read_facts(self, inner: str, parse: Callable[[bytes, str], Facts], limit_bytes: int) -> Facts | None:
        """What a small file says; None when there is none, or when it can't be read, which costs its facts alone."""
        if self._place.info(inner).type != fs.FileType.File:
            return None
        path = self._place.child(inner)
        try:
            return parse(read_file(path, limit_bytes), path)
        except StoreError:
            raise
        except SourceError as error:
            self.skipped.append(SkippedPath(path, str(error)))
            return None


def _is_checkpoint_metadata(info: fs.FileInfo) -> bool:
    name: str = info.base_name
    return name == CHECKPOINT_METADATA


def _modified_ms(info: fs.FileInfo) -> int | None:
    return None if info.mtime_ns is None else info.mtime_ns // 1_000_000
