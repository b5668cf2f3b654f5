"""The recorder beside a real broker: byte for byte what the broker has, whatever happens to either of them."""

from __future__ import annotations

import json
import random
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from assets.ingest.plan import Sources
from assets.storage.warehouse import Warehouse
from tests.broker.book import ROOT, Book
from tests.broker.clients import Clients
from tests.broker.cluster import running
from tests.broker.commands import Commands
from tests.broker.conftest import available
from tests.broker.guards import SECRET, login_settings, restart_guarded
from tests.broker.reader import RECORDS_TABLE, read, rows
from tests.broker.recorder import record_once, recorded, recording
from tests.broker.releases import ADMINISTRABLE, NEWEST, RELEASES
from tests.broker.settings import EAGER_CLEANER, LONGEST_TRANSACTION_MS
from tests.broker.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.broker.cluster import Cluster

TOPIC: Final = "orders"
PARTITIONS: Final = 3
READERS: Final = "readers"
EXACTLY_ONCE: Final = "exactly-once"
OLDER: Final = [version for version, release in RELEASES.items() if release.since(ADMINISTRABLE) and version != NEWEST]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A broker with commits, and transactions committed, aborted and left open; its cleaner does not run."""
    folder = tmp_path_factory.mktemp("recorder")
    with running(available(NEWEST), folder / "cluster", log_cleaner_enable="false") as cluster:
        clients = Clients(cluster, folder / "clients")
        Commands(cluster, folder / "commands").create_topic(TOPIC, PARTITIONS)
        clients.produce(TOPIC, PARTITIONS, 40)
        for number in range(20):
            clients.commit(f"{READERS}-{number}", {(TOPIC, 0): number, (TOPIC, 1): number})
        clients.transact(EXACTLY_ONCE, {(TOPIC, 0): 12, (TOPIC, 1): 13}, "commit", "first", LONGEST_TRANSACTION_MS)
        clients.transact(EXACTLY_ONCE, {(TOPIC, 0): 30}, "abort", "second", LONGEST_TRANSACTION_MS)
        clients.transact(EXACTLY_ONCE, {(TOPIC, 2): 33}, "open", "third", LONGEST_TRANSACTION_MS)
        yield cluster


@pytest.fixture
def clients(cluster: Cluster, tmp_path: Path) -> Clients:
    """Clients of the broker."""
    return Clients(cluster, tmp_path / "clients")


def test_what_is_recorded_once_is_byte_for_byte_the_brokers(cluster: Cluster, clients: Clients, tmp_path: Path) -> None:
    """Markers, aborted and open transactions too; a second time takes what came in between and nothing twice."""
    done = record_once(cluster.bootstrap, tmp_path / "rec")
    assert done.returncode == 0, done.stderr
    first = recorded(tmp_path / "rec")
    assert first == recorded(cluster.broker.node.logs)
    assert {name.rpartition("-")[0] for name in first} == {"__consumer_offsets", "__transaction_state"}
    clients.commit("later", {(TOPIC, 0): 7})
    assert record_once(cluster.bootstrap, tmp_path / "rec").returncode == 0
    assert first != recorded(tmp_path / "rec") == recorded(cluster.broker.node.logs)


def test_a_run_reads_a_recording_like_the_brokers_own_directory(cluster: Cluster, tmp_path: Path) -> None:
    """Every column of every record is the same, and what is recorded is not new beside the broker's files."""
    assert record_once(cluster.bootstrap, tmp_path / "rec").returncode == 0
    ours, brokers = Warehouse(str(tmp_path / "ours")), Warehouse(str(tmp_path / "brokers"))
    sources, logs = Sources((str(tmp_path / "rec"),)), Sources((str(cluster.broker.copy_logs(tmp_path / "copy")),))
    assert read(ours, sources) == read(brokers, logs) > 40
    assert rows(ours, RECORDS_TABLE).equals(rows(brokers, RECORDS_TABLE))
    assert read(ours, logs) == 0
    assert read(brokers, sources) == 0


@pytest.mark.slow
def test_every_answer_about_groups_is_that_of_the_brokers_own_directory(cluster: Cluster, tmp_path: Path) -> None:
    """Commits, transactions, who committed, what is committed now: every row and column."""
    assert record_once(cluster.bootstrap, tmp_path / "rec").returncode == 0
    ours, brokers = Book(tmp_path / "ours"), Book(tmp_path / "brokers")
    ours.run(tmp_path / "rec")
    brokers.run(cluster.broker.copy_logs(tmp_path / "copy"))
    for table in ("core.commits", "core.transactions", "core.generations", "core.log_gaps", "mart.offsets_now"):
        question = f"SELECT * FROM {table} ORDER BY ALL"  # noqa: S608 - names of this test
        assert ours.query(question) == brokers.query(question), table
    assert ours.query("SELECT count(*) > 40 FROM core.commits") == [(True,)]


def test_a_recorder_follows_a_broker_that_restarts(cluster: Cluster, clients: Clients, tmp_path: Path) -> None:
    """It waits while the broker is away, has all of it afterwards, and ends cleanly when it is asked to."""
    with recording(cluster.bootstrap, tmp_path / "rec") as recorder:
        recorder.wait_for(recorded(cluster.broker.node.logs))
        clients.commit("before", {(TOPIC, 0): 1})
        cluster.broker.restart()
        clients.commit("after", {(TOPIC, 0): 2})
        recorder.wait_for(recorded(cluster.broker.node.logs))
        assert recorder.stop() == 0
        assert recorder.status["is_running"] is False
        assert recorder.status["offsets_behind"] == 0


def test_a_recorder_ends_when_it_is_asked_to_though_a_broker_hangs(cluster: Cluster, tmp_path: Path) -> None:
    """Five seconds are enough, whatever it waits for; it says that it ended."""
    program = cluster.broker.program
    assert program is not None
    with recording(cluster.bootstrap, tmp_path / "rec") as recorder:
        recorder.wait_for(recorded(cluster.broker.node.logs))
        program.process.send_signal(signal.SIGSTOP)
        try:
            time.sleep(1.5)
            began = time.monotonic()
            assert recorder.stop() == 0
            assert time.monotonic() - began < 5
        finally:
            program.process.send_signal(signal.SIGCONT)
        assert recorder.status["is_running"] is False
    assert recorded(tmp_path / "rec") == recorded(cluster.broker.node.logs)


@pytest.mark.slow
def test_a_recorder_that_is_killed_again_and_again_loses_nothing(cluster: Cluster, tmp_path: Path) -> None:
    """Killed at whatever moment while thousands of commits come in a second: in the end it has the broker's bytes."""
    words = ["commit", cluster.bootstrap, "3000", str(PARTITIONS), "600", "1000000000"]
    committing = subprocess.Popen([sys.executable, "-m", "benchmarks.recorder", *words], cwd=ROOT)
    try:
        for _ in range(8):
            with recording(cluster.bootstrap, tmp_path / "rec", "--segment-bytes", str(1 << 20)) as recorder:
                notes = tmp_path / "rec" / "recorder.notes"
                wait_until(notes.exists, "the recorder to begin")
                time.sleep(random.uniform(0.5, 3))  # noqa: S311 - no secret is made of it
                recorder.kill()
    finally:
        committing.kill()
        committing.wait()
    with recording(cluster.bootstrap, tmp_path / "rec") as recorder:
        recorder.wait_for(recorded(cluster.broker.node.logs))
        assert recorder.stop() == 0
    assert len(recorded(tmp_path / "rec")) > 1
    assert not list((tmp_path / "rec").glob("set-aside-*"))
    assert not [line for line in recorder.output.splitlines() if "gone before" in line]


@pytest.mark.slow
def test_a_recorder_that_was_away_says_what_the_cleaner_took(tmp_path: Path) -> None:
    """What it had recorded stays whole; what was gone is counted, and lies between the records that are there."""
    with running(available(NEWEST), tmp_path / "cluster", 1, **EAGER_CLEANER) as cluster:
        clients = Clients(cluster, tmp_path / "clients")
        Commands(cluster, tmp_path / "commands").create_topic(TOPIC, PARTITIONS)
        for number in range(5):
            clients.commit(READERS, {(TOPIC, 0): number})
        assert record_once(cluster.bootstrap, tmp_path / "rec").returncode == 0
        (before,) = recorded(tmp_path / "rec").values()
        for number in range(30):
            clients.commit(READERS, {(TOPIC, 0): 100 + number})
            time.sleep(0.1)
        wait_until(lambda: cluster.broker.cleaner_rests(3), "the cleaner to come to rest")
        clients.commit(READERS, {(TOPIC, 0): 200})
        done = record_once(cluster.bootstrap, tmp_path / "rec", "--json")
    assert done.returncode == 0, done.stderr
    assert "fell behind the cleaner: __consumer_offsets-" in done.stderr
    status = json.loads(done.stdout)
    (after,) = recorded(tmp_path / "rec").values()
    assert after.startswith(before)
    warehouse = Warehouse(str(tmp_path / "warehouse"))
    read(warehouse, Sources((str(tmp_path / "rec"),)))
    offsets = rows(warehouse, RECORDS_TABLE)["log_offset"].to_pylist()
    assert offsets[:5] == list(range(5))
    assert status["missed_offsets"] == offsets[-1] + 1 - len(offsets) > 0


@pytest.mark.slow
@pytest.mark.parametrize("version", OLDER)
def test_every_release_is_recorded_byte_for_byte(version: str, tmp_path: Path) -> None:
    """With and without topic ids, leader epochs and the requests of today."""
    with running(available(version), tmp_path / "cluster") as cluster:
        clients = Clients(cluster, tmp_path / "clients")
        Commands(cluster, tmp_path / "commands").create_topic(TOPIC, PARTITIONS)
        clients.produce(TOPIC, PARTITIONS, 40)
        clients.commit(READERS, {(TOPIC, 0): 5})
        clients.transact(EXACTLY_ONCE, {(TOPIC, 1): 6}, "commit", "first", LONGEST_TRANSACTION_MS)
        done = record_once(cluster.bootstrap, tmp_path / "rec", "--headers", TOPIC)
        assert done.returncode == 0, done.stderr
        clients.commit(READERS, {(TOPIC, 0): 7})
        assert record_once(cluster.bootstrap, tmp_path / "rec", "--headers", TOPIC).returncode == 0
        assert recorded(tmp_path / "rec") == recorded(cluster.broker.node.logs)
        assert len(recorded(tmp_path / "rec")) > 1


@pytest.mark.slow
def test_a_recorder_that_logs_in_shows_its_password_nowhere(tmp_path: Path) -> None:
    """Not in the process list, in what it says, or in any file; without rights it is refused in one sentence."""
    with running(available(NEWEST), tmp_path / "cluster") as cluster:
        Commands(cluster, tmp_path / "commands").create_topic(TOPIC, PARTITIONS)
        Clients(cluster, tmp_path / "clients").commit(READERS, {(TOPIC, 0): 1})
        guards = restart_guarded(cluster.broker, tmp_path)
        auditor, stranger = tmp_path / "auditor.properties", tmp_path / "nobody.properties"
        auditor.write_text(login_settings("auditor", SECRET))
        stranger.write_text(login_settings("nobody", SECRET))
        refused = record_once(guards.login, tmp_path / "refused", "--client-config", str(stranger))
        assert (refused.returncode, SECRET in refused.stderr) == (2, False)
        assert "Lagbook needs Describe and Read on it" in refused.stderr
        with recording(guards.login, tmp_path / "rec", "--client-config", str(auditor)) as recorder:
            recorder.wait_for(recorded(cluster.broker.node.logs))
            assert SECRET not in Path(f"/proc/{recorder.process.pid}/cmdline").read_text()
            assert recorder.stop() == 0
            assert SECRET not in recorder.output
        written = b"".join(path.read_bytes() for path in (tmp_path / "rec").rglob("*") if path.is_file())
        assert SECRET.encode() not in written


@pytest.mark.slow
def test_a_recorder_on_a_full_disk_says_so_and_goes_on_when_there_is_room(tmp_path: Path) -> None:
    """The system takes no more bytes into a file, as on a disk that is full; the broker notices nothing."""
    with running(available(NEWEST), tmp_path / "cluster") as cluster:
        clients = Clients(cluster, tmp_path / "clients")
        Commands(cluster, tmp_path / "commands").create_topic(TOPIC, PARTITIONS)
        clients.commit(READERS, {(TOPIC, 0): 0})
        with recording(cluster.bootstrap, tmp_path / "rec") as recorder:
            recorder.wait_for(recorded(cluster.broker.node.logs))
            largest = max(path.stat().st_size for path in (tmp_path / "rec").rglob("*") if path.is_file())
            limits = resource.prlimit(recorder.process.pid, resource.RLIMIT_FSIZE)
            resource.prlimit(recorder.process.pid, resource.RLIMIT_FSIZE, (largest + 2000, limits[1]))
            while max(map(len, recorded(cluster.broker.node.logs).values())) < 2 * largest + 2000:
                clients.commit(READERS, {(TOPIC, partition): 1 for partition in range(PARTITIONS)})
            wait_until(lambda: "File too large" in recorder.status["sentence"], "the recorder to run out of room")
            assert recorder.status["is_healthy"] is False
            resource.prlimit(recorder.process.pid, resource.RLIMIT_FSIZE, limits)
            recorder.wait_for(recorded(cluster.broker.node.logs))
            wait_until(lambda: recorder.status["is_healthy"], "the recorder to be well again")
            assert recorder.stop() == 0
