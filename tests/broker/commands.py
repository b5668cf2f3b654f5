"""Kafka's own commands, run as a user runs them, and the tables that they print.

Calling them and reading their columns belongs here. What their answers are held against is in the tests.
"""

from __future__ import annotations

import json
import re
from itertools import count
from typing import TYPE_CHECKING, Final

from tests.broker.desk import Desk
from tests.broker.releases import BRIDGE, NEWEST
from tests.broker.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from tests.broker.cluster import Cluster

GROUPS: Final = "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand"
SHARE_GROUPS: Final = "org.apache.kafka.tools.consumer.group.ShareGroupCommand"
STREAMS_GROUPS: Final = "org.apache.kafka.tools.streams.StreamsGroupCommand"
TOPICS: Final = "org.apache.kafka.tools.TopicCommand"
CONFIGS: Final = "kafka.admin.ConfigCommand"
DELETE_RECORDS: Final = "org.apache.kafka.tools.DeleteRecordsCommand"
LOG_OFFSETS: Final = "org.apache.kafka.tools.GetOffsetShell"
DUMP: Final = {NEWEST: "org.apache.kafka.tools.DumpLogSegments", BRIDGE: "kafka.tools.DumpLogSegments"}
"""Class of kafka-dump-log; it moved with 4.3."""

WITH_LONGER_TIMEOUT: Final = {GROUPS, SHARE_GROUPS, STREAMS_GROUPS}
TIMEOUT_MS: Final = 180_000
SOON_MS: Final = 15_000
"""By themselves the commands for groups give up after five seconds."""
NOT_ALL_THERE: Final = ("InvalidReplicationFactorException", "InvalidReplicaAssignmentException")
"""What a controller answers that hasn't heard of every broker yet; with ZooKeeper brokers start before it has."""

EMPTY: Final = re.compile(r"\s(?:Empty|Dead)\s+0\s*$", re.MULTILINE)
COORDINATOR: Final = re.compile(r":\d+\s+\((\d+)\)")
LEADER: Final = re.compile(r"Leader: (\w+)")
TOPIC_OF_ASSIGNMENT: Final = re.compile(r"(?P<topic>[\w.-]*)[:(](?P<partitions>\d+(?:,\d+)*)")

DUMPED_FILE: Final = re.compile(r"^Dumping .*-(\d+)/\d+\.log$", re.MULTILINE)
RECORD: Final = re.compile(r"^\| offset: (\d+) ", re.MULTILINE)

Row = dict[str, str]


class Commands:
    """Kafka's commands, with a cluster to talk to."""

    def __init__(self, cluster: Cluster, folder: Path) -> None:
        """Take the release whose commands speak to this cluster."""
        folder.mkdir(parents=True, exist_ok=True)
        self._cluster, self._folder, self._numbers = cluster, folder, count(1)
        self._desk = Desk(cluster.release, folder)

    def create_topic(self, topic: str, partitions: int, **settings: str) -> None:
        """Create a topic, with settings (`_` stands for the dot in their names)."""
        copies = str(len(self._cluster.brokers))
        size = ("--partitions", str(partitions), "--replication-factor", copies)
        self._create("--topic", topic, *size, *_configs(settings))

    def place_topic(self, topic: str, replicas: Sequence[Sequence[int]], **settings: str) -> None:
        """Create a topic whose partitions are on these brokers; the first of each leads."""
        assignment = ",".join(":".join(map(str, brokers)) for brokers in replicas)
        self._create("--topic", topic, "--replica-assignment", assignment, *_configs(settings))

    def _create(self, *words: str) -> None:
        def created() -> bool:
            try:
                self._ask(TOPICS, "--create", *words)
            except RuntimeError as error:
                if not any(reason in str(error) for reason in NOT_ALL_THERE):
                    raise
                return False
            return True

        wait_until(created, "every broker to be known to the controller")

    def configure_topic(self, topic: str, **settings: str) -> None:
        """Change settings of a topic (`_` stands for the dot in their names)."""
        pairs = ",".join(f"{name.replace('_', '.')}={value}" for name, value in settings.items())
        self._ask(CONFIGS, "--alter", "--entity-type", "topics", "--entity-name", topic, "--add-config", pairs)

    def add_partitions(self, topic: str, partitions: int) -> None:
        """Give a topic more partitions."""
        self._ask(TOPICS, "--alter", "--topic", topic, "--partitions", str(partitions))

    def delete_topic(self, topic: str) -> None:
        """Delete a topic and wait until it is gone."""
        self._ask(TOPICS, "--delete", "--topic", topic)
        wait_until(lambda: topic not in self._ask(TOPICS, "--list").split(), f"topic {topic} to be gone")

    def leaders(self, topic: str) -> list[str]:
        """`kafka-topics --describe`: who leads each partition; `none` is nobody."""
        return LEADER.findall(self._ask(TOPICS, "--describe", "--topic", topic))

    def groups(self) -> set[str]:
        """`kafka-consumer-groups --list`."""
        return set(self._ask(GROUPS, "--list").split())

    def state(self, group: str) -> str:
        """`kafka-consumer-groups --describe --state` of a group, as it was printed."""
        return self._ask(GROUPS, "--describe", "--state", "--group", group)

    def coordinator(self, group: str) -> int | None:
        """The number of the broker that coordinates a group; None when nobody says it soon, as while it moves."""
        words = ("--timeout", str(SOON_MS), "--describe", "--state", "--group", group)
        try:
            answer = self._desk.ask(GROUPS, "--bootstrap-server", self._cluster.bootstrap, *words)
        except RuntimeError:
            return None
        match = COORDINATOR.search(answer)
        return int(match[1]) if match else None

    def describe_other(self, command: str, group: str) -> list[Row]:
        """`kafka-share-groups --describe` or `kafka-streams-groups --describe`."""
        return _rows(self._ask(command, "--describe", "--group", group))

    def print_share_group(self, group: str, *words: str) -> str:
        """`kafka-share-groups --describe`, as it was printed."""
        return self._ask(SHARE_GROUPS, "--describe", "--group", group, *words)

    def reset_share_group(self, group: str, topic: str, *to: str) -> None:
        """`kafka-share-groups --reset-offsets --execute`, such as `--to-earliest`."""
        self._ask(SHARE_GROUPS, "--reset-offsets", "--group", group, "--topic", topic, *to, "--execute")

    def start_share_group_early(self, group: str) -> None:
        """Let a share group begin at the start of its topics; by itself it begins at their ends."""
        settings = ("--add-config", "share.auto.offset.reset=earliest")
        self._ask(CONFIGS, "--alter", "--entity-type", "groups", "--entity-name", group, *settings)

    def members_of_other(self, command: str, group: str) -> list[Row]:
        """The same with `--members --verbose`."""
        return _rows(self._ask(command, "--describe", "--members", "--verbose", "--group", group))

    def describe(self, *groups: str) -> list[Row]:
        """`kafka-consumer-groups --describe` of these groups, or of all."""
        return _rows(self._ask(GROUPS, "--describe", *_chosen(groups)))

    def members(self, *groups: str) -> list[Row]:
        """`kafka-consumer-groups --describe --members --verbose` of these groups, or of all."""
        return _rows(self._ask(GROUPS, "--describe", "--members", "--verbose", *_chosen(groups)))

    def reset(self, group: str, topic: str, *to: str) -> list[Row]:
        """`kafka-consumer-groups --reset-offsets --execute`, such as `--to-offset 5`."""
        return _rows(self._ask(GROUPS, "--reset-offsets", "--group", group, "--topic", topic, *to, "--execute"))

    def delete_offsets(self, group: str, topic: str) -> None:
        """`kafka-consumer-groups --delete-offsets`."""
        self._ask(GROUPS, "--delete-offsets", "--group", group, "--topic", topic)

    def delete_group(self, group: str) -> None:
        """`kafka-consumer-groups --delete`."""
        self._ask(GROUPS, "--delete", "--group", group)

    def delete_records(self, topic: str, before: Mapping[int, int]) -> None:
        """`kafka-delete-records`: move the log start of partitions."""
        wanted = [{"topic": topic, "partition": number, "offset": offset} for number, offset in before.items()]
        file = self._folder / f"delete-records-{next(self._numbers)}.json"
        file.write_text(json.dumps({"partitions": wanted, "version": 1}))
        self._ask(DELETE_RECORDS, "--offset-json-file", str(file))

    def log_ends(self, topic: str) -> dict[int, int]:
        """`kafka-get-offsets`: where each partition ends."""
        return self._log_offsets(topic, "latest")

    def log_starts(self, topic: str) -> dict[int, int]:
        """The same, where each partition begins."""
        return self._log_offsets(topic, "earliest")

    def _log_offsets(self, topic: str, which: str) -> dict[int, int]:
        lines = self._ask(LOG_OFFSETS, "--topic", topic, "--time", which).splitlines()
        return {int(partition): int(offset) for _, partition, offset in (line.rsplit(":", 2) for line in lines)}

    def dump(self, *files: Path) -> str:
        """`kafka-dump-log --offsets-decoder` of files."""
        name = DUMP[self._cluster.release.clients]
        return self._desk.ask(name, "--offsets-decoder", "--files", ",".join(map(str, files)))

    def dump_offsets(self, logs: Path) -> str:
        """The same of the offsets topic in a log directory."""
        return self.dump(*sorted(logs.glob("__consumer_offsets-*/*.log")))

    def wait_until_empty(self, group: str) -> None:
        """Wait until a group has no member any more; so long its offsets can't be set by an admin."""
        wait_until(lambda: EMPTY.search(self.state(group)) is not None, f"group {group} to be empty")

    def _ask(self, name: str, *words: str) -> str:
        patience = ("--timeout", str(TIMEOUT_MS)) if name in WITH_LONGER_TIMEOUT else ()
        return self._desk.ask(name, "--bootstrap-server", self._cluster.bootstrap, *patience, *words)


def _configs(settings: Mapping[str, str]) -> list[str]:
    return [word for name, value in settings.items() for word in ("--config", f"{name.replace('_', '.')}={value}")]


def _chosen(groups: tuple[str, ...]) -> list[str]:
    return [word for group in groups for word in ("--group", group)] or ["--all-groups"]


def offsets_records(dumped: str) -> set[tuple[int, int]]:
    """Partition and offset of every record of the offsets topic, markers too, in what kafka-dump-log printed."""
    return {(int(one), int(at)) for one, part in _by_partition(dumped) for at in RECORD.findall(part)}


def _by_partition(printed: str) -> Iterator[tuple[str, str]]:
    """The partition of each dumped file and what was printed of it."""
    _, *rest = DUMPED_FILE.split(printed)
    return zip(rest[::2], rest[1::2], strict=True)


def _rows(printed: str) -> list[Row]:
    """The rows of all tables in a text; a heading begins with GROUP, the last column may hold spaces."""
    heading: list[str] = []
    rows = []
    for line in filter(str.strip, printed.splitlines()):
        if line.startswith("GROUP "):
            heading = line.split()
        elif heading:
            rows.append(dict(zip(heading, line.split(maxsplit=len(heading) - 1), strict=False)))
    return rows


def assigned(text: str, topic: str) -> set[tuple[str, int]]:
    """Topic and partition of what an assignment column says, in the form of 4.x or the one before.

    The command of 3.9 leaves topics unnamed; then it is the group's only one.
    """
    matches = TOPIC_OF_ASSIGNMENT.finditer(text)
    return {(one["topic"] or topic, int(number)) for one in matches for number in one["partitions"].split(",")}
