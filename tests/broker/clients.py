"""Clients of a broker, Kafka's own, in processes that can be killed: members that write down what they process.

How they are called and what they wrote belongs here; what they do is in `java/`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any, Final

from tests.broker.compiler import classpath
from tests.broker.desk import Desk
from tests.broker.jvm import Program, command
from tests.broker.settings import LONGEST_TRANSACTION_MS
from tests.broker.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from tests.broker.cluster import Cluster

HEAP_MB: Final = 96
PATIENCE_MS: Final = "180000"
PATIENT: Final = {
    "default.api.timeout.ms": PATIENCE_MS,
    "delivery.timeout.ms": PATIENCE_MS,
    "max.block.ms": PATIENCE_MS,
}
"""Clients try again for so long, unless they are told otherwise; by themselves some give up after a minute."""
IDEMPOTENT: Final = "0.11"
"""Producers of today number their records, which brokers understand from here on."""
NO_END: Final = 2**63 - 1

Offsets = dict[tuple[str, int], int]


@dataclass(frozen=True)
class Member:
    """One running member of a group; what it writes down outlives it."""

    name: str
    program: Program

    @property
    def written(self) -> list[dict[str, Any]]:
        """Every line it wrote, each with its `event` and its `ms`.

        They are joining, assigned, placed, revoked, lost, processed, refused, aborted, holding and closed.
        """
        return [json.loads(line) for line in self.program.out.read_bytes().split(b"\n")[:-1]]

    @property
    def processed(self) -> list[tuple[int, int]]:
        """Partition and offset of each record it processed, in order."""
        return [(line["partition"], line["offset"]) for line in self.written if line["event"] == "processed"]

    def wait_for(self, records: int) -> None:
        """Wait until it processed this many records."""
        self._wait(lambda: len(self.processed) >= records, f"process {records} records")

    def wait_for_partitions(self) -> None:
        """Wait until the group gave it something to read, and it knows where to begin."""
        self.wait_to_say("placed")

    def wait_to_say(self, event: str) -> None:
        """Wait until it wrote a line of this kind."""
        self._wait(lambda: any(line["event"] == event for line in self.written), f"say {event}")

    def _wait(self, happened: Callable[[], bool], what: str) -> None:
        wait_until(lambda: happened() or not self.program.running, f"{self.name} to {what}")
        if not happened():
            raise RuntimeError(f"{self.name} ended: {self.program.err.read_text(errors='replace')[-3000:]}")

    def stop(self) -> None:
        """Let it finish what it polled, commit, leave the group and end."""
        self.program.stop()

    def kill(self) -> None:
        """Kill it: it neither commits nor leaves."""
        self.program.kill()


class Clients:
    """The clients of one cluster; what they print is kept in a folder."""

    def __init__(self, cluster: Cluster, folder: Path) -> None:
        """Take the release whose clients speak to this cluster."""
        folder.mkdir(parents=True, exist_ok=True)
        self._cluster, self._folder, self._numbers = cluster, folder, count(1)
        self._classpath = classpath(cluster.release, folder)
        self._desk = Desk(cluster.release, folder)
        self._producing = {"enable.idempotence": str(cluster.release.since(IDEMPOTENT)).lower()}

    def member(
        self,
        group: str,
        topics: str,
        commit: str = "auto",
        delay_ms: int = 0,
        settings: Mapping[str, str] | None = None,
        *,
        hold: int = 0,
        upto: int = NO_END,
    ) -> Member:
        """Start a member of a group; `commit` is auto, after, before or never.

        After `hold` records it does nothing any more, in the middle of those that it polled (0: it goes on). It leaves
        what is from the offset `upto` of a partition on, and goes on committing that it stands there.
        """
        bounds = {"delay_ms": str(delay_ms), "hold": str(hold), "upto": str(upto)}
        return self._consume(group, topics, commit, bounds, settings or {})

    def lone_reader(self, group: str, topics: str, commit: str, settings: Mapping[str, str], *, hold: int) -> Member:
        """Start who reads all partitions of topics and commits in a group's name, but never joins it."""
        bounds = {"delay_ms": "0", "hold": str(hold), "upto": str(NO_END), "alone": "true"}
        return self._consume(group, topics, commit, bounds, settings)

    def _consume(
        self, group: str, topics: str, commit: str, bounds: Mapping[str, str], settings: Mapping[str, str]
    ) -> Member:
        own_settings = {"auto.offset.reset": "earliest", "enable.auto.commit": str(commit == "auto").lower()}
        request = {"verb": "consume", "topics": topics, "commit": commit, **bounds}
        return self._join("Client", group, request, {**own_settings, **settings})

    def transformer(
        self,
        group: str,
        topics: tuple[str, str],
        limits: tuple[int, int],
        delay_ms: int = 0,
        settings: Mapping[str, str] | None = None,
    ) -> Member:
        """Start a member that reads the one topic and writes the other, in a transaction per poll.

        Of `limits`, the first is how many polls make an aborted one, the second which is left open (0: none).
        """
        (source, to), (abort_every, hold) = topics, limits
        fenced = str(self._cluster.release.since("2.5")).lower()
        request = {"verb": "transform", "topics": source, "to": to, "fenced": fenced, "delay_ms": str(delay_ms)}
        request |= {"abort_every": str(abort_every), "hold": str(hold)}
        own_settings = {
            "auto.offset.reset": "earliest",
            "enable.auto.commit": "false",
            "transaction.timeout.ms": str(LONGEST_TRANSACTION_MS),
        }
        return self._join("Client", group, request, {**own_settings, **(settings or {})})

    def share_member(self, group: str, topics: str, delay_ms: int = 0) -> Member:
        """Start a member of a share group."""
        return self._join("ShareMember", group, {"topics": topics, "delay_ms": str(delay_ms)}, {})

    def share_worker(self, group: str, topics: str, answers: Mapping[str, str]) -> Member:
        """Start a member of a share group that accepts, rejects, releases or holds each record as it is told."""
        settings = {"share.acknowledgement.mode": "explicit", "max.poll.records": "10"}
        return self._join("ShareWorker", group, {"topics": topics, **answers}, settings)

    def streams_member(self, group: str, topics: str, delay_ms: int = 0) -> Member:
        """Start a member of a streams group."""
        state = self._folder / f"state-{next(self._numbers)}"
        own_settings = {"application.id": group, "group.protocol": "streams", "state.dir": str(state)}
        return self._join("StreamsMember", group, {"topics": topics, "delay_ms": str(delay_ms)}, own_settings)

    def produce(self, topic: str, partitions: int, count: int, every_ms: int = 0) -> None:
        """Write this many records to each partition."""
        self._run(_records(topic, partitions, count, every_ms), self._producing)

    def start_producing(self, topic: str, partitions: int, count: int, every_ms: int) -> Program:
        """Write this many records to each partition at a pace, beside what else happens, or fewer if it is stopped."""
        name = f"producer-{next(self._numbers)}"
        return self._start(name, "Client", _records(topic, partitions, count, every_ms), self._producing)

    def commit(self, group: str, offsets: Offsets) -> None:
        """Commit for a group without being a member of it."""
        self._run({"verb": "commit", "offsets": _text(offsets)}, {"group.id": group})

    def alter(self, group: str, offsets: Offsets) -> None:
        """Set a group's offsets in one request of an admin's client, as MirrorMaker does."""
        self._run({"verb": "alter", "group": group, "offsets": _text(offsets)}, {})

    def committed(self, group: str, topic: str) -> dict[int, tuple[int | None, int]]:
        """Committed offset and log end per partition, asked by a consumer, which every release answers."""
        answer = self._run({"verb": "committed", "topic": topic}, {"group.id": group, "enable.auto.commit": "false"})
        rows = (map(int, line.split()) for line in answer.splitlines())
        return {partition: (None if offset < 0 else offset, end) for partition, offset, end in rows}

    def transact(self, group: str, offsets: Offsets, outcome: str, transactional_id: str, timeout_ms: int) -> None:
        """Put a group's offsets into a transaction and commit it, abort it or leave it open."""
        request = {"verb": "transact", "group": group, "offsets": _text(offsets), "outcome": outcome}
        self._run(request, {"transactional.id": transactional_id, "transaction.timeout.ms": str(timeout_ms)})

    def _run(self, request: Mapping[str, str], own_settings: Mapping[str, str]) -> str:
        return self._desk.ask("Client", *self._words(request, own_settings))

    def _join(self, program: str, group: str, request: Mapping[str, str], own_settings: Mapping[str, str]) -> Member:
        name = f"{group}-{next(self._numbers)}"
        return Member(name, self._start(name, program, request, {"group.id": group, "client.id": name, **own_settings}))

    def _start(self, name: str, program: str, request: Mapping[str, str], own_settings: Mapping[str, str]) -> Program:
        java = command(self._classpath, HEAP_MB, self._folder, "WARN")
        words = ("Tied", program, *self._words(request, own_settings))
        return Program([*java, *words], self._folder / f"{name}.jsonl", self._folder / f"{name}.log")

    def _words(self, request: Mapping[str, str], own_settings: Mapping[str, str]) -> list[str]:
        settings = {"bootstrap.servers": self._cluster.bootstrap, **PATIENT, **own_settings}
        return [f"{key}={value}" for key, value in request.items()] + [
            f"kafka.{key}={value}" for key, value in settings.items()
        ]


def _records(topic: str, partitions: int, count: int, every_ms: int) -> dict[str, str]:
    numbers = {"partitions": str(partitions), "count": str(count), "every_ms": str(every_ms)}
    return {"verb": "produce", "topic": topic, **numbers}


def _text(offsets: Offsets) -> str:
    return ",".join(f"{topic}-{partition}:{offset}" for (topic, partition), offset in offsets.items())
