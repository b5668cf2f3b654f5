"""A warehouse and Lagbook's own command, and how its answers compare with those of Kafka's.

Filling and asking belongs here. What a broker is and says is in `cluster` and `commands`.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import duckdb
from click.testing import CliRunner

from assets.storage.warehouse import Warehouse
from dagster_project.cli.main import main
from dagster_project.cli.questions.answers import open_file
from dagster_project.cli.questions.group_views.states import state_rows
from tests.broker.commands import assigned
from tests.whole_run import whole_run

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tests.broker.commands import Row

ROOT: Final = Path(__file__).parents[2]

STANDING: Final = """
SELECT topic, partition, current_offset, log_end_offset, lag
FROM lag_at(make_timestamp(?::BIGINT * 1000)) WHERE group_id = ?
"""
MEMBERS: Final = """
SELECT member_id, group_instance_id, client_host, client_id, assigned
FROM members_at(make_timestamp(?::BIGINT * 1000)) WHERE group_id = ?
"""
OWNERS: Final = """
SELECT partition, client_id FROM owner_at(make_timestamp(?::BIGINT * 1000)) WHERE group_id = ?
"""

GENERATIONS: Final = """
SELECT client_id, count(DISTINCT generation) FROM core.members WHERE group_id = ? GROUP BY client_id
"""

STATE: Final = ("coordinator_id", "assignment_strategy", "state", "member_count")
STATE_PRINTED: Final = re.compile(
    r":\d+ +\((?P<coordinator>\d+)\) +(?P<strategy>\S+) +(?P<state>\S+) +(?P<members>\d+)"
)
"""A line of `kafka-consumer-groups --describe --state`."""

Standing = dict[tuple[str, str, int], tuple[int | None, int | None, int | None]]
"""By group, topic and partition: current offset, log end and lag; None where there is none."""

Membership = tuple[str, str | None, str, str, frozenset[tuple[str, int]]]
"""Member, instance (None for a dynamic one), host, client, and the topics and partitions it was assigned."""


@dataclass(frozen=True)
class Book:
    """A warehouse, and the command that fills and asks it."""

    warehouse: Path

    def run(self, *logs: Path, cluster: str | None = None) -> None:
        """Read log directories; `cluster` is what those are called that name none, as those before 2.4 do."""
        done = whole_run(self.warehouse, logs, *(("--cluster", cluster) if cluster else ()))
        assert done.exit_code == 0, done.stderr

    def describe(self, at_ms: int | None = None) -> list[dict[str, Any]]:
        """What `lagbook describe` says of every group, now or at an instant."""
        at = ("--at", str(at_ms)) if at_ms else ()
        rows: list[dict[str, Any]] = json.loads(self._ask("describe", "--all-groups", "--json", *at))
        return rows

    def query(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """Ask the DuckDB file; values stand for the question marks."""
        with duckdb.connect(str(self.warehouse / "lagbook.duckdb"), read_only=True) as connection:
            return connection.execute(sql, values).fetchall()

    def standing(self, group: str, at_ms: int) -> Standing:
        """Offsets, log ends and lag of a group at an instant."""
        rows = self.query(STANDING, at_ms, group)
        return {(group, topic, partition): (current, end, lag) for topic, partition, current, end, lag in rows}

    def members(self, group: str, at_ms: int) -> set[Membership]:
        """Member, instance, host, client and assigned partitions of a group at an instant."""
        rows = self.query(MEMBERS, at_ms, group)
        return {(member, name, host, client, frozenset(_places(places))) for member, name, host, client, places in rows}

    def owners(self, group: str, at_ms: int) -> dict[int, str]:
        """The client that owned each partition of a group's only topic at an instant."""
        return dict(self.query(OWNERS, at_ms, group))

    def generations_of_members(self, group: str) -> dict[str, int]:
        """In how many generations of a classic group each client was a member."""
        return dict(self.query(GENERATIONS, group))

    def states(self, group: str, at_ms: int) -> list[tuple[int | None, str | None, str | None, int | None]]:
        """Coordinator, assignment strategy, state and members of a group at an instant."""
        instant = datetime.fromtimestamp(at_ms / 1000, timezone.utc)
        with open_file(Warehouse(str(self.warehouse))) as answers:
            rows = state_rows(answers, [group], instant, None)
        return [tuple(row[name] for name in STATE) for row in rows]

    def describe_members(self, group: str, at_ms: int) -> list[Row]:
        """What `lagbook describe --members --verbose` prints of a group at an instant, by the heading."""
        words = ("describe", group, "--members", "--verbose", "--at", str(at_ms), "--warehouse", str(self.warehouse))
        done = CliRunner().invoke(main, words)
        assert done.exit_code == 0, done.output
        head, *lines = (re.split(r" {2,}", line) for line in done.stdout.splitlines())
        return [dict(zip(head, line, strict=True)) for line in lines]

    def _ask(self, *words: str) -> str:
        command = [sys.executable, "-m", "dagster_project.cli", *words, "--warehouse", str(self.warehouse)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout


def _places(assigned: Iterable[dict[str, Any]] | None) -> Iterator[tuple[str, int]]:
    return ((one["topic"], partition) for one in assigned or () for partition in one["partitions"])


def members_in(rows: Iterable[Row], topic: str) -> set[Membership]:
    """What kafka-consumer-groups printed of members; `topic` is the one that its release of 3.9 leaves unnamed."""
    return {
        (
            row["CONSUMER-ID"],
            None if row.get("GROUP-INSTANCE-ID", "-") == "-" else row["GROUP-INSTANCE-ID"],
            row["HOST"],
            row["CLIENT-ID"],
            frozenset(assigned(row.get("CURRENT-ASSIGNMENT") or row["ASSIGNMENT"], topic)),
        )
        for row in rows
    }


def state_in(printed: str) -> tuple[int, str | None, str, int]:
    """What kafka-consumer-groups printed of a group's state: coordinator, assignment strategy, state, members."""
    match = STATE_PRINTED.search(printed)
    assert match, printed
    strategy = None if match["strategy"] == "-" else match["strategy"]
    return int(match["coordinator"]), strategy, match["state"], int(match["members"])


def standing_of(rows: Iterable[Row]) -> Standing:
    """What kafka-consumer-groups printed."""
    return {
        (row["GROUP"], row["TOPIC"], int(row["PARTITION"])): (
            _number(row["CURRENT-OFFSET"]),
            _number(row["LOG-END-OFFSET"]),
            _number(row["LAG"]),
        )
        for row in rows
    }


def _number(cell: str) -> int | None:
    return None if cell == "-" else int(cell)


def answered(rows: Iterable[dict[str, Any]]) -> Standing:
    """What `lagbook describe` answered."""
    return {
        (row["group_id"], row["topic"], row["partition"]): (row["current_offset"], row["log_end_offset"], row["lag"])
        for row in rows
    }
