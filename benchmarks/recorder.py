"""What `lagbook record` costs beside a real broker: processor time and memory, at a pace and as fast as it goes.

    python -m benchmarks.recorder [--seconds 60] [--paces 2000,50000] [--per-request 1,50] [--backlog 5000000]

For each pace commits come from a process of its own, so many partitions in a request, while a recorder follows. Then
a recorder starts behind a backlog and catches up: what that costs per commit says what one core can follow at most.
Processor time counts, since wall clock says more of who else works on the machine.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections import deque
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from kafka.net.manager import KafkaConnectionManager
from kafka.net.selector import NetworkSelector
from kafka.protocol.consumer import OffsetCommitRequest
from kafka.protocol.metadata import FindCoordinatorRequest

from assets.ingest.live.access import Access
from assets.ingest.live.cluster import LiveCluster
from tests.broker.cluster import running
from tests.broker.commands import Commands
from tests.broker.recorder import recording
from tests.broker.releases import NEWEST, RELEASES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.broker.recorder import Recorder

TOPIC: Final = "orders"
GROUPS: Final = 200
MOST_PER_REQUEST: Final = 100
IN_FLIGHT: Final = 64
SETTLE_S: Final = 3.0
MEGABYTE: Final = 1 << 20


class Committer:
    """Commits for many groups as fast as it is told, without being a member of them."""

    def __init__(self, bootstrap: str, per_request: int) -> None:
        """Connect to the only broker, which coordinates every group."""
        settings = {"bootstrap_servers": [bootstrap], "client_id": "benchmark", "receive_message_max_bytes": 1 << 26}
        self._net = NetworkSelector(**settings)
        self._manager = KafkaConnectionManager(
            self._net, **settings, max_in_flight_requests_per_connection=2 * IN_FLIGHT
        )
        self._manager.run(self._manager.cluster.refresh_metadata, "bootstrap-0")
        (self._node,) = [one.node_id for one in self._manager.cluster.brokers()]
        self._per_request, self._flying, self.sent, self.refused = per_request, deque[Any](), 0, 0

    def find_coordinator(self) -> None:
        """Ask for a coordinator until there is one: that makes the offsets topic."""
        code = 1
        while code:
            request = FindCoordinatorRequest(key="group-0", key_type=0, coordinator_keys=["group-0"])
            answer = self._manager.run(self._manager.send, request, self._node)
            code = answer.coordinators[0].error_code if answer.coordinators else answer.error_code
            time.sleep(0.2)

    def run(self, pace: float, seconds: float, most: int) -> None:
        """Commit at a pace (0: as fast as it goes), for so long or up to so many commits."""
        began, due = time.monotonic(), 0.0
        while (elapsed := time.monotonic() - began) < seconds and self.sent < most:
            due = elapsed * pace if pace else float("inf")
            while len(self._flying) < IN_FLIGHT and self.sent + self._per_request <= due:
                self._send()
            self._net.poll(timeout_ms=5)
            self._take()
        while self._flying:
            self._net.poll(timeout_ms=50)
            self._take()

    def _send(self) -> None:
        kind = OffsetCommitRequest.OffsetCommitRequestTopic
        partitions = [
            kind.OffsetCommitRequestPartition(partition_index=number, committed_offset=self.sent, committed_metadata="")
            for number in range(self._per_request)
        ]
        request = OffsetCommitRequest(
            group_id=f"group-{self.sent // self._per_request % GROUPS}",
            generation_id_or_member_epoch=-1,
            member_id="",
            topics=[kind(name=TOPIC, partitions=partitions)],
            max_version=7,
        )
        self._flying.append(self._manager.send(request, self._node))
        self.sent += self._per_request

    def _take(self) -> None:
        while self._flying and self._flying[0].is_done:
            answer = self._flying.popleft().value
            self.refused += sum(bool(one.error_code) for topic in answer.topics for one in topic.partitions)


def cost_of(pid: int) -> tuple[float, float]:
    """Processor seconds of a process, and the most memory that it held, in MiB."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    status = Path(f"/proc/{pid}/status").read_text()
    peak_kib = int(status.partition("VmHWM:")[2].split()[0])
    return (int(fields[11]) + int(fields[12])) / 100, peak_kib / 1024


def report(name: str, before: dict[str, Any], after: dict[str, Any], cost: tuple[float, float, float]) -> None:
    """Print a line."""
    records, cpu_s, wall_s = after["records"] - before.get("records", 0), cost[0], cost[1]
    print(
        f"{name:<28} {records:>10,} commits {records / wall_s:>8,.0f}/s  {cpu_s / wall_s:>6.1%} of a core"
        f"  {cpu_s / max(records, 1) * 1e6:>6.2f} us each  peak {cost[2]:.0f} MiB  behind {after['offsets_behind']:,}",
        flush=True,
    )


@contextmanager
def committing(
    bootstrap: str, pace: float, per_request: int, seconds: float, most: int
) -> Iterator[subprocess.Popen[bytes]]:
    """Commits from a process of its own."""
    words = ["commit", bootstrap, str(pace), str(per_request), str(seconds), str(most)]
    process = subprocess.Popen([sys.executable, "-m", "benchmarks.recorder", *words])  # noqa: S603 - ourselves
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def follow(recorder: Recorder, bootstrap: str, pace: float, per_request: int, seconds: float) -> None:
    """Measure a recorder while commits come at a pace."""
    name = f"{int(pace):,}/s, {per_request} in a request" if pace else f"as fast as it goes, {per_request}"
    with committing(bootstrap, pace, per_request, seconds + 2 * SETTLE_S, 1 << 60):
        time.sleep(SETTLE_S)
        before, (cpu_before, _), began = figures(recorder), cost_of(recorder.process.pid), time.monotonic()
        time.sleep(seconds)
        after, (cpu_after, peak), ended = figures(recorder), cost_of(recorder.process.pid), time.monotonic()
    report(name, before, after, (cpu_after - cpu_before, ended - began, peak))
    time.sleep(SETTLE_S)


def figures(recorder: Recorder) -> dict[str, Any]:
    """What a recorder says of itself, now and not some seconds ago."""
    before = recorder.status.get("updated_at")
    while not (status := recorder.status) or status["updated_at"] == before:
        time.sleep(0.02)
    return status


def catch_up(bootstrap: str, folder: Path, backlog: int) -> None:
    """Measure a recorder that starts behind a backlog, up to its end."""
    with committing(bootstrap, 0, MOST_PER_REQUEST, 3600, backlog) as process:
        process.wait()
    with LiveCluster(Access(bootstrap)) as cluster:
        topic = cluster.topic("__consumer_offsets")
        ends = cluster.bounds(topic.partitions if topic else ())
        total = sum(one.high_watermark or 0 for one in ends.values())
    began = time.monotonic()
    with recording(bootstrap, folder, "--sample-interval", "10") as recorder:
        cost = (0.0, 0.0)
        status: dict[str, Any] = {}
        while status.get("records", 0) < total and recorder.process.poll() is None:
            time.sleep(0.2)
            status, cost = recorder.status, cost_of(recorder.process.pid)
        report("catch up with a backlog", {}, status, (cost[0], time.monotonic() - began, cost[1]))


def main() -> None:
    """Measure all of it."""
    if sys.argv[1:2] == ["commit"]:
        bootstrap, pace, per_request, seconds, most = sys.argv[2:]
        committer = Committer(bootstrap, int(per_request))
        committer.find_coordinator()
        committer.run(float(pace), float(seconds), int(most))
        print(f"  ({committer.sent:,} commits sent, {committer.refused} refused)", flush=True)
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--paces", default="2000,2000,50000")
    parser.add_argument("--per-request", default="1,10,50")
    parser.add_argument("--backlog", type=int, default=5_000_000)
    arguments = parser.parse_args()
    print(json.dumps({"kafka": NEWEST, "seconds": arguments.seconds, "backlog": arguments.backlog}))
    with TemporaryDirectory() as temporary:
        folder = Path(temporary)
        with running(RELEASES[NEWEST], folder / "cluster", offsets_topic_num_partitions="50") as cluster:
            Commands(cluster, folder / "commands").create_topic(TOPIC, MOST_PER_REQUEST)
            measure(cluster.bootstrap, folder, arguments)


def measure(bootstrap: str, folder: Path, arguments: argparse.Namespace) -> None:
    """Each pace beside one recorder, then the backlog with another."""
    with recording(bootstrap, folder / "recorded", "--sample-interval", "10") as recorder:
        time.sleep(2 * SETTLE_S)
        for pace, per_request in zip(arguments.paces.split(","), arguments.per_request.split(","), strict=True):
            follow(recorder, bootstrap, float(pace), int(per_request), arguments.seconds)
    if arguments.backlog:
        catch_up(bootstrap, folder / "caught-up", arguments.backlog)


if __name__ == "__main__":
    main()
