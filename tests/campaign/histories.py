"""Histories of an offsets topic, written as a broker's log directory: sound groups, and strangers among them.

Put here how a history becomes files. What sound groups do stands in `sound_groups`, what strangers do in `strangers`.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

from parsers.layouts.groups.offsets_key import OFFSETS_KEY
from parsers.layouts.groups.record_types import RECORD_TYPES
from tests.parsers.encode import encode
from tests.parsers.log_writer import batch, record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

START_MS: Final = 1_795_000_000_000
STEP_MS: Final = 1_000
PARTITIONS: Final = 50
VALUES: Final = {row.id: row.value for row in RECORD_TYPES}
NEUTRAL_KEY: Final = struct.pack(">h", 4000) + b"of a later Kafka"
"""Of a type that no coordinator known here writes, which says nothing about any group."""

Message = tuple[bytes | None, bytes | None]


@dataclass(frozen=True)
class Event:
    """One batch of the offsets topic: its partition, its records, and what its header says besides."""

    log_partition: int
    messages: Sequence[Message]
    options: Mapping[str, Any] = field(default_factory=dict)
    time_ms: int | None = None
    """The time of its records; None for that of its place in the history."""
    base_offset: int | None = None
    """Its first offset, if the log has come less far; None to go on where it ends."""


def silent(log_partition: int, count: int) -> Event:
    """A batch that takes so many offsets and says nothing."""
    return Event(log_partition, [(NEUTRAL_KEY, b"")] * count)


def message(record_type: int, key: Mapping[str, Any], value: Mapping[str, Any] | None, version: int = 0) -> Message:
    """A record of a type; without a value a tombstone."""
    written = struct.pack(">h", record_type) + encode(OFFSETS_KEY, record_type, key)
    if value is None:
        return written, None
    return written, struct.pack(">h", version) + encode(VALUES[record_type], version, value)


def home(group: str) -> int:
    """The partition of the offsets topic that a group belongs in."""
    units = group.encode("utf-16-be")
    hashed = 0
    for high, low in zip(units[::2], units[1::2], strict=True):
        hashed = (hashed * 31 + high * 256 + low) & 0xFFFFFFFF
    return 0 if hashed == 1 << 31 else min(hashed, (1 << 32) - hashed) % PARTITIONS


def woven(sound: Sequence[Event], strange: Mapping[int, Event]) -> list[Event]:
    """Strangers' batches, each before the sound one with its number."""
    return [event for number, one in enumerate(sound) for event in (strange.get(number), one) if event is not None]


def write(folder: Path, history: Sequence[Event], topics: Mapping[str, int]) -> Path:
    """Write a broker's log directory: the offsets topic, and data topics that grow by ten records with each event."""
    folder.mkdir(parents=True)
    (folder / "meta.properties").write_text("version=1\nbroker.id=1\ncluster.id=campaign\n")
    logs: dict[int, list[bytes]] = {}
    ends: dict[int, int] = {}
    for number, event in enumerate(history):
        time_ms = START_MS + number * STEP_MS if event.time_ms is None else event.time_ms
        base = max(ends.get(event.log_partition, 0), event.base_offset or 0)
        records = [record(delta, *one) for delta, one in enumerate(event.messages)]
        options = {"times": (time_ms, time_ms), **event.options}
        logs.setdefault(event.log_partition, []).append(batch(base, records, **options))
        ends[event.log_partition] = base + len(records)
    for partition, batches in logs.items():
        put(folder / f"__consumer_offsets-{partition}", batches)
    for topic, partitions in topics.items():
        for partition in range(partitions):
            put(folder / f"{topic}-{partition}", _data(len(history)))
    return folder


def _data(count: int) -> list[bytes]:
    """Batches of ten records, one for each event."""
    sizes = [10] * count
    bases = [0, *accumulate(sizes)][:-1]
    times = (START_MS + number * STEP_MS for number in range(count))
    return [
        batch(base, [record(delta, b"k", b"v") for delta in range(size)], times=(time_ms, time_ms))
        for base, size, time_ms in zip(bases, sizes, times, strict=True)
    ]


def put(folder: Path, batches: Sequence[bytes]) -> None:
    """Write the log of a partition."""
    folder.mkdir()
    (folder / "00000000000000000000.log").write_bytes(b"".join(batches))
