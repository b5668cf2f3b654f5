"""What becomes of an answer: batches are recorded, losses counted, and what a new leader contradicts set aside.

Put here what is done with one partition and written down of it. Whom to ask belongs in `assets.recorder.follower`.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from assets.ingest.live.fetching import Position
from parsers.log.batches import chain, sound_chain

if TYPE_CHECKING:
    from collections.abc import Callable

    from assets.ingest.live.cluster import Partition
    from assets.recorder.directory import RecordDirectory
    from assets.recorder.scanning import LogCut
    from assets.recorder.segments import AppendResult, PartitionLog
    from assets.recorder.status import PartitionStatus, Status
    from parsers.words import Int64Array

REST_S: Final = 1.0
"""How long a leader that failed, and a partition whose answer was refused, is left in peace."""
TRIES: Final = 3
"""How often a batch with a wrong checksum is fetched before it is recorded as it is."""


@dataclass(slots=True)
class FollowedPartition:
    """A partition that is recorded: who leads it, its log, and how far it is."""

    partition: Partition
    topic_id: str | None
    log: PartitionLog
    status: PartitionStatus
    begun_at: int | None = None
    """The end of the log when its recording began; what was gone before is no loss of the recorder's."""
    served: int = 0
    """Number of the answer that brought bytes last: who waited longest is asked for first."""
    failures: int = 0
    rests_until: float = 0.0
    """Not asked for before this moment of the monotonic clock, since the last answer was an error."""
    target: int | None = None
    """The end of the log when its leader answered first."""

    @property
    def position(self) -> Position:
        """What is to be fetched next."""
        return Position(
            self.partition.topic,
            self.topic_id,
            self.partition.number,
            self.log.end_offset,
            self.partition.leader_epoch,
            self.log.last_epoch,
        )


@dataclass(frozen=True, slots=True)
class LogWriter:
    """Writes what leaders hand out, and says what a person ought to know of it."""

    directory: RecordDirectory
    status: Status
    say: Callable[[str], None]

    def append(self, one: FollowedPartition, records: bytes) -> None:
        """Record the whole batches of an answer, if their checksums are right."""
        buffer = np.frombuffer(records, np.uint8)
        bounds = sound_chain(buffer, len(buffer), len(buffer))
        if len(bounds) == 1:
            one.failures += 1
            if one.failures < TRIES:
                return
            bounds = self._as_they_are(one, chain(buffer, len(buffer), len(buffer)))
        one.failures = 0
        if len(bounds) > 1:
            self._count(one, one.log.append(buffer, bounds))
            self.works("disk", "")
            self.works("topic", f"{one.partition.topic}-{one.partition.number}")
            one.served = self.status.fetches

    def _as_they_are(self, one: FollowedPartition, bounds: Int64Array) -> Int64Array:
        """The first batch of a broken answer, which the broker has no other of: a run puts it into quarantine."""
        place = f"{one.partition.topic}-{one.partition.number}"
        if len(bounds) == 1:
            one.rests_until = time.monotonic() + REST_S
            self.fails("topic", place, f"{place}: what the broker gives at offset {one.log.end_offset} is no batch")
            return bounds
        self.say(f"{place}: recorded a batch at offset {one.log.end_offset} whose checksum is wrong")
        facts = {"offset": one.log.end_offset}
        self.directory.note("damaged", one.partition.topic, one.partition.number, **facts)
        return bounds[:2]

    def _count(self, one: FollowedPartition, done: AppendResult) -> None:
        one.status.records += done.records
        one.status.size_bytes += done.size_bytes
        one.status.end_offset = one.log.end_offset
        if done.gap_from is not None and done.gap_to is not None:
            self.missed(one, done.gap_from, done.gap_to, done.gap_offsets)

    def missed(self, one: FollowedPartition, begin: int, end: int, offsets: int) -> None:
        """Count offsets that were gone; those from behind the beginning of the recording are a loss, and told."""
        if end <= (one.begun_at or 0):
            one.status.compacted_before += offsets
            return
        partition = one.partition
        one.status.missed_offsets += offsets
        self.status.last_missed = f"{partition.topic}-{partition.number}, {offsets:,} of offsets {begin} to {end - 1}"
        self.say(f"fell behind the cleaner: {self.status.last_missed} were gone before they were read")
        facts = {"from_offset": begin, "to_offset": end, "offsets": offsets}
        self.directory.note("missed", partition.topic, partition.number, **facts)

    def cut(self, one: FollowedPartition, cut: LogCut) -> None:
        """Follow a leader whose log is another one behind a cut; what is recorded of the other stays as a copy."""
        partition, before = one.partition, one.log.end_offset
        taken = one.log.cut(cut)
        one.status.set_aside_offsets += taken
        one.status.end_offset = one.log.end_offset
        place, end = f"{partition.topic}-{partition.number}", one.log.end_offset
        self.say(f"{place}: the leader's log is another one from offset {end} on; {taken:,} offsets were set aside")
        facts = {"from_offset": one.log.end_offset, "to_offset": before, "leader_epoch": partition.leader_epoch}
        self.directory.note("set_aside", partition.topic, partition.number, **facts)

    def fails(self, area: str, about: str, sentence: str) -> None:
        """Take down a trouble, and say it if it is new."""
        if self.status.fails(area, about, sentence):
            self.say(sentence)

    def works(self, area: str, about: str) -> None:
        """Take a trouble back, and say so if there was one."""
        if self.status.works(area, about):
            self.say(f"{about or area}: well again")
