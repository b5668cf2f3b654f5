"""One file of a checkpoint's folder offsets: the end offsets of a batch, which Spark writes before it processes it.

Put here how the bytes of such a file are parsed. Which batches are complete belongs in `checkpoint`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from parsers.log.damage.quarantine import QUOTED_BYTES, Trouble
from parsers.names import is_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

VERSIONS: Final = (b"v1", b"v2")
NO_OFFSET: Final = b"-"
REASON: Final = "unreadable Spark checkpoint"
LARGEST_PARTITION: Final = (1 << 31) - 1
LARGEST_OFFSET: Final = (1 << 63) - 1
LONGEST_TOPIC: Final = 249
_QUOTED_CHARACTERS: Final = 120

TopicOffsets = dict[str, dict[int, int]]
"""The next offset to read, by topic and partition."""


class PlannedBatch(NamedTuple):
    """The end offsets of a batch in the topics of Kafka sources, and when the batch was planned, if the file says."""

    planned_ms: int | None
    offsets: TopicOffsets
    sources: int | None
    """The number of lines of sources, which is the same in every file of version 1; None of version 2."""


def parse_offsets(content: bytes) -> PlannedBatch | Trouble:
    """The batch in the bytes of a file, or why they can't be read."""
    version, *lines = content.split(b"\n")
    if version not in VERSIONS:
        return _trouble(content, 0, "a first line v1 or v2", version)
    is_named = version == VERSIONS[1]
    metadata = _json(lines[0]) if lines and lines[0].strip() else {} if lines else None
    if not isinstance(metadata, dict):
        return _trouble(content, len(version) + 1, "the batch's metadata, a JSON object", b"".join(lines[:1]))
    sources, position = [], len(version) + len(lines[0]) + 2
    for line in lines[1:]:
        offset = _json(line.partition(b":")[2] if is_named else line)
        if offset is _NO_JSON:
            return _trouble(content, position, "the offset of a source, as JSON", line)
        sources.append(offset)
        position += len(line) + 1
    if not sources and not is_named:
        return _trouble(content, len(content), "a line for each source", b"")
    try:
        offsets = _merge(map(_kafka_offsets, sources))
    except ValueError as error:
        return _trouble(content, 0, "partitions and offsets of Kafka", str(error).encode())
    return PlannedBatch(_planned_ms(metadata), offsets, None if is_named else len(sources))


_NO_JSON: Final = object()


def _json(line: bytes) -> Any:  # noqa: ANN401 - whatever JSON holds
    """The value in a line, None for a source without an offset; _NO_JSON where it is none."""
    if line.strip() == NO_OFFSET:
        return None
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return _NO_JSON


def _planned_ms(metadata: dict[str, Any]) -> int | None:
    planned_ms = metadata.get("batchTimestampMs")
    return planned_ms if type(planned_ms) is int and 0 < planned_ms <= LARGEST_OFFSET else None


def _kafka_offsets(source: object) -> TopicOffsets:
    """The offsets of a Kafka source; nothing of a source of another kind, which has another form."""
    if not isinstance(source, dict) or not all(map(_is_topic, source.values())):
        return {}
    return {topic: dict(_partitions(topic, offsets)) for topic, offsets in source.items()}


def _is_topic(offsets: object) -> bool:
    return isinstance(offsets, dict) and all(map(str.isdecimal, offsets))


def _partitions(topic: str, offsets: dict[str, object]) -> Iterator[tuple[int, int]]:
    if not 0 < len(topic) <= LONGEST_TOPIC or not is_text(topic):
        raise ValueError(f"topic {topic!r}"[:_QUOTED_CHARACTERS])
    for partition, offset in offsets.items():
        if type(offset) is not int or not 0 <= offset <= LARGEST_OFFSET or not _is_partition(partition):
            raise ValueError(f"{topic} {partition}: {offset!r}"[:_QUOTED_CHARACTERS])
        yield int(partition), offset


def _is_partition(digits: str) -> bool:
    return len(digits) <= len(str(LARGEST_PARTITION)) and int(digits) <= LARGEST_PARTITION


def _merge(sources: Iterable[TopicOffsets]) -> TopicOffsets:
    """The offsets of all sources; of a partition that several read, the lowest: all of them have processed so far."""
    merged: TopicOffsets = {}
    for source in sources:
        for topic, offsets in source.items():
            known = merged.get(topic)
            merged[topic] = (
                offsets if known is None else known | {one: min(at, known.get(one, at)) for one, at in offsets.items()}
            )
    return merged


def _trouble(content: bytes, position: int, expected: str, actual: bytes) -> Trouble:
    quoted = actual[:_QUOTED_CHARACTERS].decode("utf-8", "backslashreplace")
    rest = content[position : position + QUOTED_BYTES]
    return Trouble(position, len(content) - position, None, REASON, expected, quoted or "nothing", rest)
