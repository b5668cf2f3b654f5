"""One fetch request for many partitions of a leader, and its answer, partition by partition.

Put here how the request is written and the answer read. Sending it belongs in `assets.ingest.live.cluster`, what
becomes of the batches in `assets.recorder`.
"""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from uuid import UUID

from kafka.errors import for_code
from kafka.protocol.consumer import FetchRequest

from assets.ingest.live.errors import PassingError, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

UNCOMMITTED: Final = 0
LAST_BY_NAME: Final = 12
"""From version 13 on a fetch names topics by their ids."""
UNKNOWN: Final = -1


class Position(NamedTuple):
    """The offset of a partition that is to be fetched next, and the epochs by which a leader notices divergence."""

    topic: str
    topic_id: str | None
    number: int
    offset: int
    leader_epoch: int | None = None
    last_epoch: int | None = None
    """Leader epoch of the last batch before the offset."""


class Divergence(NamedTuple):
    """The newest epoch that both logs may share, and the offset at which the leader's log of it ends."""

    epoch: int
    end_offset: int


class Answer(NamedTuple):
    """What a leader says of one partition: batches and the bounds of its log, or an error."""

    records: bytes
    high_watermark: int | None
    log_start: int | None
    last_stable: int | None
    divergence: Divergence | None
    """Where the leader's log is another one than the epoch of the position says."""
    error_code: int

    @property
    def error(self) -> str | None:
        """The error by its name; None for none."""
        return for_code(self.error_code).__name__ if self.error_code else None


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """How long a broker may wait for how many bytes, and how many it may send at once."""

    wait_ms: int
    least_bytes: int
    most_bytes: int
    partition_bytes: int


def fetch_request(positions: Sequence[Position], limits: FetchLimits) -> FetchRequest:
    """The request for all these partitions, in this order; by topic id where the cluster has such ids."""
    has_ids = all(position.topic_id for position in positions)
    versions = {} if has_ids else {"max_version": LAST_BY_NAME}
    topics: dict[str, list[Any]] = {}
    ids: dict[str, UUID | None] = {}
    for position in positions:
        topics.setdefault(position.topic, []).append(_request(position, limits))
        ids[position.topic] = _uuid(position.topic_id)
    return FetchRequest(
        replica_id=-1,
        max_wait_ms=limits.wait_ms,
        min_bytes=limits.least_bytes,
        max_bytes=limits.most_bytes,
        isolation_level=UNCOMMITTED,
        topics=[
            FetchRequest.FetchTopic(topic=name, **({"topic_id": ids[name]} if has_ids else {}), partitions=wanted)
            for name, wanted in topics.items()
        ],
        **versions,
    )


@dataclass(frozen=True, slots=True)
class FetchInFlight:
    """A fetch that was sent to a leader."""

    place: str
    leader: int
    positions: tuple[Position, ...]
    sent: Any

    @property
    def is_done(self) -> bool:
        """Whether the answer came, or none will."""
        return bool(self.sent.is_done)

    def answers(self) -> list[tuple[Position, Answer]]:
        """What the leader says of each partition; a `PassingError` when it did not answer."""
        if self.sent.exception is not None:
            raise PassingError(f"{self.place}: broker {self.leader} did not answer: {one_line(self.sent.exception)}")
        if code := self.sent.value.error_code:
            raise PassingError(f"{self.place}: broker {self.leader}: {for_code(code).__name__}")
        return list(answers(self.sent.value, self.positions))


def answers(response: Any, positions: Sequence[Position]) -> Iterator[tuple[Position, Answer]]:  # noqa: ANN401 - the client has no types
    """The answers of a fetch response by position; partitions that were not requested are ignored."""
    wanted = {(key, one.number): one for one in positions for key in (one.topic, one.topic_id)}
    for topic in response.responses:
        key = topic.topic or _text(topic.topic_id)
        known = ((wanted.get((key, one.partition_index)), one) for one in topic.partitions)
        yield from ((position, _answer(one)) for position, one in known if position is not None)


def _request(position: Position, limits: FetchLimits) -> Any:  # noqa: ANN401 - the client has no types
    return FetchRequest.FetchTopic.FetchPartition(
        partition=position.number,
        current_leader_epoch=UNKNOWN if position.leader_epoch is None else position.leader_epoch,
        fetch_offset=position.offset,
        last_fetched_epoch=UNKNOWN if position.last_epoch is None else position.last_epoch,
        partition_max_bytes=limits.partition_bytes,
    )


def _answer(one: Any) -> Answer:  # noqa: ANN401 - the client has no types
    diverging = one.diverging_epoch
    is_diverging = diverging is not None and diverging.end_offset >= 0
    return Answer(
        records=one.records or b"",
        high_watermark=_known_number(one.high_watermark),
        log_start=_known_number(one.log_start_offset),
        last_stable=_known_number(one.last_stable_offset),
        divergence=Divergence(diverging.epoch, diverging.end_offset) if is_diverging else None,
        error_code=one.error_code,
    )


def _known_number(number: int | None) -> int | None:
    """Kafka writes -1 where it does not know."""
    return None if number is None or number < 0 else number


def _uuid(topic_id: str | None) -> UUID | None:
    return UUID(bytes=urlsafe_b64decode(topic_id + "==")) if topic_id else None


def _text(topic_id: UUID) -> str:
    return urlsafe_b64encode(topic_id.bytes)[:22].decode("ascii")
