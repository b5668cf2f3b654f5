"""A running cluster as a source, held against its own files and commands: while it works, restarted, and guarded.

What `lagbook run --bootstrap` reads and how it fails is tested here; one broker serves all of it, in this order. Other
clusters are in `test_live_clusters`.
"""

from __future__ import annotations

import json
import logging
import re
import subprocess
import sys
from dataclasses import dataclass
from threading import Timer
from typing import TYPE_CHECKING, Final

import pytest

from assets.ingest.broker_files.configuration_files import CONFIGURATIONS
from assets.ingest.broker_files.configurations import keep_configurations
from assets.ingest.live.access import Access
from assets.ingest.live.cluster import LiveCluster
from assets.ingest.live.reading import Fetcher
from assets.ingest.live.samples import SAMPLES, sample
from assets.ingest.plan import Sources, plan
from assets.ingest.work_units import LiveRead
from assets.storage.warehouse import Warehouse
from parsers.errors import SourceError
from parsers.files.discovery import OFFSETS_TOPIC
from parsers.files.setting_names import SETTINGS
from tests.broker.book import ROOT, Book, answered, standing_of
from tests.broker.cluster import running
from tests.broker.conftest import available
from tests.broker.first_reader import PARTITIONS, RECORDS, TOPIC, let_a_group_read
from tests.broker.guards import SECRET, Guards, login_settings, restart_guarded
from tests.broker.reader import RECORDS_TABLE, read, rows
from tests.broker.releases import NEWEST
from tests.broker.settings import LONGEST_TRANSACTION_MS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.broker.clients import Clients
    from tests.broker.cluster import Cluster
    from tests.broker.commands import Commands

EXACTLY_ONCE: Final = "exactly-once"


@dataclass(frozen=True)
class Scene:
    """A running cluster with a history, and a copy of its logs."""

    cluster: Cluster
    clients: Clients
    commands: Commands
    logs: Path

    @property
    def sources(self) -> Sources:
        """The running cluster."""
        return Sources((), live=Access(self.cluster.bootstrap))


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """Commits of a member, transactions committed, aborted and left open, and a commit behind the open one."""
    folder = tmp_path_factory.mktemp("live")
    with running(available(NEWEST), folder / "cluster") as cluster:
        clients, commands = let_a_group_read(cluster, folder)
        clients.transact(EXACTLY_ONCE, {(TOPIC, 0): 12, (TOPIC, 1): 13}, "commit", "first", LONGEST_TRANSACTION_MS)
        clients.transact(EXACTLY_ONCE, {(TOPIC, 0): 30}, "abort", "second", LONGEST_TRANSACTION_MS)
        clients.transact(EXACTLY_ONCE, {(TOPIC, 2): 33}, "open", "third", LONGEST_TRANSACTION_MS)
        clients.commit(EXACTLY_ONCE, {(TOPIC, 1): 20})
        yield Scene(cluster, clients, commands, cluster.broker.copy_logs(folder / "copy"))


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    """An empty warehouse."""
    return Warehouse(str(tmp_path / "warehouse"))


def ask(*words: str) -> subprocess.CompletedProcess[str]:
    """Call `lagbook` as a user does."""
    command = [sys.executable, "-m", "dagster_project.cli", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_a_run_answers_like_the_broker_and_the_next_finds_nothing_new(scene: Scene, tmp_path: Path) -> None:
    """Offsets, ends and lag are the command's own, behind an open transaction too; what is pending never shows."""
    words = ("run", "--bootstrap", scene.cluster.bootstrap, "--warehouse", str(tmp_path))
    done = ask(*words)
    assert done.returncode == 0, done.stderr
    book = Book(tmp_path)
    assert answered(book.describe()) == standing_of(scene.commands.describe())
    history = book.query(f"SELECT partition, committed_offset FROM core.commits WHERE group_id = '{EXACTLY_ONCE}'")  # noqa: S608
    assert sorted(history) == [(0, 12), (1, 13), (1, 20)]
    pending = book.query("SELECT count(*) FROM raw.offset_records WHERE is_transactional AND NOT is_control")
    assert pending == [(4,)]
    assert "Nothing is new" in ask(*words).stdout


def test_the_rows_are_those_of_the_files(scene: Scene, warehouse: Warehouse, tmp_path: Path) -> None:
    """Every column of every record: markers, producers, epochs. What both sources have is kept once."""
    from_files = Warehouse(str(tmp_path / "from-files"))
    assert read(warehouse, scene.sources) == read(from_files, Sources((str(scene.logs),))) > 0
    assert rows(warehouse, RECORDS_TABLE).equals(rows(from_files, RECORDS_TABLE))
    assert read(warehouse, Sources((str(scene.logs),))) == 0
    assert read(from_files, scene.sources) == 0


@pytest.mark.parametrize("topic", [TOPIC, OFFSETS_TOPIC])
def test_records_are_extracted_as_from_the_files(scene: Scene, tmp_path: Path, topic: str) -> None:
    """Those of aborted and open transactions are left out of both, and the summaries are the same."""
    needle = EXACTLY_ONCE.encode() if topic == OFFSETS_TOPIC else b""
    logs = sorted(scene.logs.rglob(f"{topic}-*/*.log"))
    partition = next(log.parent.name.rpartition("-")[2] for log in logs if needle in log.read_bytes())
    place = ("records", "--topic", topic, "--partition", partition)
    summaries, lines = [], []
    for source in (("--bootstrap", scene.cluster.bootstrap), ("--logs", str(scene.logs))):
        output = tmp_path / f"{source[0]}.jsonl"
        done = ask(*place, "--offsets", "0:", *source, "--to", str(output), "--json")
        assert done.returncode == (3 if topic == OFFSETS_TOPIC else 0), done.stderr
        summaries.append({**json.loads(done.stdout), "file": None})
        lines.append(output.read_bytes())
    assert lines[0] == lines[1] != b""
    assert summaries[0] == summaries[1]
    (span,) = summaries[0]["ranges"]
    assert (span["aborted"] > 0, span["undecided"] > 0) == (topic == OFFSETS_TOPIC, topic == OFFSETS_TOPIC)


def test_a_second_read_takes_what_came_in_between(scene: Scene, warehouse: Warehouse) -> None:
    """Consumers commit while it reads; each read goes on where the one before stopped."""
    first = read(warehouse, scene.sources)
    scene.clients.commit("third-group", {(TOPIC, 0): 1, (TOPIC, 1): 2})
    assert plan(warehouse, scene.sources).live is not None
    assert read(warehouse, scene.sources) == 2
    assert read(warehouse, scene.sources) == 0
    assert rows(warehouse, RECORDS_TABLE).num_rows == first + 2


def test_what_brokers_say_is_sampled_when_it_changed(scene: Scene, warehouse: Warehouse) -> None:
    """Every partition at first, then none, then the one that grew; log start, ends and topic ids are the command's."""
    access = Access(scene.cluster.bootstrap)
    partition_count, changes = sample(warehouse, access, None)
    assert partition_count == changes > PARTITIONS
    assert sample(warehouse, access, None) == (partition_count, 0)
    scene.commands.delete_records(TOPIC, {0: 7})
    assert sample(warehouse, access, None) == (partition_count, 1)
    last = rows(warehouse, SAMPLES).to_pylist()
    newest = next(row for row in reversed(last) if row["topic"] == TOPIC and row["partition"] == 0)
    assert (newest["log_start_offset"], newest["high_watermark"], newest["partition_count"]) == (7, RECORDS, PARTITIONS)
    assert newest["topic_id"] in (scene.logs / f"{TOPIC}-0" / "partition.metadata").read_text()
    behind = [row for row in last if (row["high_watermark"] or 0) > (row["last_stable_offset"] or 0)]
    assert [row["topic"] for row in behind] == ["__consumer_offsets"]


def test_what_is_set_is_asked_and_kept_when_it_changed(scene: Scene, warehouse: Warehouse) -> None:
    """What counts for the broker, defaults too; of a topic only what it has for itself; nothing that is a secret."""
    sources = scene.sources
    changes, complaints = keep_configurations(warehouse, sources)
    assert (changes > 0, complaints) == (True, ())
    read(warehouse, sources)
    configurations = rows(warehouse, CONFIGURATIONS).to_pylist()
    of_broker = {row["config_name"]: row["config_value"] for row in configurations if row["resource_type"] == "broker"}
    assert of_broker["offsets.retention.minutes"] == scene.cluster.broker.properties.get(
        "offsets.retention.minutes", "10080"
    )
    assert {"log.retention.hours", "group.consumer.session.timeout.ms"} <= of_broker.keys() <= SETTINGS
    assert keep_configurations(warehouse, sources) == (0, ())
    scene.commands.configure_topic(TOPIC, retention_ms="12345678")
    work = plan(warehouse, sources)
    assert work.live is not None
    assert work.live.are_settings_new
    assert keep_configurations(warehouse, sources) == (1, ())
    newest = rows(warehouse, CONFIGURATIONS).to_pylist()[-1]
    assert (newest["resource_name"], newest["config_name"], newest["config_value"]) == (
        *(TOPIC, "retention.ms"),
        "12345678",
    )


def test_no_group_is_joined_and_no_topic_made(scene: Scene, warehouse: Warehouse) -> None:
    """The cluster looks afterwards as it did before."""
    with LiveCluster(Access(scene.cluster.bootstrap)) as cluster:
        before = [topic.name for topic in cluster.topics()], {row["GROUP"] for row in scene.commands.describe()}
        assert cluster.topic("no-such-topic") is None
        read(warehouse, scene.sources)
        assert before == (
            [topic.name for topic in cluster.topics()],
            {row["GROUP"] for row in scene.commands.describe()},
        )


@pytest.mark.slow
@pytest.mark.usefixtures("endless_patience")
def test_a_broker_that_is_killed_in_the_middle_is_waited_for(scene: Scene, warehouse: Warehouse) -> None:
    """The read goes on with the same bytes when it is back."""
    longest = max(plan(warehouse, scene.sources).live_reads, key=lambda one: one.size_bytes)
    assert isinstance(longest, LiveRead)
    with Fetcher() as fetcher:
        before = fetcher.fetch(longest, 0)
        scene.cluster.broker.kill()
        back = Timer(0.5, scene.cluster.broker.launch)
        back.start()
        assert fetcher.fetch(longest, 0) == before
        back.join()


@dataclass(frozen=True)
class Turned:
    """Somebody who comes to a door with these settings, and what is said to him."""

    door: str
    settings: str
    message: str


@pytest.fixture(scope="module")
def guards(scene: Scene, tmp_path_factory: pytest.TempPathFactory) -> Guards:
    """The same broker, come back with listeners that ask who is there."""
    return restart_guarded(scene.cluster.broker, tmp_path_factory.mktemp("guards"))


@pytest.mark.slow
def test_who_logs_in_or_speaks_tls_reads(guards: Guards, warehouse: Warehouse, tmp_path: Path) -> None:
    """With the files of Kafka's own tools and of librdkafka; the cluster is the same by each of its doors."""
    known, safe = tmp_path / "login", tmp_path / "safe"
    known.write_text(login_settings("auditor", SECRET))
    safe.write_text(f"security.protocol=SSL\nssl.ca.location={guards.certificate}\n")
    assert read(warehouse, Sources((), live=Access(guards.login, str(known)))) > 0
    assert read(warehouse, Sources((), live=Access(guards.safe, str(safe)))) == 0


@pytest.mark.slow
def test_who_may_not_ask_for_settings_has_none(guards: Guards, warehouse: Warehouse, tmp_path: Path) -> None:
    """It is one sentence, and no failure."""
    config = tmp_path / "client.properties"
    config.write_text(login_settings("nobody", SECRET))
    sources = Sources((), live=Access(guards.login, str(config)))
    rows_new, (complaint,) = keep_configurations(warehouse, sources)
    assert rows_new == 0
    assert "1 brokers" in complaint
    assert SECRET not in complaint


@pytest.mark.slow
@pytest.mark.parametrize(
    "turned",
    [
        Turned(
            "login", login_settings("auditor", f"{SECRET}-wrong"), "mechanism may be wrong|Invalid username or password"
        ),
        Turned("login", login_settings("nobody", SECRET), "TopicAuthorizationFailedError; Lagbook needs Describe and"),
        Turned("login", "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=GSSAPI\n", "may be wrong|SaslMechanism"),
        Turned("login", "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=SCRAM-SHA-256\n", "can't be reached"),
        Turned("login", "", "it may want TLS or a login"),
        Turned("safe", "security.protocol=SSL\n", "certificate verify failed"),
        Turned("safe", "", "can't be reached"),
    ],
    ids=["wrong password", "no rights", "no kerberos", "no user", "no login", "unknown certificate", "no tls"],
)
def test_who_is_turned_away_gets_one_sentence(
    guards: Guards, tmp_path: Path, caplog: pytest.LogCaptureFixture, turned: Turned
) -> None:
    """It says why, and no secret, however much of their own the libraries are told to say."""
    config = tmp_path / "client.properties"
    config.write_text(turned.settings)
    access = Access(getattr(guards, turned.door), str(config), timeout_s=10)
    with caplog.at_level(logging.DEBUG), pytest.raises(SourceError) as refused:
        plan(Warehouse(str(tmp_path / "warehouse")), Sources((), live=access))
    # What the broker said comes through or is lost with the connection, whichever the client sees first.
    assert re.search(turned.message, str(refused.value))
    assert SECRET not in str(refused.value) + caplog.text


@pytest.mark.slow
def test_the_command_ends_with_two_when_it_is_turned_away(guards: Guards, tmp_path: Path) -> None:
    """One line on stderr, nothing on stdout, nothing built."""
    config = tmp_path / "client.properties"
    config.write_text(login_settings("nobody", SECRET))
    words = ("--bootstrap", guards.login, "--client-config", str(config), "--warehouse", str(tmp_path / "wh"))
    done = ask("run", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert SECRET not in done.stderr
    assert not (tmp_path / "wh").exists()
