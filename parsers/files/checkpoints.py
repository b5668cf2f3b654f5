"""The small text files of a log directory: offset and epoch checkpoints, partition.metadata, meta.properties.

Only their text belongs here. Which of them is asked for what is said in `parsers.files.discovery`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from parsers.errors import SourceError

if TYPE_CHECKING:
    from collections.abc import Sequence

CHECKPOINT_VERSION: Final = "0"
LARGEST_PROPERTIES_BYTES: Final = 1 << 20
"""Of meta.properties and partition.metadata, which have some lines."""
LARGEST_CHECKPOINT_BYTES: Final = 32 << 20
"""Of a checkpoint, which has a line for each partition of a disk."""
LARGEST_INT32: Final = (1 << 31) - 1
"""Of a broker's id, and of a partition."""
LARGEST_INT64: Final = (1 << 63) - 1
"""Of an offset."""
_ESCAPED: Final = re.compile(r"\\(.)")
_PROPERTY: Final = re.compile(r"\s*((?:\\.|[^=:\s\\])+)\s*[=:]?\s*(.*)")


class OffsetCheckpoint(NamedTuple):
    """One line of a checkpoint of offsets: recovery point, high watermark, log start or first dirty offset."""

    topic: str
    partition: int
    offset: int


class EpochCheckpoint(NamedTuple):
    """One line of leader-epoch-checkpoint: the offset at which a leader epoch began."""

    epoch: int
    start_offset: int


class PartitionMetadata(NamedTuple):
    """What partition.metadata says."""

    version: int
    topic_id: str


class MetaProperties(NamedTuple):
    """What meta.properties says; None where it does not say it."""

    cluster_id: str | None
    broker_id: int | None
    directory_id: str | None


def offset_checkpoints(content: bytes, path: str) -> tuple[OffsetCheckpoint, ...]:
    """Read the lines `topic partition offset` of a checkpoint."""
    return tuple(_offset_line(line, path) for line in _checkpoint_lines(content, path))


def epoch_checkpoints(content: bytes, path: str) -> tuple[EpochCheckpoint, ...]:
    """Read the lines `epoch offset` of a leader-epoch-checkpoint."""
    return tuple(EpochCheckpoint(*_numbers(line, 2, path)) for line in _checkpoint_lines(content, path))


def partition_metadata(content: bytes, path: str) -> PartitionMetadata:
    """Read the topic id of a partition.metadata file."""
    pairs = dict(line.split(": ", 1) for line in _text(content, path).splitlines() if ": " in line)
    if not pairs.get("version", "").isdecimal() or not pairs.get("topic_id"):
        raise SourceError(f"{path}: expected lines 'version: N' and 'topic_id: ID', found {content[:100]!r}")
    return PartitionMetadata(int(pairs["version"]), pairs["topic_id"])


def meta_properties(content: bytes, path: str) -> MetaProperties:
    """Read cluster, broker (or KRaft node) and directory id of a meta.properties file."""
    pairs = properties(content, path)
    broker_id = pairs.get("node.id", pairs.get("broker.id", ""))
    number = int(broker_id) if broker_id.isdecimal() and int(broker_id) <= LARGEST_INT32 else None
    return MetaProperties(pairs.get("cluster.id") or None, number, pairs.get("directory.id") or None)


def properties(content: bytes, path: str) -> dict[str, str]:
    """Read the names and values of a file of Java properties."""
    lines = (line.strip() for line in _text(content, path).splitlines())
    matches = [_PROPERTY.fullmatch(line) for line in lines if line and line[0] not in "#!"]
    return {_unescape(match[1]): _unescape(match[2]) for match in matches if match}


def _checkpoint_lines(content: bytes, path: str) -> Sequence[str]:
    """Check version and count of a checkpoint file, as the broker does, and give the lines after them.

    The broker takes an empty file for one without entries, and so does this.
    """
    lines = _text(content, path).splitlines()
    if not lines:
        return []
    if lines[:1] != [CHECKPOINT_VERSION]:
        raise SourceError(f"{path}: line 1: expected version {CHECKPOINT_VERSION}, found {lines[:1]}")
    entries = [line for line in lines[2:] if line]
    if lines[1:2] != [str(len(entries))]:
        raise SourceError(f"{path}: line 2: expected the number of entries, {len(entries)}, found {lines[1:2]}")
    return entries


def _offset_line(line: str, path: str) -> OffsetCheckpoint:
    topic, _space, rest = line.partition(" ")
    partition, offset = _numbers(rest, 2, path)
    if partition < 0 or offset < 0:
        raise SourceError(f"{path}: expected a partition and an offset, found {rest!r}")
    return OffsetCheckpoint(topic, partition, offset)


def _numbers(text: str, count: int, path: str) -> list[int]:
    words = text.split(" ")
    if len(words) != count or not all(re.fullmatch(r"-?[0-9]{1,19}", word) for word in words):
        raise SourceError(f"{path}: expected {count} numbers, found {text!r}")
    numbers = [int(word) for word in words]
    if max(map(abs, numbers)) > LARGEST_INT64:
        raise SourceError(f"{path}: expected numbers of 64 bits, found {text!r}")
    return numbers


def _text(content: bytes, path: str) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise SourceError(
            f"{path}: byte {error.start}: expected UTF-8 text, found {content[error.start]:#04x}"
        ) from error


def _unescape(text: str) -> str:
    return _ESCAPED.sub(r"\1", text)
