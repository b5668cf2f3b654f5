"""What is fetched next and from whom: the way from a leader's answer to the segments of its partitions.

Put here what a leader may answer and what is done then. What a request looks like belongs in `assets.ingest.live`, what
becomes of the bytes in `assets.recorder.segments`.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final

from assets.ingest.live.access import connect
from assets.ingest.live.errors import PassingError
from assets.ingest.live.fetching import FetchLimits
from assets.recorder.header_logs import HeaderLog
from assets.recorder.log_writer import REST_S, TRIES, FollowedPartition
from assets.recorder.scanning import LogCut
from assets.recorder.segments import PartitionLog
from assets.recorder.status import LEFT_OUT, MOVING, PartitionStatus
from parsers.errors import SourceError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from assets.ingest.live.access import Access
    from assets.ingest.live.cluster import LiveCluster, Partition, Topic
    from assets.ingest.live.fetching import Answer, FetchInFlight
    from assets.recorder.log_writer import LogWriter

LIMITS: Final = FetchLimits(wait_ms=500, least_bytes=256 << 10, most_bytes=4 << 20, partition_bytes=1 << 20)
"""A broker answers twice a second, or as soon as a quarter of a megabyte came."""
METADATA_S: Final = 10.0
TURN_S: Final = 0.2
OUT_OF_RANGE: Final = "OffsetOutOfRangeError"
BARRED: Final = frozenset({"TopicAuthorizationFailedError", "ClusterAuthorizationFailedError"})


@dataclass(slots=True)
class Follower:
    """Follows topics of a cluster into a directory, turn by turn."""

    access: Access
    topics: Sequence[str]
    writer: LogWriter
    header_patterns: Sequence[str] = ()
    """Data topics of which the headers of batches are recorded, from now on."""
    limits: FetchLimits = LIMITS
    followed: dict[tuple[str, int], FollowedPartition] = field(default_factory=dict)
    _cluster: LiveCluster | None = None
    _flights: dict[int, FetchInFlight] = field(default_factory=dict)
    _resting: dict[int, float] = field(default_factory=dict)
    _failed: dict[int, int] = field(default_factory=dict)
    """How often in a row a leader did not answer: a new connection learns of brokers that are new."""
    _look_at: float = 0.0
    _connect_at: float = 0.0
    _begun: dict[tuple[str, int, str | None], int] = field(default_factory=dict)

    def connect(self) -> None:
        """Connect, check that the directory is this cluster's, and see what there is; raises why not."""
        for row in self.writer.directory.notes():
            if row["kind"] == "begun":
                self._begun[row["topic"], row["partition"], row["topic_id"]] = row["offset"]
        self._cluster = connect(self.access)
        self.writer.status.cluster_id = self._cluster.cluster_id()
        self.writer.directory.claim(self.writer.status.cluster_id, self.access.name)
        self._look()
        if refused := self.writer.status.troubles.get(("topic", self.topics[0])):
            raise SourceError(refused.sentence)

    def close(self) -> None:
        """Let go of the connections."""
        if self._cluster is not None:
            self._cluster.close()
        self._cluster, self._flights, self._failed = None, {}, {}

    def turn(self) -> None:
        """Send what can be sent, wait a moment, and take the answers that came."""
        if self._cluster is None and not self._reconnect():
            time.sleep(TURN_S)
            return
        try:
            self._turn()
        except SourceError as error:
            self.writer.fails("cluster", "", str(error))
            self.close()
        except OSError as error:
            self.writer.fails("disk", "", f"{self.writer.directory.path}: it can't be written: {error.strerror}")
            time.sleep(REST_S)

    @property
    def is_caught_up(self) -> bool:
        """Whether every partition that has a leader is recorded to where its log ended when it was asked first."""
        return self._cluster is not None and all(
            one.target is not None and one.log.end_offset >= one.target
            for one in self.followed.values()
            if one.partition.leader is not None
        )

    def _turn(self) -> None:
        if time.monotonic() >= self._look_at:
            self._look()
        self._send()
        self._live.turn(TURN_S)
        for leader in [one for one, flight in self._flights.items() if flight.is_done]:
            self._take_answers(self._flights.pop(leader))

    def _reconnect(self) -> bool:
        if time.monotonic() < self._connect_at:
            return False
        self._connect_at = time.monotonic() + REST_S
        try:
            self._cluster = connect(self.access)
            self.writer.directory.claim(self._cluster.cluster_id(), self.access.name)
            self._look()
        except SourceError as error:
            self.writer.fails("cluster", "", str(error))
            self.close()
            return False
        return True

    @property
    def _live(self) -> LiveCluster:
        if self._cluster is None:
            raise PassingError(f"{self.access.name}: not connected")
        return self._cluster

    def _look(self) -> None:
        """Ask which partitions there are and who leads them."""
        self._look_at = time.monotonic() + METADATA_S
        for name in self.topics:
            self._look_for(name, self._live.topic, PartitionLog)
        if not self.header_patterns:
            return
        named = {topic.name: topic for topic in self._live.topics() if topic.name not in self.topics}
        matching = {name for name in named if any(fnmatchcase(name, one) for one in self.header_patterns)}
        for name in sorted(matching | {topic for topic, _ in self.followed if topic not in self.topics}):
            self._look_for(name, named.get, HeaderLog)

    def _look_for(self, name: str, find: Callable[[str], Topic | None], kind: type[PartitionLog]) -> None:
        """See to the partitions of one topic; one that may not be recorded holds up no other."""
        try:
            topic = find(name)
            if topic is None:
                self._forget(name)
            else:
                self._follow_all(topic, kind)
        except PassingError:
            raise
        except SourceError as error:
            self.writer.fails(self._trouble_area(name), name, str(error))
        else:
            self.writer.works(self._trouble_area(name), name)

    def _trouble_area(self, topic: str) -> str:
        """Where a trouble with a topic belongs: the first is what a recorder is for, the others it may leave out."""
        return LEFT_OUT if topic in self.topics[1:] else "topic"

    def _follow_all(self, topic: Topic, kind: type[PartitionLog]) -> None:
        new = [one for partition in topic.partitions if (one := self._follow(topic, partition, kind))]
        if new:
            self._begin(new)
        for partition in topic.partitions:
            if partition.leader is None:
                place = f"{partition.topic}-{partition.number}"
                self.writer.fails(MOVING, place, f"{self.access.name}: {place} has no leader")

    def _follow(self, topic: Topic, partition: Partition, kind: type[PartitionLog]) -> FollowedPartition | None:
        """See who leads a partition now, or take it up; it is given if its recording is to be begun."""
        key = partition.topic, partition.number
        known = self.followed.get(key)
        if known is not None and known.topic_id == topic.topic_id:
            known.partition = partition
            return None
        log = self.writer.directory.log(*key, topic.topic_id, kind)
        status = self.writer.status.partitions[key] = PartitionStatus(log.end_offset)
        begun_at = self._begun.get((*key, topic.topic_id))
        one = self.followed[key] = FollowedPartition(partition, topic.topic_id, log, status, begun_at)
        if log.bytes_cut:
            self.writer.say(f"{log.folder.name}: cut {log.bytes_cut} bytes behind offset {log.end_offset}: a torn end")
        return None if log.is_begun and begun_at is not None else one

    def _begin(self, new: Sequence[FollowedPartition]) -> None:
        """Begin where logs begin, and write down where they ended then; later where a leader does not say.

        Of headers alone what came before is not fetched: for them a broker would have to read all of a topic from disk.
        """
        known = self._live.bounds([one.partition for one in new])
        for one in new:
            topic, number = one.partition.topic, one.partition.number
            bounds = known.get((topic, number))
            if bounds is None or bounds.log_start is None or bounds.high_watermark is None:
                del self.followed[topic, number]
                continue
            if not one.log.is_begun:
                one.log.begin(bounds.high_watermark if isinstance(one.log, HeaderLog) else bounds.log_start)
            one.begun_at, one.status.end_offset = bounds.high_watermark, one.log.end_offset
            facts = {"topic_id": one.topic_id, "offset": one.begun_at, "from_offset": one.log.end_offset}
            self.writer.directory.note("begun", topic, number, **facts)
        self.writer.directory.write_log_starts()

    def _forget(self, topic: str) -> None:
        """Follow a topic no longer that was deleted; what is recorded of it stays."""
        for key in [key for key in self.followed if key[0] == topic]:
            self.writer.say(f"{key[0]}-{key[1]}: the topic is not there any more")
            self.writer.works(MOVING, f"{key[0]}-{key[1]}")
            del self.followed[key], self.writer.status.partitions[key]

    def _send(self) -> None:
        """One fetch to each leader that has none to answer and is not left in peace."""
        now = time.monotonic()
        by_leader: dict[int, list[FollowedPartition]] = {}
        for one in sorted(self.followed.values(), key=lambda one: one.served):
            if one.partition.leader is not None and one.rests_until <= now:
                by_leader.setdefault(one.partition.leader, []).append(one)
        for leader, its in by_leader.items():
            if leader not in self._flights and self._resting.get(leader, 0.0) <= now:
                positions = [one.position for one in its]
                self._flights[leader] = self._live.begin_fetch(leader, positions, self.limits)

    def _take_answers(self, flight: FetchInFlight) -> None:
        self.writer.status.fetches += 1
        try:
            answers = flight.answers()
        except PassingError as error:
            self.writer.status.fetch_errors += 1
            self.writer.fails(MOVING, f"broker {flight.leader}", str(error))
            self._rest(flight.leader)
            return
        self._failed.pop(flight.leader, None)
        self.writer.works(MOVING, f"broker {flight.leader}")
        self.writer.works("cluster", "")
        self.writer.status.last_answer_s = time.time()
        for position, answer in answers:
            one = self.followed.get((position.topic, position.number))
            if one is not None and one.position[:4] == position[:4]:
                self._take_one(one, answer)

    def _rest(self, leader: int) -> None:
        """Leave a leader in peace for a moment, and see whether another leads then."""
        self._resting[leader] = time.monotonic() + REST_S
        self._look_at = min(self._look_at, time.monotonic() + REST_S)
        self._failed[leader] = self._failed.get(leader, 0) + 1
        if self._failed[leader] >= TRIES or self._leaders() <= self._failed.keys():
            self.close()

    def _leaders(self) -> set[int]:
        return {one.partition.leader for one in self.followed.values() if one.partition.leader is not None}

    def _take_one(self, one: FollowedPartition, answer: Answer) -> None:
        """Do what the answer of a leader for one partition asks for."""
        about = f"{one.partition.topic}-{one.partition.number}"
        if answer.divergence is not None:
            self.writer.cut(one, LogCut(answer.divergence.end_offset, answer.divergence.epoch))
        elif answer.error == OUT_OF_RANGE:
            self._relocate(one)
        elif answer.error is not None:
            self._note_refusal(one, about, answer.error)
        else:
            self.writer.works(MOVING, about)
            one.status.high_watermark = answer.high_watermark
            one.target = answer.high_watermark if one.target is None else one.target
            if answer.records:
                self.writer.append(one, answer.records)

    def _note_refusal(self, one: FollowedPartition, about: str, error: str) -> None:
        self.writer.status.fetch_errors += 1
        if error in BARRED:
            topic = one.partition.topic
            self.writer.fails(self._trouble_area(topic), topic, f"{self.access.name}: Lagbook needs Read on {topic}")
        else:
            self.writer.fails(MOVING, about, f"{self.access.name}: {about}: {error}")
        one.rests_until = time.monotonic() + REST_S
        self._look_at = min(self._look_at, one.rests_until)

    def _relocate(self, one: FollowedPartition) -> None:
        """Find out why an offset is not there: the log begins later now, or ends earlier, or its epoch is unknown."""
        partition, end = one.partition, one.log.end_offset
        one.rests_until = time.monotonic() + REST_S
        bounds = self._live.bounds([partition]).get((partition.topic, partition.number))
        if bounds is None or bounds.log_start is None or bounds.high_watermark is None:
            self._look_at = one.rests_until
        elif bounds.log_start > end:
            place = f"{partition.topic}-{partition.number}"
            self.writer.say(f"{place}: the log begins at offset {bounds.log_start} now, and is recorded up to {end}")
            one.log.begin(bounds.log_start)
            one.status.end_offset = one.log.end_offset
        elif bounds.high_watermark < end:
            self.writer.cut(one, LogCut(bounds.high_watermark))
        else:
            one.log.last_epoch = None
