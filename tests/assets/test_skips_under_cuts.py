"""Lives of many groups, made up at random: whatever the cleaner takes of their log, no certain skip was ever read.

Put here what a life is made of and what it did to offsets. What single claims say is tested in `test_skips`.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pytest

from assets import models
from assets.catalog import TABLES
from assets.transforms.coordinator import Coordinator
from tests.assets.transforms.made_groups import assignment, classic
from tests.assets.transforms.offsets_log import Log, Row, project

if TYPE_CHECKING:
    import duckdb

MIDNIGHT_MS: Final = 1_767_225_600_000
GROUPS: Final = 60
STEPS: Final = 1500
CERTAIN_LEAST: Final = 5
Claim = tuple[str, int, int, int | None, int | None]


class World:
    """The log of the offsets topic, the clock, and what is in the topics' logs."""

    def __init__(self, seed: int) -> None:
        """Begin at midnight with nothing."""
        self.chance = random.Random(seed)  # noqa: S311 - made-up lives
        self.now_ms = MIDNIGHT_MS
        self.rows: list[Row] = []
        self.batches: list[Row] = []

    def append(self, row: Row) -> None:
        """A record of the offsets topic."""
        (written,) = Log().add(**row).rows
        at = len(self.rows)
        self.rows.append(written | {"log_offset": at, "batch_base_offset": at, "timestamp_ms": self.now_ms})


class Life:
    """One group that reads a partition of its own."""

    def __init__(self, world: World, number: int) -> None:
        """Nobody is there, and nothing to be read."""
        self.world, self.number, self.name = world, number, f"g{number}"
        self.begins_late = number % 2 == 0
        self.end, self.at, self.generation, self.resets = 0, 0, 0, 0
        self.committed: int | None = None
        self.removed: int | None = None
        self.is_there = False
        self.read: set[int] = set()
        self.passed: set[int] = set()
        """Offsets that were gone past: by an admin, or by members that began at the log end."""
        self._behind: set[int] = set()

    def live(self) -> None:
        """Do one thing that can be done now."""
        self.world.now_ms += self.world.chance.randint(1, 5)
        steps = [self._produce, self._read, self._read, self._leave] if self.is_there else [self._produce, self._join]
        if not self.is_there and self.committed is not None:
            steps += [self._reset] * (1 + (self.number % 5 == 0) - self.resets) + [self._remove] * (
                self.world.chance.random() < 0.2
            )
        self.world.chance.choice(steps)()

    def _produce(self) -> None:
        count = self.world.chance.randint(1, 9)
        place = {"cluster": "c", "topic": "t", "partition": self.number, "base_offset": self.end}
        self.world.batches.append({**place, "last_offset": self.end + count - 1, "max_timestamp_ms": self.world.now_ms})
        self.end += count

    def _join(self) -> None:
        self.generation, self.is_there, self.resets = self.generation + 1, True, 0
        self.world.append(classic(self.generation, {"m": assignment(self.number)}, group=self.name))
        self.at = (self.end if self.begins_late else 0) if self.committed is None else self.committed
        if self.committed is None and self.removed is not None:
            self._behind = set(range(self.removed, self.at))

    def _read(self) -> None:
        to = min(self.end, self.at + self.world.chance.randint(1, 9))
        self.read |= set(range(self.at, to))
        self.at = to
        if self.world.chance.random() < 0.7:
            self._commit(to)

    def _commit(self, offset: int) -> None:
        self.world.append(Log().commit(offset, group_id=self.name, partition=self.number).rows[0])
        if self.removed is not None and offset > self.removed:
            self.passed |= self._behind
        self.committed, self.removed, self._behind = offset, None, set()

    def _leave(self) -> None:
        self.generation, self.is_there = self.generation + 1, False
        self.world.append(classic(self.generation, group=self.name))

    def _reset(self) -> None:
        before = self.committed or 0
        to = self.world.chance.randint(min(before, self.end) if self.world.chance.random() < 0.9 else 0, self.end)
        self.resets += 1
        self._commit(to)
        self.passed |= set(range(before, to))

    def _remove(self) -> None:
        self.world.append(Log().remove(group_id=self.name, partition=self.number).rows[0])
        self.removed, self.committed = self.committed, None


def lived(seed: int) -> tuple[World, list[Life]]:
    """Many groups, each doing something now and then."""
    world = World(seed)
    lives = [Life(world, number) for number in range(GROUPS)]
    for _ in range(STEPS):
        world.chance.choice(lives).live()
    return world, lives


def cleaned(world: World, to: int) -> Log:
    """What a pass of the cleaner up to a log offset leaves: of each key the last record, and not each removal."""
    last = {(row["record_type"], row["group_id"]): row["log_offset"] for row in world.rows[:to]}
    remainder = [row for row in world.rows[:to] if row["log_offset"] in last.values()]
    remainder = [row for row in remainder if not (row["is_tombstone"] and world.chance.random() < 0.5)]
    return Log((*remainder, *world.rows[to:]))


def claimed(database: duckdb.DuckDBPyConnection, world: World, log: Log) -> list[Claim]:
    """What is claimed by the log of the offsets topic, and all of the topics'."""
    place = {"cluster": "c", "log_partition": 7}
    tables = {**project(Coordinator, log), "raw.batches": world.batches}
    tables["core.group_states"] = tables["internal.recorded_group_states"]
    for name in ("core.commits", "core.generations", "core.group_states", "core.ownership", "raw.batches"):
        nullable = pa.schema([field.with_nullable(nullable=True) for field in TABLES[name].schema])
        database.register("rows", pa.Table.from_pylist([place | row for row in tables[name]], nullable))
        database.execute(f"DELETE FROM {name}; INSERT INTO {name} BY NAME FROM rows")  # noqa: S608 - our own names
        database.unregister("rows")
    columns = "group_id, possible_from, possible_to, certain_from, certain_to"
    return database.sql(f"SELECT {columns} FROM ({models.select('skips')})").fetchall()  # noqa: S608 - our own names


@pytest.mark.parametrize("seed", range(3))
def test_all_that_was_passed_over_and_never_read_lies_in_a_possible_range(
    database: duckdb.DuckDBPyConnection, seed: int
) -> None:
    """And the claims are not few, nor all of them certain."""
    world, lives = lived(seed)
    claims = claimed(database, world, Log(tuple(world.rows)))
    for life in lives:
        outer = {at for name, low, high, _, _ in claims if name == life.name for at in range(low, high)}
        assert life.passed - life.read <= outer, life.name
    certain = [claim for claim in claims if claim[3] is not None]
    assert CERTAIN_LEAST < len(certain) < len(claims)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("share", [0.0, 0.3, 0.6, 0.9, 1.0])
def test_no_certain_skip_was_ever_read(database: duckdb.DuckDBPyConnection, seed: int, share: float) -> None:
    """However much of the log the cleaner went over."""
    world, lives = lived(seed)
    read = {life.name: life.read for life in lives}
    for name, _, _, low, high in claimed(database, world, cleaned(world, int(share * len(world.rows)))):
        assert low is None or not read[name] & set(range(low, high or 0)), (name, low, high)
