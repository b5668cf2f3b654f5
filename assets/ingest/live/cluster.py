"""A connection to a cluster: metadata of its topics, bounds of its logs, settings, and fetched batches.

With `fetching` and `oauth.login` the only modules that know the client. It sends requests and never joins a group,
commits, or creates a topic. Batches come as they stand in the log, control batches and open transactions among them.
"""

from __future__ import annotations

import logging
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final

from kafka.errors import KafkaError, OffsetOutOfRangeError, UnknownTopicOrPartitionError, for_code
from kafka.net.manager import KafkaConnectionManager
from kafka.net.selector import NetworkSelector
from kafka.protocol.admin import DescribeConfigsRequest
from kafka.protocol.consumer import ListOffsetsRequest
from kafka.protocol.metadata import MetadataRequest

from assets.ingest.live.errors import GoneError, PassingError, one_line
from assets.ingest.live.fetching import FetchInFlight, FetchLimits, Position, answers, fetch_request
from assets.ingest.live.oauth.login import with_tokens
from parsers.errors import SourceError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from types import TracebackType
    from uuid import UUID

    from assets.ingest.live.access import Access

LARGEST_ANSWER_BYTES: Final = 1 << 28
EARLIEST: Final = -2
LATEST: Final = -1
UNCOMMITTED: Final = 0
COMMITTED: Final = 1
PARTITIONS_PER_QUESTION: Final = 5_000
TOPICS_PER_QUESTION: Final = 1_000
TOPIC: Final = 2
BROKER: Final = 4
KINDS: Final = {TOPIC: "topic", BROKER: "broker"}
"""The kinds of resources that have settings, by their numbers in a request."""
TOPICS_OWN: Final = 1
"""The origin of a setting that a topic does not have from its broker."""
HUNG_UP: Final = {
    "PLAINTEXT": "it may want TLS or a login, which the client's settings would have to say",
    "SSL": "it may not speak TLS",
    "SASL_PLAINTEXT": "user, password or mechanism may be wrong, or it wants TLS",
    "SASL_SSL": "user, password or mechanism may be wrong",
}
"""By the protocol spoken: the likely reason why a broker closed a connection before its first answer."""


@dataclass(frozen=True, slots=True)
class Partition:
    """A partition and its leader; None while there is no leader, or where the broker does not give it."""

    topic: str
    number: int
    leader: int | None
    leader_epoch: int | None


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic as the cluster knows it."""

    name: str
    topic_id: str | None
    is_internal: bool
    partitions: tuple[Partition, ...]


@dataclass(frozen=True, slots=True)
class Bounds:
    """Log start offset, high watermark and last stable offset of a log; None where the leader gave none."""

    log_start: int | None
    high_watermark: int | None
    last_stable: int | None


@dataclass(frozen=True, slots=True)
class ResourceConfig:
    """A broker's effective settings, or a topic's own; None without permission, or if the resource is gone."""

    resource_type: str
    resource_name: str
    settings: dict[str, str] | None


class LiveCluster:
    """A cluster that answers; close it, or use it in a `with` statement."""

    def __init__(self, access: Access) -> None:
        """Connect; the client's own log is off, since at its debug level it prints what is sent."""
        logging.getLogger("kafka").setLevel(logging.CRITICAL + 1)
        self._access = access
        settings = {**with_tokens(access), "receive_message_max_bytes": LARGEST_ANSWER_BYTES}
        self._hint = HUNG_UP[settings.get("security_protocol", "PLAINTEXT")]
        try:
            self._net = NetworkSelector(**settings)
            self._manager = KafkaConnectionManager(self._net, **settings)
        except (KafkaError, ValueError, OSError) as error:
            raise SourceError(f"{access.name}: {one_line(error)}") from None
        self._reach()

    def __enter__(self) -> LiveCluster:  # noqa: PYI034 - Python 3.10 has no Self
        """Give the cluster itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Close the connections."""
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._manager.close()
        self._net.close()

    def cluster_id(self) -> str | None:
        """The name that the cluster gave itself; None before Kafka 0.10.1."""
        identifier: str | None = self._metadata([]).cluster_id
        return identifier

    def topics(self) -> list[Topic]:
        """Every topic that may be described."""
        return [_topic(description) for description in self._metadata(None).topics if not description.error_code]

    def topic(self, name: str) -> Topic | None:
        """One topic; None if the cluster has none of this name."""
        (description,) = self._metadata([MetadataRequest.MetadataRequestTopic(name=name)]).topics
        if for_code(description.error_code) is UnknownTopicOrPartitionError:
            return None
        self._refuse(description.error_code, name)
        return _topic(description)

    def settings(self, topics: Sequence[str], names: Collection[str]) -> Iterator[ResourceConfig]:
        """The settings of these names; a broker's come from that broker."""
        for broker in self._metadata([]).brokers:
            yield from self._describe_configs(BROKER, [str(broker.node_id)], names, broker.node_id)
        for first in range(0, len(topics), TOPICS_PER_QUESTION):
            yield from self._describe_configs(TOPIC, topics[first : first + TOPICS_PER_QUESTION], names, None)

    def bounds(self, partitions: Iterable[Partition]) -> dict[tuple[str, int], Bounds]:
        """The bounds of these partitions' logs; each leader answers for its own."""
        by_leader: dict[int, list[Partition]] = {}
        for partition in partitions:
            if partition.leader is not None:
                by_leader.setdefault(partition.leader, []).append(partition)
        bounds: dict[tuple[str, int], Bounds] = {}
        for leader, led_partitions in by_leader.items():
            for first in range(0, len(led_partitions), PARTITIONS_PER_QUESTION):
                bounds |= self._bounds_at(leader, led_partitions[first : first + PARTITIONS_PER_QUESTION])
        return bounds

    def fetch(self, partition: Partition, offset: int, most_bytes: int) -> bytes:
        """The batches from the one that holds `offset` on; the last one may be cut off, the first one is whole."""
        if partition.leader is None:
            raise PassingError(f"{self._access.name}: {partition.topic}-{partition.number} has no leader")
        position = Position(partition.topic, None, partition.number, offset)
        request = fetch_request([position], FetchLimits(0, 0, most_bytes, most_bytes))
        response = self._ask(request, partition.leader)
        self._refuse(response.error_code or 0, partition.topic)
        ((_, answer),) = answers(response, [position])
        if for_code(answer.error_code) is OffsetOutOfRangeError:
            raise GoneError(
                f"{self._access.name}: {partition.topic}-{partition.number} has no offset {offset} any more"
            )
        self._refuse(answer.error_code, partition.topic)
        return bytes(answer.records)

    def begin_fetch(self, leader: int, positions: Sequence[Position], limits: FetchLimits) -> FetchInFlight:
        """Send one fetch for many partitions to their leader; `turn` brings its answer."""
        sent = self._manager.call_soon(self._manager.send, fetch_request(positions, limits), leader)
        return FetchInFlight(self._access.name, leader, tuple(positions), sent)

    def turn(self, longest_s: float) -> None:
        """Send and receive what is due, and wait no longer than this for anything to come."""
        self._net.poll(timeout_ms=longest_s * 1000)

    def _bounds_at(self, leader: int, partitions: Sequence[Partition]) -> dict[tuple[str, int], Bounds]:
        starts = self._offsets(leader, partitions, EARLIEST, UNCOMMITTED)
        stable = self._offsets(leader, partitions, LATEST, COMMITTED)
        ends = self._offsets(leader, partitions, LATEST, UNCOMMITTED)
        keys = [(one.topic, one.number) for one in partitions]
        return {key: Bounds(starts.get(key), ends.get(key), stable.get(key)) for key in keys}

    def _offsets(
        self, leader: int, partitions: Sequence[Partition], of: int, isolation: int
    ) -> dict[tuple[str, int], int]:
        """One offset of each partition for which the leader gives one."""
        kind = ListOffsetsRequest.ListOffsetsTopic
        by_topic: dict[str, list[Any]] = {}
        for one in partitions:
            wanted = kind.ListOffsetsPartition(partition_index=one.number, timestamp=of)
            by_topic.setdefault(one.topic, []).append(wanted)
        topics = [kind(name=name, partitions=wanted) for name, wanted in by_topic.items()]
        answer = self._ask(ListOffsetsRequest(replica_id=-1, isolation_level=isolation, topics=topics), leader)
        return {
            (topic.name, entry.partition_index): entry.offset
            for topic in answer.topics
            for entry in topic.partitions
            if not entry.error_code and entry.offset >= 0
        }

    def _describe_configs(
        self, kind: int, resources: Sequence[str], names: Collection[str], node: int | None
    ) -> Iterator[ResourceConfig]:
        resource, keys = DescribeConfigsRequest.DescribeConfigsResource, sorted(names)
        wanted = [resource(resource_type=kind, resource_name=one, configuration_keys=keys) for one in resources]
        for result in self._ask(DescribeConfigsRequest(resources=wanted), node).results:
            own = {
                one.name: one.value
                for one in result.configs
                if one.name in names
                and one.value is not None
                and not one.is_sensitive
                and (kind == BROKER or one.config_source == TOPICS_OWN)
            }
            yield ResourceConfig(KINDS[kind], result.resource_name, None if result.error_code else own)

    def _metadata(self, topics: list[Any] | None) -> Any:  # noqa: ANN401 - the client has no types
        return self._ask(MetadataRequest(topics=topics, allow_auto_topic_creation=False), None)

    def _ask(self, request: Any, node: int | None) -> Any:  # noqa: ANN401 - the client has no types
        try:
            return self._manager.run(self._manager.send, request, node)
        except (KafkaError, OSError) as error:
            raise self._wrap_error(error, f"broker {node}" if node is not None else "a broker") from None

    def _refuse(self, code: int, topic: str) -> None:
        """Raise the error of a broker's answer, if it has one."""
        error = for_code(code)
        if code and error.retriable:
            raise PassingError(f"{self._access.name}: {topic}: {error.__name__}")
        if code:
            raise SourceError(
                f"{self._access.name} refused {topic}: {error.__name__}; Lagbook needs Describe and Read on it"
            )

    def _wrap_error(self, error: Exception, who: str) -> SourceError:
        kind = PassingError if getattr(error, "retriable", True) else SourceError
        return kind(f"{self._access.name}: {who} did not answer: {one_line(error)}")

    def _reach(self) -> None:
        """Try each address once; the reasons of all of them make the sentence."""
        addresses = self._manager.cluster.bootstrap_brokers()
        reasons = list(takewhile(bool, map(self._reason, addresses)))
        if len(reasons) == len(addresses):
            self.close()
            raise PassingError(f"{self._access.name} can't be reached: {'; '.join(sorted(reasons))}")

    def _reason(self, address: Any) -> str:  # noqa: ANN401 - the client has no types
        """Why nothing can be had at an address; empty when something can."""
        node, timeout_ms = address.node_id, self._access.timeout_s * 1000
        try:
            connection = self._manager.get_connection(
                node, timeout_ms=timeout_ms, pop_on_close=False, refresh_metadata_on_err=False
            )
            self._manager.run(self._manager.wait_for, connection.init_future, timeout_ms)
            self._manager.run(self._manager.cluster.refresh_metadata, node)
        except (KafkaError, OSError, ValueError) as error:
            hint = f" ({self._hint})" if "disconnected" in str(error) else ""
            return f"{address.host}:{address.port}: {one_line(error)}{hint}"
        return ""


def _topic(description: Any) -> Topic:  # noqa: ANN401 - the client has no types
    partitions = (
        Partition(description.name, one.partition_index, _known_number(one.leader_id), _known_number(one.leader_epoch))
        for one in description.partitions
    )
    ordered = tuple(sorted(partitions, key=lambda one: one.number))
    return Topic(description.name, _uuid_text(description.topic_id), bool(description.is_internal), ordered)


def _known_number(number: int | None) -> int | None:
    """Kafka writes -1 where it does not know."""
    return None if number is None or number < 0 else number


def _uuid_text(topic_id: UUID | None) -> str | None:
    """A topic id as Kafka prints it; None for the zero uuid."""
    return urlsafe_b64encode(topic_id.bytes)[:22].decode("ascii") if topic_id and topic_id.int else None
