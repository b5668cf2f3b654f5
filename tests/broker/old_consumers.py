"""Consumers that keep their offsets in ZooKeeper, as Kafka had them until 2.0: run, killed, moved and removed.

Put here what such consumers do. What Lagbook makes of their files is in the tests.
"""

from __future__ import annotations

import re
import shutil
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tests.broker.cluster import tied
from tests.broker.jvm import Program
from tests.broker.waiting import wait_until

if TYPE_CHECKING:
    from pathlib import Path

    from tests.broker.cluster import Cluster

RELEASE: Final = "1.1.1"
"""The last release before 2.0 that these tests run: 2.0 has no such consumers any more."""
HEAP_MB: Final = 128
COMMITTED_S: Final = 2
"""After so long a consumer has committed what it read."""
ROW: Final = re.compile(
    r"^(?P<topic>\S+)\s+(?P<partition>\d+)\s+(?P<offset>\d+)\s+(?P<end>\d+)\s+(?P<lag>\d+)\s+(?P<owner>\S+)",
    re.MULTILINE,
)


@dataclass
class OldConsumers:
    """The consumers of one cluster; each prints what it reads into a file of its own."""

    cluster: Cluster
    folder: Path
    started: int = 0

    @property
    def keeper(self) -> str:
        """The address of ZooKeeper."""
        return self.cluster.broker.properties["zookeeper.connect"]

    def start(self, group: str, topic: str, *, is_new: bool = True, records: int | None = None) -> Program:
        """A console consumer that commits to ZooKeeper five times a second; of a new group from the beginning.

        It may end after so many records.
        """
        self.started += 1
        out = self.folder / f"consumer-{self.started}.txt"
        settings = {"group.id": group, "auto.commit.interval.ms": "200", "zookeeper.session.timeout.ms": "4000"}
        properties = [word for name, value in settings.items() for word in ("--consumer-property", f"{name}={value}")]
        words = ["--zookeeper", self.keeper, "--topic", topic, *properties, *(["--from-beginning"] if is_new else [])]
        words += [] if records is None else ["--max-messages", str(records)]
        return Program([*self._java(), "kafka.tools.ConsoleConsumer", *words], out, out.with_suffix(".err"))

    def described(self, group: str) -> dict[tuple[str, int], tuple[int, int, int]]:
        """What `kafka-consumer-groups --zookeeper --describe` says: offset, log end and lag of each partition."""
        return {
            (row["topic"], int(row["partition"])): (int(row["offset"]), int(row["end"]), int(row["lag"]))
            for row in self._rows(group)
        }

    def owners(self, group: str) -> dict[int, str]:
        """The consumer that the same command names for each partition."""
        return {int(row["partition"]): row["owner"] for row in self._rows(group) if row["owner"] != "-"}

    def _rows(self, group: str) -> list[re.Match[str]]:
        """What the command prints of a group."""
        text = self._ask("kafka.admin.ConsumerGroupCommand", "--zookeeper", self.keeper, "--describe", "--group", group)
        return [*ROW.finditer(text)]

    @staticmethod
    def wait_for(consumer: Program, records: int) -> None:
        """Wait until a consumer has read so many records, and committed them."""
        wait_until(lambda: consumer.out.read_bytes().count(b"\n") >= records, f"{records} records to be read")
        time.sleep(COMMITTED_S)

    def set(self, group: str, topic: str, partition: int, offset: int) -> None:
        """Set an offset by hand, as one did."""
        self._shell("set", f"/consumers/{group}/offsets/{topic}/{partition}", str(offset))

    def delete(self, group: str) -> None:
        """Delete a group."""
        self._ask("kafka.admin.ConsumerGroupCommand", "--zookeeper", self.keeper, "--delete", "--group", group)

    def copy_files(self, to: Path) -> Path:
        """Copy ZooKeeper's files as they are, while it runs."""
        return shutil.copytree(self.cluster.folder / "zookeeper" / "data", to)

    def _shell(self, *words: str) -> str:
        return self._ask("org.apache.zookeeper.ZooKeeperMain", "-server", self.keeper, *words)

    def _ask(self, *words: str) -> str:
        self.started += 1
        out = self.folder / f"answer-{self.started}.txt"
        Program([*self._java(), *words], out, out.with_suffix(".err")).wait(120)
        return out.read_text()

    def _java(self) -> list[str]:
        return tied(self.cluster.release, HEAP_MB, self.folder, "WARN")
