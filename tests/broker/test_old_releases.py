"""Lagbook on the logs of releases that today's commands don't speak to: asked through a consumer, and dumped."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.broker.book import Book
from tests.broker.clients import Clients
from tests.broker.cluster import running
from tests.broker.commands import Commands, offsets_records
from tests.broker.conftest import available
from tests.broker.releases import ADMINISTRABLE, RELEASES
from tests.broker.settings import SELF_MADE_TOPICS
from tests.broker.waiting import epoch_ms

if TYPE_CHECKING:
    from pathlib import Path

GROUP = "readers"
SIMPLE = "simple"
TOPIC = "orders"
PARTITIONS = 3
RECORDS = 40
OLD = [version for version, release in RELEASES.items() if not release.since(ADMINISTRABLE)]


@pytest.mark.slow
@pytest.mark.parametrize("version", OLD)
def test_an_old_release_says_the_same(version: str, tmp_path: Path) -> None:
    """Committed offsets, log ends and lag of a group with members and of one without, and every record of the log."""
    with running(available(version), tmp_path / "cluster", 1, **SELF_MADE_TOPICS) as cluster:
        clients, commands = Clients(cluster, tmp_path / "clients"), Commands(cluster, tmp_path / "commands")
        clients.produce(TOPIC, PARTITIONS, RECORDS)
        member = clients.member(GROUP, TOPIC, commit="after", settings={"max.poll.records": "7"})
        member.wait_for(PARTITIONS * RECORDS)
        member.stop()
        clients.commit(SIMPLE, {(TOPIC, 0): 5, (TOPIC, 2): 7})
        committed = {group: clients.committed(group, TOPIC) for group in (GROUP, SIMPLE)}
        at_ms, logs = epoch_ms(), cluster.broker.copy_logs(tmp_path / "copy")
        dumped = offsets_records(commands.dump_offsets(logs))
    book = Book(tmp_path / "warehouse")
    book.run(logs)
    for group, partitions in committed.items():
        broker = {(group, TOPIC, number): (at, end, end - at) for number, (at, end) in partitions.items() if at}
        assert book.standing(group, at_ms) == broker != {}
    assert set(book.query("SELECT log_partition, log_offset FROM raw.offset_records")) == dumped
