"""Lagbook on the log directories of three brokers of one cluster, one of which was killed and came back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.broker.book import Book, answered, standing_of
from tests.broker.clients import Clients
from tests.broker.cluster import running
from tests.broker.commands import Commands
from tests.broker.conftest import available
from tests.broker.releases import NEWEST
from tests.broker.waiting import wait_until

if TYPE_CHECKING:
    from pathlib import Path

GROUP = "survivors"
TOPIC = "payments"
PARTITIONS = 3
RECORDS = 30


@pytest.mark.slow
def test_a_killed_broker_changes_no_answer(tmp_path: Path) -> None:
    """Its copy and the others' make one history: no record twice, and the broker's own offsets, ends and lag."""
    with running(available(NEWEST), tmp_path / "cluster", brokers=3) as cluster:
        clients, commands = Clients(cluster, tmp_path / "clients"), Commands(cluster, tmp_path / "commands")
        commands.create_topic(TOPIC, PARTITIONS)
        clients.produce(TOPIC, PARTITIONS, RECORDS)
        member = clients.member(GROUP, TOPIC, commit="after")
        member.wait_for(PARTITIONS * RECORDS)
        victim = cluster.brokers[-1]
        victim.kill()
        clients.produce(TOPIC, PARTITIONS, RECORDS)
        wait_until(lambda: len(set(member.processed)) == 2 * PARTITIONS * RECORDS, "the rest")
        victim.restart()
        member.stop()
        commands.wait_until_empty(GROUP)
        described = commands.describe(GROUP)
        copies = [broker.copy_logs(tmp_path / f"copy-{broker.node.number}") for broker in cluster.brokers]
    book = Book(tmp_path / "warehouse")
    book.run(*copies)
    records = book.query("SELECT log_partition, log_offset FROM raw.offset_records")
    assert len(records) == len(set(records)) > 0
    assert answered(book.describe()) == standing_of(described)
    assert len(book.query("SELECT DISTINCT broker_id FROM raw.segments")) == 3
