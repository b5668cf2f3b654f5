"""Groups that have offsets and no record, held against what Kafka's own command says of their state."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import pytest

from tests.broker.book import Book
from tests.broker.clients import Clients
from tests.broker.cluster import running
from tests.broker.commands import Commands
from tests.broker.conftest import available
from tests.broker.releases import BRIDGE, NEWEST
from tests.broker.waiting import epoch_ms

if TYPE_CHECKING:
    from pathlib import Path

TOPIC: Final = "orders"
LONE, BACK, WITHOUT, REMOVED = "lone", "back", "without", "removed"
"""Only ever committed; removed as a member's group and then set again; its offsets deleted; removed and left so."""
STATE: Final = re.compile(r"\s(Empty|Dead)\s+0\s*$", re.MULTILINE)


@pytest.mark.slow
@pytest.mark.parametrize("version", [NEWEST, BRIDGE])
def test_their_state_is_what_the_command_says(tmp_path: Path, version: str) -> None:
    """Empty, by both coordinators; a group of which nothing is left is told to be dead, or is not told at all."""
    with running(available(version), tmp_path / "cluster") as cluster:
        clients, commands = Clients(cluster, tmp_path / "clients"), Commands(cluster, tmp_path / "commands")
        commands.create_topic(TOPIC, 1)
        clients.produce(TOPIC, 1, 10)
        for group in (BACK, REMOVED):
            member = clients.member(group, TOPIC, commit="after")
            member.wait_for(10)
            member.stop()
            commands.wait_until_empty(group)
            commands.delete_group(group)
        for group in (LONE, WITHOUT):
            clients.commit(group, {(TOPIC, 0): 4})
        commands.delete_offsets(WITHOUT, TOPIC)
        between_ms = epoch_ms()
        commands.reset(BACK, TOPIC, "--to-offset", "5")
        states = {group: STATE.search(commands.state(group)) for group in (LONE, BACK)}
        logs = cluster.broker.copy_logs(tmp_path / "copy")
    assert {group: match and match[1] for group, match in states.items()} == {LONE: "Empty", BACK: "Empty"}
    book = Book(tmp_path / "warehouse")
    book.run(logs)
    query = "SELECT group_id, state FROM group_states_at(make_timestamptz(? * 1000)) WHERE state <> 'Dead'"
    assert book.query(query, between_ms) == [(LONE, "Empty")]
    now = dict(book.query("SELECT group_id, state FROM group_states_at('infinity')"))
    assert (now[LONE], now[BACK], now[REMOVED]) == ("Empty", "Empty", "Dead")
    assert now.get(WITHOUT) in (None, "Dead")
