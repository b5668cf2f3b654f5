"""Running clusters of other kinds as a source: of older releases, of three brokers, under traffic and restarts."""

from __future__ import annotations

from threading import Timer
from typing import TYPE_CHECKING, Final

import pytest

from assets.ingest.live.access import Access
from assets.ingest.live.cluster import LiveCluster
from assets.ingest.live.samples import SAMPLES, sample
from assets.ingest.plan import Sources
from assets.storage.warehouse import Warehouse
from tests.broker.clients import Clients
from tests.broker.cluster import running
from tests.broker.commands import Commands
from tests.broker.conftest import available
from tests.broker.reader import RECORDS_TABLE, read, rows
from tests.broker.releases import ADMINISTRABLE, NEWEST, RELEASES
from tests.broker.settings import LONGEST_TRANSACTION_MS

if TYPE_CHECKING:
    from pathlib import Path

TOPIC: Final = "orders"
PARTITIONS: Final = 3
RECORDS: Final = 40
READERS: Final = "readers"
EXACTLY_ONCE: Final = "exactly-once"
OLDER: Final = [version for version, release in RELEASES.items() if release.since(ADMINISTRABLE) and version != NEWEST]
"""Releases that the commands of these tests speak to; 1.1 and older have no cluster id in their files."""


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    """An empty warehouse."""
    return Warehouse(str(tmp_path / "warehouse"))


@pytest.mark.slow
@pytest.mark.parametrize("version", OLDER)
def test_every_release_gives_the_rows_of_its_files(version: str, warehouse: Warehouse, tmp_path: Path) -> None:
    """Brokers with and without ZooKeeper, topic ids and leader epochs; what one does not say is NULL."""
    with running(available(version), tmp_path / "cluster") as cluster:
        clients = Clients(cluster, tmp_path / "clients")
        Commands(cluster, tmp_path / "commands").create_topic(TOPIC, PARTITIONS)
        clients.produce(TOPIC, PARTITIONS, RECORDS)
        clients.commit(READERS, {(TOPIC, 0): 5})
        clients.transact(EXACTLY_ONCE, {(TOPIC, 1): 6}, "commit", "first", LONGEST_TRANSACTION_MS)
        access = Access(cluster.bootstrap)
        read(warehouse, Sources((), live=access))
        sample(warehouse, access, None)
        with LiveCluster(access) as live:
            name = live.cluster_id()
        logs = cluster.broker.copy_logs(tmp_path / "copy")
    from_files = Warehouse(str(tmp_path / "from-files"))
    assert read(from_files, Sources((str(logs),), name)) == 3
    assert rows(warehouse, RECORDS_TABLE).equals(rows(from_files, RECORDS_TABLE))
    samples = [row for row in rows(warehouse, SAMPLES).to_pylist() if row["topic"] == TOPIC]
    assert [(row["log_start_offset"], row["high_watermark"]) for row in samples] == [(0, RECORDS)] * PARTITIONS


@pytest.mark.slow
@pytest.mark.usefixtures("endless_patience")
def test_reads_beside_consumers_and_restarts_lose_and_double_nothing(warehouse: Warehouse, tmp_path: Path) -> None:
    """Members commit every poll, the broker is killed and comes back; in the end the rows are those of its files."""
    with running(available(NEWEST), tmp_path / "cluster") as cluster:
        clients, access = Clients(cluster, tmp_path / "clients"), Access(cluster.bootstrap)
        commands = Commands(cluster, tmp_path / "commands")
        commands.create_topic(TOPIC, PARTITIONS)
        producer = clients.start_producing(TOPIC, PARTITIONS, 400, 20)
        members = [
            clients.member(f"group-{number}", TOPIC, commit="after", settings={"max.poll.records": "3"})
            for number in range(2)
        ]
        for number in range(6):
            members[0].wait_for(40 * number + 1)
            if number == 3:
                cluster.broker.kill()
                Timer(1.0, cluster.broker.launch).start()
            read(warehouse, Sources((), live=access))
        for member in members:
            member.stop()
        producer.stop()
        for number in range(2):
            commands.wait_until_empty(f"group-{number}")
        read(warehouse, Sources((), live=access))
        logs = cluster.broker.copy_logs(tmp_path / "copy")
    from_files = Warehouse(str(tmp_path / "from-files"))
    read(from_files, Sources((str(logs),)))
    assert rows(warehouse, RECORDS_TABLE).equals(rows(from_files, RECORDS_TABLE))
    reads = rows(warehouse, "raw.segments").num_rows
    assert rows(warehouse, RECORDS_TABLE).num_rows > reads > 5


@pytest.mark.slow
@pytest.mark.usefixtures("endless_patience")
def test_every_leader_is_asked_for_its_own_and_a_moved_one_is_found(warehouse: Warehouse, tmp_path: Path) -> None:
    """Three brokers share the offsets topic; one is killed, and what it led is read from who leads it then.

    A commit that the killed broker took and could not answer comes a second time, so there may be more than twelve.
    """
    with running(available(NEWEST), tmp_path / "cluster", brokers=3) as cluster:
        clients, access = Clients(cluster, tmp_path / "clients"), Access(cluster.bootstrap)
        Commands(cluster, tmp_path / "commands").create_topic(TOPIC, PARTITIONS)
        for number in range(12):
            clients.commit(f"group-{number}", {(TOPIC, 0): number})
        assert read(warehouse, Sources((), live=access)) == 12
        leaders = set(rows(warehouse, "raw.segments")["broker_id"].to_pylist())
        assert len(leaders) > 1
        partition_count, _ = sample(warehouse, access, None)
        assert partition_count > PARTITIONS
        cluster.numbered(min(leaders)).kill()
        for number in range(12):
            clients.commit(f"group-{number}", {(TOPIC, 0): number + 1})
        assert read(warehouse, Sources((), live=access)) >= 12
        assert read(warehouse, Sources((), live=access)) == 0
        alive = [broker for broker in cluster.brokers if broker.running]
        copies = tuple(str(broker.copy_logs(tmp_path / f"copy-{broker.node.number}")) for broker in alive)
    assert read(warehouse, Sources(copies)) == 0
    from_files = Warehouse(str(tmp_path / "from-files"))
    read(from_files, Sources(copies))
    assert rows(warehouse, RECORDS_TABLE).equals(rows(from_files, RECORDS_TABLE))
