"""Record MirrorMaker 2 between two brokers, a fail-over, and a worker of Connect: `python -m tests.mirror.record`.

What happens, in which order, belongs here. Starting the workers is in `workers`; what is read of it in `recorded`.
"""

from __future__ import annotations

import json
import os
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from tests.broker.clients import Clients
from tests.broker.cluster import free_ports, running
from tests.broker.commands import Commands
from tests.broker.releases import NEWEST, RELEASES
from tests.broker.waiting import epoch_ms, wait_until
from tests.mirror.recorded import RECORDED, pack
from tests.mirror.workers import Worker, mirror_maker, worker

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.broker.cluster import Cluster

TOPIC: Final = "orders"
MIRRORED: Final = "source.orders"
PARTITIONS: Final = 2
GROUPS: Final = ("billing", "reports", "audit")
FIRST, SECOND, LAST = 120, 80, 7
"""How many records each partition gets, one time after the other."""
UPTO: Final = 100
HALF: Final = 60
BACK_TO: Final = 50
LINE: Final = "line {:04d}\n"
LINES: Final = 40
SOURCE_CONNECTOR, SINK_CONNECTOR = "lines", "archive"


@click.command()
@click.option("--out", type=click.Path(path_type=Path), default=RECORDED, help="The folder of the recording.")
def main(out: Path) -> None:
    """Record it all, and write the logs of both clusters and what truly happened."""
    out.mkdir(parents=True, exist_ok=True)
    target = out.resolve()
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        try:
            record(Path(scratch), target)
        finally:
            os.chdir("/")


def record(scratch: Path, out: Path) -> None:
    """Play the scenario in a scratch folder, and write the recording into another."""
    release = RELEASES[NEWEST]
    with ExitStack() as ends:
        source = Side.open("source", ends.enter_context(running(release, scratch / "source")), scratch)
        target = Side.open("target", ends.enter_context(running(release, scratch / "target")), scratch)
        truth = {"connect": _connect(source, scratch, ends), **_mirror(source, target, scratch, ends)}
        for side in (source, target):
            pack(side.cluster.broker, scratch / f"copy-{side.name}", out / f"{side.name}.tar.xz")
        (out / "truth.json").write_text(json.dumps(truth, indent=1) + "\n")


@dataclass(frozen=True)
class Side:
    """One of the two clusters, with clients and commands."""

    name: str
    cluster: Cluster
    clients: Clients
    commands: Commands

    @classmethod
    def open(cls, name: str, cluster: Cluster, scratch: Path) -> Side:
        """Take a cluster that runs."""
        clients = Clients(cluster, scratch / f"clients-{name}")
        return cls(name, cluster, clients, Commands(cluster, scratch / f"commands-{name}"))

    def committed(self, group: str, topic: str) -> dict[int, int | None]:
        """Committed offset by partition."""
        return {partition: offset for partition, (offset, _) in self.clients.committed(group, topic).items()}

    def read(self, group: str, topic: str, upto: int, count: int) -> None:
        """Let a member read `count` records, up to an offset of each partition, commit and leave."""
        member = self.clients.member(group, topic, "after", upto=upto)
        member.wait_for(count)
        member.stop()
        self.commands.wait_until_empty(group)


def _connect(source: Side, scratch: Path, ends: ExitStack) -> dict[str, Any]:
    """Run a source and a sink connector; set the source back by half, and then to its beginning."""
    source.commands.create_topic("lines", 1)
    runs = worker(scratch / "connect", source.cluster, free_ports(1)[0])
    ends.callback(runs.program.kill)
    (scratch / "lines.txt").write_text("".join(map(LINE.format, range(LINES))))
    whole = LINES * len(LINE.format(0))
    runs.create(
        SOURCE_CONNECTOR,
        connector_class="org.apache.kafka.connect.file.FileStreamSourceConnector",
        file="lines.txt",
        topic="lines",
    )
    runs.create(
        SINK_CONNECTOR,
        connector_class="org.apache.kafka.connect.file.FileStreamSinkConnector",
        file="archive.txt",
        topics="lines",
    )
    _wait_for_position(runs, whole)
    steps = [_step("read_to_end", whole)]
    runs.stop(SOURCE_CONNECTOR)
    runs.alter_offsets(SOURCE_CONNECTOR, [{"partition": {"filename": "lines.txt"}, "offset": {"position": whole // 2}}])
    steps.append(_step("set_back", whole // 2))
    runs.resume(SOURCE_CONNECTOR)
    _wait_for_position(runs, whole)
    runs.stop(SOURCE_CONNECTOR)
    runs.reset_offsets(SOURCE_CONNECTOR)
    steps.append(_step("reset", None))
    runs.resume(SOURCE_CONNECTOR)
    _wait_for_position(runs, whole)
    wait_until(
        lambda: (source.committed(f"connect-{SINK_CONNECTOR}", "lines").get(0) or 0) >= 5 * LINES // 2,
        "the sink to commit",
    )
    runs.program.stop()
    return {"steps": steps, "records": 5 * LINES // 2}


def _step(name: str, position: int | None) -> dict[str, Any]:
    return {"step": name, "position": position, "done_ms": epoch_ms()}


def _wait_for_position(runs: Worker, position: int) -> None:
    wait_until(
        lambda: [one["offset"] for one in runs.offsets(SOURCE_CONNECTOR)] == [{"position": position}],
        f"the source connector to be at {position}",
    )


def _mirror(source: Side, target: Side, scratch: Path, ends: ExitStack) -> dict[str, Any]:
    """Mirror what groups read, set one back, fail over, and write down what the members read on the other side."""
    _first_reads(source)
    mirror = mirror_maker(scratch / "mirror", source.cluster, target.cluster)
    ends.callback(mirror.kill)
    for group in GROUPS[:2]:
        _wait_for_sync(target, group, lambda offset: offset is not None)
    _second_reads(source)
    _wait_for_sync(target, "billing", lambda offset: (offset or 0) > UPTO)
    _wait_for_sync(target, "audit", lambda offset: (offset or 0) > UPTO)
    source.commands.reset("billing", TOPIC, "--to-offset", str(BACK_TO))
    source.clients.produce(TOPIC, PARTITIONS, LAST)
    wait_until(
        lambda: set(target.commands.log_ends(MIRRORED).values()) == {FIRST + SECOND + LAST}, "the last records to come"
    )
    source.read("reports", TOPIC, FIRST + SECOND + 2, PARTITIONS * (FIRST + SECOND + 2 - HALF))
    _wait_for_sync(target, "reports", lambda offset: (offset or 0) > UPTO)
    mirror.stop()
    return {"failover": _fail_over(source, target)}


def _first_reads(source: Side) -> None:
    source.commands.create_topic(TOPIC, PARTITIONS)
    source.commands.create_topic("payments", 1)
    source.clients.produce(TOPIC, PARTITIONS, FIRST)
    settings = {"transactional.id": "cashier", "max.poll.records": "20"}
    cashier = source.clients.transformer("cashier", (TOPIC, "payments"), (3, 0), settings=settings)
    cashier.wait_for(PARTITIONS * FIRST)
    cashier.stop()
    source.read("teller", "payments", UPTO, UPTO // 2)
    source.read("billing", TOPIC, UPTO, PARTITIONS * UPTO)
    source.read("reports", TOPIC, HALF, PARTITIONS * HALF)


def _second_reads(source: Side) -> None:
    source.clients.produce(TOPIC, PARTITIONS, SECOND)
    source.read("billing", TOPIC, FIRST + SECOND, PARTITIONS * (FIRST + SECOND - UPTO))
    source.read("audit", TOPIC, FIRST + SECOND - 5, PARTITIONS * (FIRST + SECOND - 5))


def _wait_for_sync(target: Side, group: str, enough: Callable[[int | None], bool]) -> None:
    def synced() -> bool:
        offsets = target.committed(group, MIRRORED)
        return len(offsets) == PARTITIONS and all(enough(offset) for offset in offsets.values())

    wait_until(synced, f"group {group} to be synced", every_s=1.0)


def _fail_over(source: Side, target: Side) -> dict[str, Any]:
    """Let each group go on at the target, to the end of what is there."""
    end = FIRST + SECOND + LAST
    failover: dict[str, Any] = {"at_ms": epoch_ms(), "groups": {}}
    for group in GROUPS:
        before = {"source": source.committed(group, TOPIC), "target": target.committed(group, MIRRORED)}
        left = sum(end - (offset or 0) for offset in before["target"].values())
        member = target.clients.member(group, MIRRORED, "after")
        member.wait_for(left)
        member.stop()
        failover["groups"][group] = {**before, "processed": _ranges(member.processed)}
    return failover


def _ranges(processed: list[tuple[int, int]]) -> dict[int, list[int]]:
    """First and last offset by partition; a member that skipped or repeated one is an error."""
    ranges: dict[int, list[int]] = {}
    for partition in sorted({partition for partition, _ in processed}):
        offsets = [offset for one, offset in processed if one == partition]
        if offsets != list(range(offsets[0], offsets[-1] + 1)):
            raise RuntimeError(f"partition {partition} was not read in one go: {offsets}")
        ranges[partition] = [offsets[0], offsets[-1]]
    return ranges


if __name__ == "__main__":
    main()
