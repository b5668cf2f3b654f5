"""What the brokers of these tests are told: server.properties as a table, and ZooKeeper's few lines.

Settings belong here. Starting a broker with them is in `cluster`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

HOST: Final = "127.0.0.1"
LONGEST_TRANSACTION_MS: Final = 3_600_000
"""A transaction that a test leaves open stays open; a broker by itself allows a quarter of an hour."""

SMALL: Final = {
    "auto.create.topics.enable": "false",
    "num.partitions": "3",
    "delete.topic.enable": "true",
    "group.consumer.heartbeat.interval.ms": "1000",
    "group.consumer.min.heartbeat.interval.ms": "1000",
    "group.consumer.min.session.timeout.ms": "6000",
    "group.consumer.session.timeout.ms": "6000",
    "group.initial.rebalance.delay.ms": "500",
    "group.share.heartbeat.interval.ms": "1000",
    "group.share.min.heartbeat.interval.ms": "1000",
    "group.share.min.session.timeout.ms": "6000",
    "group.share.session.timeout.ms": "6000",
    "group.streams.heartbeat.interval.ms": "1000",
    "group.streams.min.heartbeat.interval.ms": "1000",
    "group.streams.min.session.timeout.ms": "6000",
    "group.streams.session.timeout.ms": "6000",
    "group.streams.initial.rebalance.delay.ms": "500",
    "log.cleaner.backoff.ms": "500",
    "log.cleaner.dedupe.buffer.size": "4194304",
    "log.cleaner.threads": "1",
    "log.index.size.max.bytes": "65536",
    "num.io.threads": "2",
    "num.network.threads": "2",
    "log.retention.check.interval.ms": "1000",
    "offsets.topic.num.partitions": "8",
    "share.coordinator.state.topic.num.partitions": "2",
    "transaction.max.timeout.ms": str(LONGEST_TRANSACTION_MS),
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": "1000",
    "transaction.state.log.num.partitions": "2",
    "transaction.remove.expired.transaction.cleanup.interval.ms": "3600000",
}
"""Fewer partitions, threads and megabytes than Kafka would take by itself; the preallocated indexes count most. A dead
member is missed after six seconds, and what is too old is looked for every second."""

SELF_MADE_TOPICS: Final = {"auto_create_topics_enable": "true"}
"""For brokers that today's commands can't ask for a topic."""

SHORT_MEMORY: Final = {
    "offsets_retention_minutes": "1",
    "offsets_retention_check_interval_ms": "1000",
}
"""With these a broker forgets the offsets of an empty group after a minute."""

WITHOUT_CLEANING: Final = {
    "offsets_topic_num_partitions": "50",
    "log_cleaner_enable": "false",
}
"""The offsets topic as Kafka makes it by itself, and nothing in it is ever removed."""

EAGER_CLEANER: Final = {
    "log_cleaner_min_cleanable_ratio": "0.001",
    "log_roll_ms": "1000",
}
"""With these a broker rolls a segment at nearly every append and cleans at the first chance."""

KEEPER: Final = {
    "clientPortAddress": HOST,
    "admin.enableServer": "false",
    "maxClientCnxns": "0",
    "tickTime": "2000",
}


@dataclass(frozen=True)
class Node:
    """One broker of a cluster: its number, its ports and its folder."""

    number: int
    port: int
    controller_port: int
    folder: Path

    @property
    def address(self) -> str:
        """Where clients reach it."""
        return f"{HOST}:{self.port}"

    @property
    def logs(self) -> Path:
        """Its log directory."""
        return self.folder / "data"


def broker_properties(node: Node, nodes: Sequence[Node], keeper: str | None) -> dict[str, str]:
    """What server.properties says for one broker of these, with ZooKeeper at `keeper` or controllers of its own."""
    copies = str(len(nodes))
    shared = {
        **SMALL,
        "log.dirs": str(node.logs),
        "default.replication.factor": copies,
        "offsets.topic.replication.factor": copies,
        "transaction.state.log.replication.factor": copies,
        "transaction.state.log.min.isr": "1",
        "share.coordinator.state.topic.replication.factor": copies,
        "share.coordinator.state.topic.min.isr": "1",
    }
    return shared | (_with_keeper(node, keeper) if keeper else _with_controllers(node, nodes))


def _with_keeper(node: Node, keeper: str) -> dict[str, str]:
    return {
        "broker.id": str(node.number),
        "listeners": f"PLAINTEXT://{node.address}",
        "zookeeper.connect": keeper,
        "zookeeper.connection.timeout.ms": "180000",
        "zookeeper.session.timeout.ms": "18000",
    }


def _with_controllers(node: Node, nodes: Sequence[Node]) -> dict[str, str]:
    return {
        "process.roles": "broker,controller",
        "node.id": str(node.number),
        "listeners": f"PLAINTEXT://{node.address},CONTROLLER://{HOST}:{node.controller_port}",
        "advertised.listeners": f"PLAINTEXT://{node.address}",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "controller.listener.names": "CONTROLLER",
        "controller.quorum.voters": ",".join(f"{one.number}@{HOST}:{one.controller_port}" for one in nodes),
    }


def write_properties(path: Path, properties: Mapping[str, str]) -> None:
    """Write a properties file."""
    path.write_text("".join(f"{key}={value}\n" for key, value in properties.items()))
