"""One day of a broker, short but with everything in it that a first test asks for, and what was said meanwhile.

What happens, in which order, belongs here. What must be true of it is in the tests.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tests.broker.clients import Clients
from tests.broker.commands import Commands, offsets_records
from tests.broker.settings import EAGER_CLEANER, LONGEST_TRANSACTION_MS
from tests.broker.waiting import at_rest, wait_until

if TYPE_CHECKING:
    from pathlib import Path

    from tests.broker.clients import Member
    from tests.broker.cluster import Cluster
    from tests.broker.commands import Row

TOPIC: Final = "orders"
PARTITIONS: Final = 3
FIRST: Final = 40
SECOND: Final = 25
RESET_TO: Final = 10

READERS: Final = "readers"
EXACTLY_ONCE: Final = "exactly-once"
"""The groups; of the offsets partitions they live in different ones, so an open transaction holds up no cleaner."""

CLEANER_RESTS_S: Final = 5
SMALL_POLLS: Final = {"max.poll.records": "5"}
"""A first commit doesn't tell where its reader began, so it must lie below what an admin sets back to."""


@dataclass(frozen=True)
class Answers:
    """What the broker answered at one instant, when nothing moved, and its log directory of that instant.

    `dumped` is what kafka-dump-log printed of the offsets topic there.
    """

    at_ms: int
    offsets: list[Row]
    logs: Path
    dumped: str

    @property
    def records(self) -> set[tuple[int, int]]:
        """Partition and offset of every record of the offsets topic."""
        return offsets_records(self.dumped)


@dataclass(frozen=True)
class Story:
    """The day: while two members read, after an admin reset and transactions, after the cleaner.

    `members` are those that the broker knew while two read; `processed` is partition and offset of every record that a
    member processed, as often as it was.
    """

    members: list[Row]
    reading: Answers
    reset: Answers
    cleaned: Answers
    processed: list[tuple[int, int]]


def play(cluster: Cluster, folder: Path) -> Story:
    """Live through the day."""
    clients, commands = Clients(cluster, folder / "clients"), Commands(cluster, folder / "commands")
    commands.create_topic(TOPIC, PARTITIONS)
    clients.produce(TOPIC, PARTITIONS, FIRST)
    members = _read(clients)
    known, reading = commands.members(READERS), _ask(cluster, commands, folder / "reading")
    for member in members:
        member.stop()
    members.append(_reset(clients, commands))
    clients.commit(EXACTLY_ONCE, {(TOPIC, 0): 5, (TOPIC, 2): 6})
    _transact(clients)
    reset = _ask(cluster, commands, folder / "reset")
    _clean(cluster, clients)
    cleaned = _ask(cluster, commands, folder / "cleaned")
    processed = [record for member in members for record in member.processed]
    return Story(known, reading, reset, cleaned, processed)


def _ask(cluster: Cluster, commands: Commands, to: Path) -> Answers:
    """Note what the broker says now, when nothing moves, and copy its logs while it runs."""
    _, at_ms, offsets = at_rest(commands.describe, "all groups")
    logs = cluster.broker.copy_logs(to)
    return Answers(at_ms, offsets, logs, commands.dump_offsets(logs))


def _read(clients: Clients) -> list[Member]:
    """Two members share the topic and read all of it."""
    first = clients.member(READERS, TOPIC, commit="after", settings=SMALL_POLLS)
    first.wait_for_partitions()
    second = clients.member(READERS, TOPIC, commit="after", settings=SMALL_POLLS)
    second.wait_for_partitions()
    clients.produce(TOPIC, PARTITIONS, 1)
    members = [first, second]
    wait_until(lambda: _distinct(members) == PARTITIONS * (FIRST + 1), "two members to read everything")
    return members


def _distinct(members: list[Member]) -> int:
    return len({record for member in members for record in member.processed})


def _reset(clients: Clients, commands: Commands) -> Member:
    """An admin sets the group back, which a broker refuses while it has members; then one reads it all again."""
    commands.wait_until_empty(READERS)
    commands.reset(READERS, TOPIC, "--to-offset", str(RESET_TO))
    clients.produce(TOPIC, PARTITIONS, SECOND)
    member = clients.member(READERS, TOPIC, commit="after", settings=SMALL_POLLS)
    member.wait_for(PARTITIONS * (FIRST + 1 + SECOND - RESET_TO))
    member.stop()
    return member


def _transact(clients: Clients) -> None:
    """Offsets in transactions: one committed, one aborted over it, one left open over another partition."""
    clients.transact(EXACTLY_ONCE, {(TOPIC, 0): 12, (TOPIC, 1): 13}, "commit", "first", LONGEST_TRANSACTION_MS)
    clients.transact(EXACTLY_ONCE, {(TOPIC, 0): 30}, "abort", "second", LONGEST_TRANSACTION_MS)
    clients.transact(EXACTLY_ONCE, {(TOPIC, 2): 33}, "open", "third", LONGEST_TRANSACTION_MS)


def _clean(cluster: Cluster, clients: Clients) -> None:
    """Let the cleaner go over the log of the reading group, which a commit of what stood already makes it roll."""
    cluster.broker.restart(**EAGER_CLEANER)
    end = FIRST + 1 + SECOND
    clients.commit(READERS, {(TOPIC, partition): end for partition in range(PARTITIONS)})
    wait_until(lambda: cluster.broker.cleaner_rests(CLEANER_RESTS_S), "the cleaner to finish")
