"""Lagbook on consumers that keep their offsets in ZooKeeper, against what Kafka's own command says of them."""

from __future__ import annotations

import shutil
import time
from typing import TYPE_CHECKING

import pytest

from tests.broker.book import Book
from tests.broker.clients import Clients
from tests.broker.cluster import free_ports, running, tied
from tests.broker.commands import Commands
from tests.broker.conftest import available
from tests.broker.jvm import Program
from tests.broker.old_consumers import RELEASE, OldConsumers
from tests.broker.settings import HOST, KEEPER, write_properties
from tests.broker.waiting import epoch_ms, wait_until

if TYPE_CHECKING:
    from pathlib import Path

TOPIC = "orders"
PARTITIONS = 3
GONE_S = 5
"""After so long ZooKeeper has noticed that a consumer is gone."""
LATER = "2.8.2"
"""A release with ZooKeeper 3.5, which goes on with the files of 3.4."""
TRUSTING = {"snapshot.trust.empty": "true"}
"""ZooKeeper since 3.5 goes on with logs without a snapshot only if it is told so."""
OFFSET = "/consumers/readers/offsets/orders/0"
OWNERS = """
    SELECT partition, member_id FROM owner_at(epoch_ms({}::BIGINT)::TIMESTAMPTZ) WHERE group_id = 'readers'
"""
STATES = """
    SELECT DISTINCT state, member_count FROM core.group_states WHERE state IS NOT NULL AND is_gap_free ORDER BY ALL
"""
ENDS = "SELECT DISTINCT end_reason FROM core.ownership ORDER BY ALL"
SET_BACK = """
    SELECT
        r.partition, r.actor, s.state, r.cause, r.certainty,
        if(r.certain_from = 10, 20, r.certain_from) AS certain_from, r.certain_to
    FROM mart.replays AS r
    ASOF JOIN core.group_states AS s
        ON s.cluster = r.cluster AND s.group_id = r.group_id AND s.log_offset < r.log_offset
    WHERE r.kind = 'set_back' ORDER BY ALL
"""
"""The first commit of a partition is of 0 or of 20, as it happens: what lies behind it was declared to be read."""
COMMITTERS = """
    SELECT actor, if(actor = 'owner', NULL, count(*)) FROM core.commits WHERE group_id = 'readers'
    GROUP BY actor ORDER BY ALL
"""
HISTORY = """
    SELECT kind, previous_offset, committed_offset FROM core.commits
    WHERE group_id = 'readers' AND partition = 0 ORDER BY log_offset
"""


@pytest.mark.slow
def test_offsets_in_zookeeper_are_those_that_kafka_says(tmp_path: Path) -> None:
    """Of a group that was killed and set back by hand, and of one that was deleted; also when ZooKeeper restarted."""
    with running(available(RELEASE), tmp_path / "cluster", 1) as cluster:
        clients, commands = Clients(cluster, tmp_path / "clients"), Commands(cluster, tmp_path / "commands")
        old = OldConsumers(cluster, tmp_path)
        commands.create_topic(TOPIC, PARTITIONS)
        clients.produce(TOPIC, PARTITIONS, 40)
        old.wait_for(first := old.start("readers", TOPIC), 40 * PARTITIONS)
        first.kill()
        old.set("readers", TOPIC, 0, 10)
        clients.produce(TOPIC, PARTITIONS, 20)
        time.sleep(GONE_S)
        old.wait_for(second := old.start("readers", TOPIC, is_new=False), 20 * PARTITIONS + 30)
        second.stop()
        old.wait_for(gone := old.start("gone", TOPIC), 60 * PARTITIONS)
        gone.stop()
        time.sleep(GONE_S)
        old.delete("gone")
        clients.produce(TOPIC, PARTITIONS, 5)
        described, at_ms = old.described("readers"), epoch_ms()
        files = old.copy_files(tmp_path / "copy" / "zookeeper")
        logs = cluster.broker.copy_logs(tmp_path / "copy" / "logs")
    book = Book(tmp_path / "warehouse")
    book.run(logs, files)
    assert book.standing("readers", at_ms) == {("readers", *key): row for key, row in described.items()} != {}
    assert book.standing("gone", at_ms) == {}
    history = book.query(HISTORY)
    assert (history[0][0], ("rewind", 40, 10) in history, history[-1][2]) == ("first", True, 60)
    restarted = _restarted(shutil.copytree(files, tmp_path / "restarted"), tmp_path)
    assert len({path.name.partition(".")[0] for path in (restarted / "version-2").iterdir()} & {"log", "snapshot"}) == 2
    book.run(logs, restarted)
    assert book.query(HISTORY) == [*history, ("rewind", 60, 50)]
    assert book.query("SELECT count(*) FROM raw.quarantine") == [(0,)]


@pytest.mark.slow
def test_members_in_zookeeper_are_those_that_kafka_names(tmp_path: Path) -> None:
    """Who owned what while it ran; what an admin sets while nobody is there, and while somebody is; who was killed."""
    with running(available(RELEASE), tmp_path / "cluster", 1) as cluster:
        clients, commands = Clients(cluster, tmp_path / "clients"), Commands(cluster, tmp_path / "commands")
        old = OldConsumers(cluster, tmp_path)
        commands.create_topic(TOPIC, PARTITIONS)
        clients.produce(TOPIC, PARTITIONS, 20)
        old.wait_for(first := old.start("readers", TOPIC), 20 * PARTITIONS)
        clients.produce(TOPIC, PARTITIONS, 20)
        old.wait_for(first, 40 * PARTITIONS)
        alone, alone_ms = old.owners("readers"), epoch_ms()
        first.stop()
        old.set("readers", TOPIC, 0, 10)
        old.start("readers", TOPIC, is_new=False, records=15).wait(120)
        old.wait_for(second := old.start("readers", TOPIC, is_new=False), 15)
        third = old.start("readers", TOPIC, is_new=False)
        wait_until(lambda: len(set(old.owners("readers").values())) == 2, "two owners")
        both, both_ms = old.owners("readers"), epoch_ms()
        clients.produce(TOPIC, PARTITIONS, 20)
        wait_until(lambda: {row[0] for row in old.described("readers").values()} == {60}, "all to be committed")
        old.set("readers", TOPIC, 1, 5)
        second.kill()
        third.kill()
        time.sleep(GONE_S)
        old.set("readers", TOPIC, 2, 20)
        gone_ms = epoch_ms()
        files = old.copy_files(tmp_path / "copy" / "zookeeper")
        logs = cluster.broker.copy_logs(tmp_path / "copy" / "logs")
    book = Book(tmp_path / "warehouse")
    book.run(logs, files)
    for owners, at_ms in ((alone, alone_ms), (both, both_ms), ({}, gone_ms)):
        assert dict(book.query(OWNERS.format(at_ms))) == owners
    assert (len(alone), len(set(both.values()))) == (PARTITIONS, 2)
    assert book.query(STATES) == [("Empty", 0), ("Stable", 1), ("Stable", 2)]
    assert book.query(ENDS) == [("expired",), ("left",), ("revoked",)]
    assert book.query(SET_BACK) == [
        (0, "admin", "Empty", "admin_reset", "proven", 20, 40),
        (1, "unknown", "Stable", "unknown", "possible", None, None),
        (2, "admin", "Empty", "admin_reset", "possible", None, None),
    ]
    assert book.query("SELECT kind, severity IS NOT NULL FROM mart.incidents WHERE group_id = 'readers'") == [
        ("replay", True)
    ]
    assert book.query(COMMITTERS) == [("admin", 2), ("owner", None), ("unknown", 1)]


def _restarted(data: Path, folder: Path) -> Path:
    """Have a later ZooKeeper go on with the files, and set an offset in it."""
    java = tied(available(LATER), 128, folder, "WARN")
    (port,) = free_ports(1)
    write_properties(folder / "zoo.cfg", {**KEEPER, **TRUSTING, "clientPort": str(port), "dataDir": str(data)})
    server = [*java, "org.apache.zookeeper.server.ZooKeeperServerMain", str(folder / "zoo.cfg")]
    program = Program(server, folder / "server.out", folder / "server.err")
    client = [*java, "org.apache.zookeeper.ZooKeeperMain", "-server", f"{HOST}:{port}"]

    def is_set() -> bool:
        """Set the offset once the server answers."""
        program = Program([*client, "set", OFFSET, "50"], folder / "client.out", folder / "client.err")
        return program.wait(60) == 0

    try:
        wait_until(is_set, "the offset to be set")
    finally:
        program.kill()
    return data
