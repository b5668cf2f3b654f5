"""The recorder when the log under it moves: records deleted, the topic made anew, leaders that change or know less.

The same code that follows the offsets topic follows a data topic here: Kafka lets nobody do such things to its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pytest

from assets.ingest.live.access import Access
from assets.recorder.directory import RecordDirectory
from assets.recorder.follower import Follower
from assets.recorder.log_writer import LogWriter
from assets.recorder.segments import Rolling
from assets.recorder.status import Status
from parsers.log.segments import walk
from parsers.sources import open_file
from tests.broker.clients import Clients
from tests.broker.cluster import running
from tests.broker.commands import Commands
from tests.broker.conftest import available
from tests.broker.recorder import record_once, recorded
from tests.broker.releases import NEWEST
from tests.broker.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.broker.cluster import Cluster

TOPIC: Final = "orders"
PARTITIONS: Final = 3
RECORDS: Final = 40


@dataclass(frozen=True)
class Scene:
    """A cluster, and a directory beside it."""

    cluster: Cluster
    clients: Clients
    commands: Commands
    to: Path

    def bytes_of(self, broker: int = 1) -> dict[str, bytes]:
        """What a broker has of the topic."""
        return recorded(self.cluster.numbered(broker).node.logs, [TOPIC])

    @property
    def recorded(self) -> dict[str, bytes]:
        """What is recorded of the topic."""
        return recorded(self.to, [TOPIC])

    @property
    def notes(self) -> list[dict[str, Any]]:
        """What the recorder wrote down, but for the beginnings."""
        with RecordDirectory(self.to, Rolling(1 << 30, 1e9)) as directory:
            return [note for note in directory.notes() if note["kind"] != "begun"]

    def record(self) -> Status:
        """Record to the end of the topic, with a process' own parts."""
        status, messages = Status("here"), list[str]()
        ends = {(TOPIC, number): end for number, end in self.commands.log_ends(TOPIC).items()}
        with RecordDirectory(self.to, Rolling(1 << 30, 1e9)) as directory:
            writer = LogWriter(directory, status, messages.append)
            follower = Follower(Access(self.cluster.bootstrap), (TOPIC,), writer)
            follower.connect()

            def is_recorded() -> bool:
                follower.turn()
                return {key: one.end_offset for key, one in status.partitions.items()} == ends

            wait_until(is_recorded, f"the recorder, which said {messages}", every_s=0)
            follower.close()
        return status


def scene_of(cluster: Cluster, folder: Path) -> Scene:
    """A cluster with clients."""
    return Scene(cluster, Clients(cluster, folder / "clients"), Commands(cluster, folder / "cmd"), folder / "rec")


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    """One broker with a topic of three partitions, recorded to its end."""
    with running(available(NEWEST), tmp_path / "cluster") as cluster:
        scene = scene_of(cluster, tmp_path)
        scene.commands.create_topic(TOPIC, PARTITIONS)
        scene.clients.produce(TOPIC, PARTITIONS, RECORDS)
        scene.record()
        assert scene.recorded == scene.bytes_of()
        yield scene


def test_a_recorder_that_fell_behind_says_what_it_lost(scene: Scene) -> None:
    """Records were deleted while it was away: what comes next is a segment of its own, and the gap is written down."""
    before = scene.recorded[f"{TOPIC}-0"]
    scene.clients.produce(TOPIC, PARTITIONS, RECORDS)
    scene.commands.delete_records(TOPIC, {0: 2 * RECORDS})
    scene.clients.produce(TOPIC, PARTITIONS, 1)
    status = scene.record()
    assert status.total("missed_offsets") == RECORDS
    (note,) = scene.notes
    assert (note["kind"], note["partition"]) == ("missed", 0)
    assert (note["from_offset"], note["to_offset"], note["offsets"]) == (RECORDS, 2 * RECORDS, RECORDS)
    files = {path.name: path.read_bytes() for path in (scene.to / f"{TOPIC}-0").glob("*.log")}
    assert files.keys() == {f"{0:020d}.log", f"{2 * RECORDS:020d}.log"}
    assert files[f"{0:020d}.log"] == before
    assert scene.bytes_of()[f"{TOPIC}-0"].endswith(files[f"{2 * RECORDS:020d}.log"])
    assert scene.recorded[f"{TOPIC}-1"] == scene.bytes_of()[f"{TOPIC}-1"]


def test_a_topic_that_is_made_anew_is_not_mixed_with_the_old_one(scene: Scene) -> None:
    """It has more partitions and fewer records; what was recorded of the old one lies in folders of deleted topics."""
    before = scene.recorded
    scene.commands.delete_topic(TOPIC)
    scene.commands.create_topic(TOPIC, PARTITIONS + 1)
    scene.clients.produce(TOPIC, PARTITIONS + 1, 5)
    scene.record()
    assert scene.recorded == scene.bytes_of()
    assert len(scene.recorded) == PARTITIONS + 1
    retired = {folder.name.partition(".")[0]: folder for folder in scene.to.glob("*-delete")}
    assert {name: (folder / f"{0:020d}.log").read_bytes() for name, folder in retired.items()} == before
    assert [note["kind"] for note in scene.notes] == ["deleted"] * PARTITIONS


def test_a_topic_that_is_deleted_is_followed_no_longer(scene: Scene) -> None:
    """What was recorded of it stays as it was."""
    before, status, messages = scene.recorded, Status("here"), list[str]()
    with RecordDirectory(scene.to, Rolling(1 << 30, 1e9)) as directory:
        follower = Follower(Access(scene.cluster.bootstrap), (TOPIC,), LogWriter(directory, status, messages.append))
        follower.connect()
        assert len(follower.followed) == PARTITIONS
        scene.commands.delete_topic(TOPIC)

        def is_forgotten() -> bool:
            follower.turn()
            return not follower.followed and not status.partitions

        wait_until(is_forgotten, f"the recorder, which said {messages}", every_s=0)
        follower.close()
    assert scene.recorded == before
    assert messages == [f"{TOPIC}-{number}: the topic is not there any more" for number in range(PARTITIONS)]


@pytest.mark.slow
def test_a_leader_that_knows_less_is_followed_and_what_it_lost_is_kept(tmp_path: Path) -> None:
    """An unclean election: the log is the new leader's, and the other end of it is a copy beside it."""
    with running(available(NEWEST), tmp_path / "cluster", brokers=3) as cluster:
        scene = scene_of(cluster, tmp_path)
        replicas = [[1, 2]] * PARTITIONS
        scene.commands.place_topic(TOPIC, replicas, unclean_leader_election_enable="true")
        scene.clients.produce(TOPIC, PARTITIONS, RECORDS)
        cluster.numbered(2).kill()
        scene.clients.produce(TOPIC, PARTITIONS, RECORDS)
        scene.record()
        before = scene.recorded
        assert before == scene.bytes_of(1)
        cluster.numbered(1).kill()
        cluster.numbered(2).restart()
        wait_until(lambda: set(scene.commands.leaders(TOPIC)) == {"2"}, "the other broker to lead")
        scene.clients.produce(TOPIC, PARTITIONS, RECORDS + 7)
        status = scene.record()
        assert scene.recorded == scene.bytes_of(2) != before
        assert status.total("set_aside_offsets") == PARTITIONS * RECORDS
        copies = {path.parent.name: path.read_bytes() for path in scene.to.glob("set-aside-*/*/*.log")}
        assert copies == before
        assert {note["kind"] for note in scene.notes} == {"set_aside"}


@pytest.mark.slow
def test_every_leader_is_followed_and_a_moved_one_is_found(tmp_path: Path) -> None:
    """Three brokers lead the partitions; one is killed, and the recorder goes on with who leads then."""
    with running(available(NEWEST), tmp_path / "cluster", brokers=3) as cluster:
        scene = scene_of(cluster, tmp_path)
        scene.commands.place_topic(TOPIC, [[1, 2], [2, 3], [3, 1]])
        scene.clients.produce(TOPIC, PARTITIONS, RECORDS)
        scene.record()
        cluster.numbered(3).kill()
        wait_until(lambda: "3" not in scene.commands.leaders(TOPIC), "another broker to lead")
        scene.clients.produce(TOPIC, PARTITIONS, RECORDS)
        status = scene.record()
        of_leaders = {**scene.bytes_of(1), f"{TOPIC}-1": scene.bytes_of(2)[f"{TOPIC}-1"]}
        assert scene.recorded == of_leaders
        assert status.total("set_aside_offsets") == 0
        assert scene.notes == []


def test_headers_of_a_data_topic_are_recorded_from_now_on(tmp_path: Path) -> None:
    """A run reads of them what it reads of the broker's own segments: counts, times, producers, markers, positions."""
    with running(available(NEWEST), tmp_path / "cluster") as cluster:
        scene = scene_of(cluster, tmp_path)
        scene.commands.create_topic(TOPIC, 1)
        words = ("--headers", "ord*", "--sync-interval", "0.1")
        assert record_once(cluster.bootstrap, scene.to, *words).returncode == 0
        for count in (1, 500, 3):
            scene.clients.produce(TOPIC, 1, count)
        assert record_once(cluster.bootstrap, scene.to, *words).returncode == 0
        name = f"{TOPIC}-0/{0:020d}.log"
        with open_file(str(cluster.broker.node.logs / name)) as theirs, open_file(str(scene.to / name)) as ours:
            expected = [piece.batches for piece in walk(theirs, bodies=False)]
            assert [piece.batches for piece in walk(ours, bodies=False)] == expected
            assert sum(map(len, expected)) >= 3
