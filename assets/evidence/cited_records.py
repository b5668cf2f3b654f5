"""The records that findings rest on: each by its log and its offset there.

Put here which they are, and what is gathered of them. Where their bytes are belongs in `assets.evidence.logs` and
`assets.evidence.stores`.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

from parsers.files.discovery import OFFSETS_TOPIC

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import pyarrow as pa

    from parsers.files.discovery import SegmentFile


class Copies(NamedTuple):
    """Where the bytes of what a claim cites may be: segments of the logs, or places with a store's files."""

    segments: tuple[SegmentFile, ...] = ()
    places: tuple[str, ...] = ()
    named: Callable[[str], str] = str
    """The name of a file at a path, which may be the copy of one in an archive."""


class Log(NamedTuple):
    """A partition of a topic in a cluster; with a number below zero a store outside Kafka."""

    cluster: str
    topic: str
    partition: int


class CitedRecord(NamedTuple):
    """A record of a log."""

    log: Log
    offset: int

    def __str__(self) -> str:
        """The topic, the partition and the offset; of a store outside Kafka the offset alone."""
        return f"{self.log.topic}-{self.log.partition} {self.offset}" if self.log.partition >= 0 else str(self.offset)


class Cited(NamedTuple):
    """The members of a pack with what a claim cites, and the cited records whose bytes are nowhere."""

    members: dict[str, bytes]
    missing: tuple[CitedRecord, ...]
    missing_events: int = 0
    unchecked: tuple[str, ...] = ()
    can_be_cited: bool = True

    def rest(self) -> dict[str, Any]:
        """All but the members."""
        return {name: value for name, value in self._asdict().items() if name != "members"}


def cited_records(findings: pa.Table) -> tuple[CitedRecord, ...]:
    """The records that findings rest on, in the order of their logs."""
    cited: set[CitedRecord] = set()
    for row in findings.select(
        ["cluster", "log_partition", "log_offset", "evidence", "evidence_elsewhere"]
    ).to_pylist():
        if row["log_partition"] is not None:
            log = Log(row["cluster"], OFFSETS_TOPIC, row["log_partition"])
            offsets = [*(row["evidence"] or ()), row["log_offset"]]
            cited |= {CitedRecord(log, offset) for offset in offsets if offset is not None}
        for one in row["evidence_elsewhere"] or ():
            cited.add(CitedRecord(Log(one["cluster"], one["topic"], one["partition"]), one["record_offset"]))
    return tuple(sorted(cited))


def by_log(records: Iterable[CitedRecord]) -> dict[Log, tuple[int, ...]]:
    """The offsets of records in each log."""
    offsets: dict[Log, list[int]] = defaultdict(list)
    for record in records:
        offsets[record.log].append(record.offset)
    return {log: tuple(one) for log, one in offsets.items()}


def named_record(record: CitedRecord) -> dict[str, str | int | None]:
    """A record for an answer in JSON; a store outside Kafka has no topic."""
    topic = record.log.topic if record.log.partition >= 0 else None
    return {**record.log._asdict(), "topic": topic, "offset": record.offset}
