"""MirrorMaker 2 and a worker of Kafka Connect, each in a Java of its own, and the worker's REST interface.

Starting and asking belongs here. What is mirrored and connected is in `record`.
"""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tests.broker.compiler import programs
from tests.broker.jvm import Program, command
from tests.broker.maven import jars
from tests.broker.releases import CONNECT, NEWEST, RELEASES
from tests.broker.settings import HOST, write_properties
from tests.broker.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.broker.cluster import Cluster

HEAP_MB: Final = 256
MIRROR_MAKER: Final = "org.apache.kafka.connect.mirror.MirrorMaker"
DISTRIBUTED: Final = "org.apache.kafka.connect.cli.ConnectDistributed"
REST_TIMEOUT_S: Final = 60
BUSY: Final = frozenset({404, 409, 500})
"""What a worker answers that is not ready yet, or that moves its connectors."""

ONE_COPY: Final = {
    "replication.factor": "1",
    "checkpoints.topic.replication.factor": "1",
    "offset-syncs.topic.replication.factor": "1",
    "offset.storage.replication.factor": "1",
    "offset.storage.partitions": "1",
    "status.storage.replication.factor": "1",
    "status.storage.partitions": "1",
    "config.storage.replication.factor": "1",
}


def mirror_maker(folder: Path, source: Cluster, target: Cluster, **changed: str) -> Program:
    """Start MirrorMaker 2 from `source` to `target`, which are its aliases; it looks around every second."""
    properties = {
        "clusters": "source,target",
        "source.bootstrap.servers": source.bootstrap,
        "target.bootstrap.servers": target.bootstrap,
        "source->target.enabled": "true",
        "target->source.enabled": "false",
        "emit.heartbeats.enabled": "false",
        "emit.checkpoints.interval.seconds": "1",
        "sync.group.offsets.enabled": "true",
        "sync.group.offsets.interval.seconds": "1",
        "refresh.groups.interval.seconds": "1",
        "refresh.topics.interval.seconds": "1",
        "offset.flush.interval.ms": "5000",
        **ONE_COPY,
        **{name.replace("_", "."): value for name, value in changed.items()},
    }
    return _start(folder, "mirror-maker", MIRROR_MAKER, properties)


def worker(folder: Path, cluster: Cluster, port: int) -> Worker:
    """Start a worker of Kafka Connect and wait until it answers."""
    properties = {
        "bootstrap.servers": cluster.bootstrap,
        "group.id": "connect-workers",
        "listeners": f"http://{HOST}:{port}",
        "key.converter": "org.apache.kafka.connect.storage.StringConverter",
        "value.converter": "org.apache.kafka.connect.storage.StringConverter",
        "offset.storage.topic": "connect-offsets",
        "config.storage.topic": "connect-configs",
        "status.storage.topic": "connect-status",
        "offset.flush.interval.ms": "1000",
        **ONE_COPY,
    }
    started = Worker(_start(folder, "worker", DISTRIBUTED, properties), f"http://{HOST}:{port}")
    wait_until(started.is_ready, "the worker to answer")
    return started


def _start(folder: Path, name: str, main: str, properties: Mapping[str, str]) -> Program:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.properties"
    write_properties(path, properties)
    classpath: list[Path | str] = [programs(RELEASES[NEWEST], folder), f"{jars(CONNECT)}/*"]
    java = command(classpath, HEAP_MB, folder, "WARN")
    return Program([*java, "Tied", main, str(path)], folder / f"{name}.out", folder / f"{name}.log")


@dataclass(frozen=True)
class Worker:
    """A worker of Kafka Connect."""

    program: Program
    address: str

    def is_ready(self) -> bool:
        """Whether it answers by now; a worker that ended is an error."""
        if not self.program.running:
            raise RuntimeError(f"the worker ended: {self.program.err.read_text(errors='replace')[-3000:]}")
        try:
            self._call("GET", "/connectors")
        except (OSError, urllib.error.URLError):
            return False
        return True

    def create(self, name: str, **settings: str) -> None:
        """Create a connector, `_` standing for the dot in the names of its settings, and wait until it runs."""
        config = {key.replace("_", "."): value for key, value in settings.items()}
        self._ask("POST", "/connectors", {"name": name, "config": {"tasks.max": "1", **config}})
        self._wait_for(name, "RUNNING")

    def stop(self, name: str) -> None:
        """Stop a connector."""
        self._ask("PUT", f"/connectors/{name}/stop")
        self._wait_for(name, "STOPPED")

    def resume(self, name: str) -> None:
        """Start a connector that was stopped."""
        self._ask("PUT", f"/connectors/{name}/resume")
        self._wait_for(name, "RUNNING")

    def offsets(self, name: str) -> list[dict[str, Any]]:
        """Where a connector is."""
        offsets: list[dict[str, Any]] = self._ask("GET", f"/connectors/{name}/offsets")["offsets"]
        return offsets

    def alter_offsets(self, name: str, offsets: list[dict[str, Any]]) -> None:
        """Set where a stopped connector goes on."""
        self._ask("PATCH", f"/connectors/{name}/offsets", {"offsets": offsets})

    def reset_offsets(self, name: str) -> None:
        """Forget where a stopped connector was."""
        self._ask("DELETE", f"/connectors/{name}/offsets")

    def _wait_for(self, name: str, state: str) -> None:
        def reached() -> bool:
            status = self._ask("GET", f"/connectors/{name}/status")
            tasks = [task["state"] for task in status["tasks"]]
            has_tasks = bool(tasks) == (state == "RUNNING")
            return status["connector"]["state"] == state and has_tasks and set(tasks) <= {state}

        wait_until(reached, f"connector {name} to be {state}")

    def _ask(self, verb: str, path: str, body: object = None) -> Any:  # noqa: ANN401 - JSON
        answers: list[Any] = []

        def answered() -> bool:
            try:
                answers.append(self._call(verb, path, body))
            except urllib.error.HTTPError as error:
                if error.code not in BUSY:
                    raise RuntimeError(f"{verb} {path}: {error.read().decode(errors='replace')}") from error
                return False
            return True

        wait_until(answered, f"{verb} {path} to be answered", REST_TIMEOUT_S)
        return answers[-1]

    def _call(self, verb: str, path: str, body: object = None) -> Any:  # noqa: ANN401 - JSON
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(self.address + path, data, headers, method=verb)  # noqa: S310 - loopback
        with urllib.request.urlopen(request, timeout=REST_TIMEOUT_S) as answer:  # noqa: S310
            content = answer.read()
        return json.loads(content) if content else None
