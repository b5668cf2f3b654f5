"""A share group's day on a real broker: what its members got, what the tool printed meanwhile, and the logs.

What is played belongs here; `tests.assets.test_share_groups` reads what `python -m tests.broker.share_recording FOLDER`
wrote.
"""

from __future__ import annotations

import json
import sys
import tarfile
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from parsers.files.setting_names import select_settings
from tests.broker.clients import Clients, Member
from tests.broker.cluster import running
from tests.broker.commands import Commands
from tests.broker.releases import NEWEST, RELEASES
from tests.broker.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.broker.cluster import Cluster

TOPIC: Final = "jobs"
GROUP: Final = "workers"
LOCK_MS: Final = 3000
LIMIT: Final = 3
SETTINGS: Final[dict[str, str]] = {
    "group_share_min_record_lock_duration_ms": "1000",
    "group_share_record_lock_duration_ms": str(LOCK_MS),
    "group_share_delivery_count_limit": str(LIMIT),
    "share_coordinator_snapshot_update_records_per_snapshot": "6",
    "log_flush_start_offset_checkpoint_interval_ms": "1000",
}
"""Locks expire soon, a record is archived after three deliveries, and a snapshot is written after six updates."""
RECORDED_FOLDERS: Final = ("__share_group_state-", "__consumer_offsets-", "__cluster_metadata-", f"{TOPIC}-")
FILES: Final = ("server.properties", "meta.properties", "log-start-offset-checkpoint", "replication-offset-checkpoint")
PAUSE_S: Final = 1.5
"""Between two steps, so that an instant belongs to one of them."""


class ShareDay:
    """The group, its members one after the other, and what was asked in between."""

    def __init__(self, cluster: Cluster, scratch: Path) -> None:
        """Take a running cluster, and a folder for what is printed."""
        self._clients, self._commands = Clients(cluster, scratch / "clients"), Commands(cluster, scratch / "commands")
        self.answers_of_tool: list[dict[str, Any]] = []
        self.members: list[Member] = []

    def play(self) -> None:
        """Let members accept, release, reject, crash, hold too long, and an admin reset and delete."""
        self._commands.create_topic(TOPIC, 2)
        self._commands.start_share_group_early(GROUP)
        self._clients.produce(TOPIC, 2, 40)
        first = self._join({"reject": "7,8", "release": "12:2,15:9"})
        self._until_read(first, {(0, 39), (1, 39)}, "15")
        self._ask("after-first", with_members=True)
        first.stop()
        self._ask("empty")
        self._crash()
        self._hold_too_long()
        self._ask("after-holder")
        self._reset()
        self._delete_records()

    def _crash(self) -> None:
        self._clients.produce(TOPIC, 2, 20)
        crashed = self._join({"hold": "5", "hold_ms": "600000"})
        crashed.wait_to_say("holding")
        crashed.kill()
        self._ask("after-crash")

    def _hold_too_long(self) -> None:
        """It gets again what the killed one held, and holds the first records beyond their lock once."""
        holder = self._join({"hold": "3", "hold_ms": str(3 * LOCK_MS)})
        self._until_read(holder, {(0, 59), (1, 59)})
        holder.stop()

    def _reset(self) -> None:
        self._commands.reset_share_group(GROUP, TOPIC, "--to-earliest")
        self._ask("after-reset")
        again = self._join({})
        self._until_read(again, {(0, 59), (1, 59)})
        again.stop()
        self._ask("after-rereading")

    def _delete_records(self) -> None:
        """What was not read yet is deleted below the group."""
        self._clients.produce(TOPIC, 2, 20)
        self._commands.delete_records(TOPIC, {0: 70})
        last = self._join({"reject": "75"})
        self._until_read(last, {(0, 79), (1, 79)})
        self._ask("last", with_members=True)
        last.stop()
        self._ask("end")

    def _join(self, answers: Mapping[str, str]) -> Member:
        orders = {"reject": "", "release": "", "hold": "0", "hold_ms": "0", **answers}
        member = self._clients.share_worker(GROUP, TOPIC, orders)
        self.members.append(member)
        return member

    def _until_read(self, member: Member, last: set[tuple[int, int]], thrice: str = "") -> None:
        """Wait until a member committed an answer to the last record of each partition, and released one thrice."""

        def is_done() -> bool:
            answered = {(one["partition"], one["offset"]) for one in member.written if one["event"] == "answered"}
            got = [one for one in member.written if one["event"] == "got" and str(one["offset"]) == thrice]
            return last <= answered and (not thrice or len(got) >= 2 * LIMIT)

        wait_until(lambda: is_done() or not member.program.running, f"{member.name} to read")
        if not is_done():
            raise RuntimeError(f"{member.name} ended: {member.program.err.read_text(errors='replace')[-3000:]}")
        time.sleep(2 * LOCK_MS / 1000)

    def _ask(self, name: str, *, with_members: bool = False) -> None:
        """What `kafka-share-groups` prints now, with the time before and after."""
        time.sleep(PAUSE_S)
        began = time.time()
        answers_of_tool = {"name": name, "offsets": self._commands.print_share_group(GROUP)}
        if with_members:
            answers_of_tool["members"] = self._commands.print_share_group(GROUP, "--members", "--verbose")
        answers_of_tool["state"] = self._commands.print_share_group(GROUP, "--state", "--verbose")
        self.answers_of_tool.append(
            {**answers_of_tool, "began_ms": int(began * 1000), "ended_ms": int(time.time() * 1000)}
        )
        time.sleep(PAUSE_S)


def _settings(properties: Mapping[str, str]) -> str:
    """The lines of server.properties that Lagbook keeps; others have places of the machine that it was recorded on."""
    shown = {**select_settings(properties), "node.id": properties["node.id"]}
    return "".join(f"{name}={value}\n" for name, value in shown.items())


def record(to: Path) -> None:
    """Play the day and write `logs.tar.xz`, `answers.json` and `members.json` into a folder."""
    to.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        with running(RELEASES[NEWEST], folder / "cluster", 1, **SETTINGS) as cluster:
            day = ShareDay(cluster, folder)
            day.play()
            logs = cluster.broker.copy_logs(folder / "copy")
            (logs / "server.properties").write_text(_settings(cluster.broker.properties))
        (to / "answers.json").write_text(json.dumps(day.answers_of_tool, indent=1))
        written = {member.name: member.written for member in day.members}
        (to / "members.json").write_text(json.dumps(written))
        with tarfile.open(to / "logs.tar.xz", "w:xz") as packed:
            for path in sorted(logs.rglob("*")):
                inner = path.relative_to(logs)
                is_log = str(inner).startswith(RECORDED_FOLDERS) and path.suffix == ".log" and path.stat().st_size
                if is_log or str(inner) in FILES or path.name == "partition.metadata":
                    packed.add(path, str(inner))


if __name__ == "__main__":
    record(Path(sys.argv[1]))
