"""Brokers to test against: one or three of a release, on loopback, on ports and in folders of their own.

Their life belongs here: start, stop, kill, restart, copy. What is asked of them is in `commands` and `clients`.
"""

from __future__ import annotations

import re
import shutil
import socket
import time
from base64 import urlsafe_b64encode
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from itertools import islice
from random import sample
from typing import TYPE_CHECKING, Final
from uuid import uuid4

from tests.broker.compiler import programs
from tests.broker.jvm import Program, command
from tests.broker.maven import jars
from tests.broker.settings import HOST, KEEPER, Node, broker_properties, write_properties
from tests.broker.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from tests.broker.releases import Release

TAKEN: Final = "Address already in use"
STARTED: Final = re.compile(r"started \(kafka\.server\.Kafka(Raft)?Server\)")
HEAP_MB: Final = 256
KEEPER_HEAP_MB: Final = 128
FORMAT_TIMEOUT_S: Final = 300
PORTS: Final = range(12_000, 32_000)


class PortTakenError(RuntimeError):
    """Somebody else took a port between the moment it was found free and the moment a program wanted it."""


@dataclass
class Broker:
    """One broker."""

    release: Release
    node: Node
    properties: Mapping[str, str]
    program: Program | None = field(default=None, init=False)

    @property
    def log(self) -> str:
        """What it wrote into its own text log, the coordinator's lines among them."""
        return self._log_file.read_text(errors="replace")

    @property
    def _log_file(self) -> Path:
        return self.node.folder / "server.log"

    def launch(self, **changed: str) -> None:
        """Start it, with settings changed (`_` stands for the dot in their names), and don't wait."""
        properties = {**self.properties, **{name.replace("_", "."): value for name, value in changed.items()}}
        path = self.node.folder / "server.properties"
        write_properties(path, properties)
        with self._log_file.open("a") as log:
            self._start_of_log = log.tell()
        java = tied(self.release, HEAP_MB, self.node.folder, "INFO")
        self.program = Program([*java, "kafka.Kafka", str(path)], self.node.folder / "stdout", self._log_file)

    def wait(self) -> None:
        """Wait until it says that it started; fail with the end of its log when it ends instead."""
        wait_until(lambda: self._started or not self.running, f"broker {self.node.number} to start")
        if not self._started:
            raise _ended(f"broker {self.node.number} of Kafka {self.release.version}", self._new_log)

    @property
    def _started(self) -> bool:
        return STARTED.search(self._new_log) is not None

    @property
    def _new_log(self) -> str:
        """What it wrote since it was launched."""
        return self._log_file.read_bytes()[self._start_of_log :].decode(errors="replace")

    @property
    def running(self) -> bool:
        """Whether it has not ended."""
        return self.program is not None and self.program.running

    def stop(self) -> None:
        """Shut it down in order."""
        if self.program is not None:
            self.program.stop()

    def kill(self) -> None:
        """Kill it: nothing is flushed, handed over or said."""
        if self.program is not None:
            self.program.kill()

    def restart(self, **changed: str) -> None:
        """Shut it down and start it again, with settings changed."""
        self.stop()
        self.launch(**changed)
        self.wait()

    def copy_logs(self, to: Path) -> Path:
        """Copy the log directory while the broker goes on; a file that it removes meanwhile is left out."""
        return shutil.copytree(self.node.logs, to, copy_function=_copy_what_is_there)

    def cleaner_rests(self, seconds: float) -> bool:
        """Whether the cleaner has cleaned something and then found nothing more to clean for so long.

        A partition with an open transaction in its oldest segment isn't cleaned at all.
        """
        checkpoint = self.node.logs / "cleaner-offset-checkpoint"
        _, _, *entries = checkpoint.read_text().splitlines() or ("", "")
        return bool(entries) and time.time() - checkpoint.stat().st_mtime > seconds


def tied(release: Release, heap_mb: int, folder: Path, level: str) -> list[str]:
    """How Java is called for a program of a release, up to its class, so that it ends when these tests do."""
    return [*command([programs(release, folder), f"{jars(release)}/*"], heap_mb, folder, level), "Tied"]


def _ended(what: str, log: str) -> RuntimeError:
    return (PortTakenError if TAKEN in log else RuntimeError)(f"{what} ended: {log[-3000:]}")


def _copy_what_is_there(source: str, target: str) -> None:
    with suppress(FileNotFoundError):
        shutil.copy2(source, target)


@dataclass(frozen=True)
class Cluster:
    """The brokers that a test works with."""

    release: Release
    folder: Path
    brokers: Sequence[Broker]

    @property
    def bootstrap(self) -> str:
        """The addresses of its brokers."""
        return ",".join(broker.node.address for broker in self.brokers)

    @property
    def broker(self) -> Broker:
        """The first of them."""
        return self.brokers[0]

    def numbered(self, number: int) -> Broker:
        """One of them, by the number that Kafka knows it by."""
        return self.brokers[number - 1]

    def start(self) -> None:
        """Start all brokers."""
        for broker in self.brokers:
            broker.launch()
        for broker in self.brokers:
            broker.wait()


@contextmanager
def running(release: Release, folder: Path, brokers: int = 1, **changed: str) -> Iterator[Cluster]:
    """Start a cluster with settings changed; whatever happens, nothing of it is left running.

    When somebody takes one of its ports before it does, it is started once more on others.
    """
    settings = {name.replace("_", "."): value for name, value in changed.items()}
    with ExitStack() as ends:
        try:
            cluster = _started(release, folder, brokers, settings, ends)
        except PortTakenError:
            ends.close()
            cluster = _started(release, folder / "again", brokers, settings, ends)
        yield cluster


def _started(release: Release, folder: Path, brokers: int, settings: Mapping[str, str], ends: ExitStack) -> Cluster:
    keeper = ends.enter_context(_keeper(release, folder)) if release.zookeeper else None
    nodes = _nodes(folder, brokers)
    cluster_id = new_cluster_id()
    members = [Broker(release, node, {**broker_properties(node, nodes, keeper), **settings}) for node in nodes]
    for broker in members:
        ends.callback(broker.kill)
        if not release.zookeeper:
            _format(broker, cluster_id)
    cluster = Cluster(release, folder, members)
    cluster.start()
    return cluster


def new_cluster_id() -> str:
    """An id as Kafka makes them, which never begins with a dash: its tools would take it for an option."""
    while (cluster_id := urlsafe_b64encode(uuid4().bytes).decode().rstrip("=")).startswith("-"):
        pass
    return cluster_id


def _nodes(folder: Path, brokers: int) -> list[Node]:
    ports = free_ports(2 * brokers)
    nodes = [Node(i + 1, ports[2 * i], ports[2 * i + 1], folder / f"broker-{i + 1}") for i in range(brokers)]
    for node in nodes:
        node.folder.mkdir(parents=True)
    return nodes


def free_ports(count: int) -> list[int]:
    """Ports of loopback that nobody listens on; all are held until the last is found, so that none comes twice.

    They lie below those that a system gives to outgoing connections, any of which could take one before a broker does.
    """
    with ExitStack() as held:
        ports = (held.enter_context(free) for port in sample(PORTS, len(PORTS)) if (free := _bound(port)))
        return [one.getsockname()[1] for one in islice(ports, count)]


def _bound(port: int) -> socket.socket | None:
    one = socket.socket()
    try:
        one.bind((HOST, port))
    except OSError:
        one.close()
        return None
    return one


def _format(broker: Broker, cluster_id: str) -> None:
    """Let Kafka write the first files of a log directory, as its own rules for a new cluster demand."""
    path = broker.node.folder / "server.properties"
    write_properties(path, broker.properties)
    java = tied(broker.release, HEAP_MB, broker.node.folder, "WARN")
    out = broker.node.folder / "format.txt"
    program = Program([*java, "kafka.tools.StorageTool", "format", "-t", cluster_id, "-c", str(path)], out, out)
    if program.wait(FORMAT_TIMEOUT_S):
        raise RuntimeError(f"Kafka {broker.release.version} did not format its log directory: {out.read_text()}")


@contextmanager
def _keeper(release: Release, folder: Path) -> Iterator[str]:
    """Run the ZooKeeper that this release of Kafka comes with; its address."""
    home = folder / "zookeeper"
    home.mkdir(parents=True)
    (port,) = free_ports(1)
    config = home / "zoo.cfg"
    write_properties(config, {**KEEPER, "clientPort": str(port), "dataDir": str(home / "data")})
    java = tied(release, KEEPER_HEAP_MB, home, "WARN")
    server = "org.apache.zookeeper.server.ZooKeeperServerMain"
    program = Program([*java, server, str(config)], home / "stdout", home / "zookeeper.log")
    try:
        wait_until(lambda: _listens(port) or not program.running, "ZooKeeper to listen")
        if not program.running:
            raise _ended("ZooKeeper", program.err.read_text(errors="replace"))
        yield f"{HOST}:{port}"
    finally:
        program.kill()


def _listens(port: int) -> bool:
    with closing(socket.socket()) as probe:
        return probe.connect_ex((HOST, port)) == 0
