"""The history that a source needs at least: a topic, and a group that has read it once and left.

Put here what several tests of a running cluster begin with. What they add is theirs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.broker.clients import Clients
from tests.broker.commands import Commands

if TYPE_CHECKING:
    from pathlib import Path

    from tests.broker.cluster import Cluster

TOPIC: Final = "orders"
PARTITIONS: Final = 3
RECORDS: Final = 40
READERS: Final = "readers"


def let_a_group_read(cluster: Cluster, folder: Path) -> tuple[Clients, Commands]:
    """Write 40 records to each of three partitions, and let a group read and commit all of them and go."""
    clients, commands = Clients(cluster, folder / "clients"), Commands(cluster, folder / "commands")
    commands.create_topic(TOPIC, PARTITIONS)
    clients.produce(TOPIC, PARTITIONS, RECORDS)
    member = clients.member(READERS, TOPIC, commit="after")
    member.wait_for(PARTITIONS * RECORDS)
    member.stop()
    commands.wait_until_empty(READERS)
    return clients, commands
