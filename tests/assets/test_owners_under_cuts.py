"""Whatever the cleaner took before a log was read: who is said to have owned a partition, or been a member, was it."""

from __future__ import annotations

from datetime import datetime, timezone
from random import Random
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pytest

from assets.catalog import TABLES
from assets.transforms.coordinator import Coordinator
from assets.transforms.log_gaps import LogGaps
from tests.assets.rows import copied
from tests.assets.transforms.made_groups import (
    assignment,
    classic,
    current,
    epoch,
    gone,
    logged,
    member,
    row_of,
    target,
    target_epoch,
)
from tests.assets.transforms.offsets_log import Log, project
from tests.assets.transforms.test_cuts import after, cut, with_copy

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import duckdb

    from tests.assets.transforms.offsets_log import Row

NAMES: Final = ("core.members", "core.ownership", "core.log_gaps", "internal.recorded_group_states")
SECONDS: Final = (*range(0, 30, 2), 1000)
OWNERS: Final = "SELECT cluster, group_id, topic, partition, member_id, is_known FROM owner_at(?::TIMESTAMPTZ)"
MEMBERS: Final = (
    "SELECT cluster, group_id, group_type, member_id, generation, member_state, assigned, target, client_id,"
    " group_instance_id, is_known FROM members_at(?::TIMESTAMPTZ)"
)
LOGS: Final = 40
SEEDS: Final = (0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2)))
MEMBERS_MOST: Final = 3


class Classic:
    """A classic group that rebalances, empties and is removed, as a coordinator writes it."""

    def __init__(self, group: str, chance: Random) -> None:
        """Begin with nobody, and nothing written."""
        self._group, self._chance, self._generation, self._members = group, chance, 0, 0

    def batch(self) -> list[Row]:
        """What its next change writes: the group's one record."""
        if self._generation and not self._members and self._chance.random() < 0.3:
            self._generation = 0
            return [row_of(2, self._group)]
        self._generation += 1
        names = self._chance.sample("abc", self._chance.randint(0, MEMBERS_MOST))
        self._members = len(names)
        own = {name: [number for number in range(3) if number % len(names) == at] for at, name in enumerate(names)}
        given = {name: assignment(*numbers) for name, numbers in own.items()}
        return [classic(self._generation, given, group=self._group)]


class Consumer:
    """A group of KIP-848 whose members join, are moved and leave, as a coordinator writes it."""

    def __init__(self, group: str, chance: Random) -> None:
        """Begin with nobody, and nothing written."""
        self._group, self._chance, self._epoch = group, chance, 0
        self._members: list[str] = []

    def batch(self) -> list[Row]:
        """What its next change writes."""
        if self._epoch and not self._members and self._chance.random() < 0.3:
            self._epoch = 0
            return [row_of(6, self._group), row_of(3, self._group)]
        self._epoch += 1
        free = [name for name in "abc" if name not in self._members]
        if free and (not self._members or self._chance.random() < 0.6):
            self._members.append(self._chance.choice(free))
            return [member(self._members[-1], self._group), *self._given()]
        leaving = self._members.pop(self._chance.randrange(len(self._members)))
        return [*gone(leaving, self._group), *self._given()]

    def _given(self) -> list[Row]:
        """The new epoch, with what each member is to own, and owns at once."""
        own = {
            name: [number for number in range(3) if number % len(self._members) == at]
            for at, name in enumerate(self._members)
        }
        targets = [target(name, *numbers, group=self._group) for name, numbers in own.items()]
        currents = [current(name, self._epoch, *numbers, group=self._group) for name, numbers in own.items()]
        return [epoch(self._epoch, self._group), *targets, target_epoch(self._epoch, self._group), *currents]


def random_log(chance: Random) -> Log:
    """A log of two groups."""
    groups: list[Classic | Consumer] = [Classic("g", chance), Consumer("h", chance)]
    batches = [chance.choice(groups).batch() for _ in range(chance.randint(1, 8))]
    return written(batches)


def left_of(log: Log, chance: Random, read_before: int = 0) -> Log:
    """What some passes of the cleaner leave, each from the beginning on, and what was read before."""
    rolls = [sorted({chance.randint(1, 40) for _ in range(chance.randint(1, 3))}) for _ in range(chance.randint(1, 3))]
    left = after(log, [(roll, 0, chance.choice([None, 1, 2])) for roll in rolls])
    return cut(log, with_copy(log, left, read_before) if read_before else left)


def written(batches: Sequence[Sequence[Row]]) -> Log:
    """A log whose records have keys, which the cleaner asks for."""
    return Log(tuple(row | {"key_bytes": 3} for row in logged(*batches)))


def fill(database: duckdb.DuckDBPyConnection, logs: Sequence[Log]) -> None:
    """Put what a replay makes of the logs into the tables, each as a cluster of its own."""
    rows: dict[str, list[Row]] = {name: [] for name in NAMES}
    for number, log in enumerate(logs):
        for name, some in {**project(Coordinator, log), **project(LogGaps, log)}.items():
            rows.get(name, []).extend(row | {"cluster": str(number), "log_partition": 7} for row in some)
    for name, some in rows.items():
        schema = pa.schema([field.with_nullable(nullable=True) for field in TABLES[name].schema])
        database.register("computed_rows", pa.Table.from_pylist(some, schema))
        database.execute(f"INSERT INTO {name} FROM computed_rows")
        database.unregister("computed_rows")


def answers(database: duckdb.DuckDBPyConnection, query: str, second: int) -> list[tuple[Any, ...]]:
    """What is said of an instant: the key, what is told of it, and whether that is known."""
    return database.execute(query, [datetime.fromtimestamp(second, timezone.utc)]).fetchall()


def agrees(claim: Sequence[Any], truth: Sequence[Any]) -> bool:
    """Whether nothing is told that is not so; what was not seen is not told."""
    return all(one is None or one == other for one, other in zip(claim, truth, strict=True))


def false_claims(claims: list[tuple[Any, ...]], truth: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """What is told as known and is not so."""
    return [row for row in claims if row[-1] and not any(agrees(row, other) for other in truth)]


def hold(every_table: Path, whole: Sequence[Log], left: Sequence[Log]) -> int:
    """Hold what is known of logs that are left against what the whole ones say, of which all is known.

    Returns how many rows were not known.
    """
    unknown = 0
    with copied(every_table) as database, copied(every_table) as cleaned:
        fill(database, whole)
        fill(cleaned, left)
        for query in (OWNERS, MEMBERS):
            for second in SECONDS:
                truth = answers(database, query, second)
                assert all(row[-1] for row in truth)
                of_remainder = answers(cleaned, query, second)
                assert not false_claims(of_remainder, truth), second
                unknown += sum(not row[-1] for row in of_remainder)
    return unknown


@pytest.mark.parametrize("seed", SEEDS)
def test_a_cleaned_log_makes_no_false_claim(every_table: Path, seed: int) -> None:
    """Read once, after the cleaner went over it."""
    chance = Random(seed)  # noqa: S311 - made-up logs
    whole = [random_log(chance) for _ in range(LOGS)]
    hold(every_table, whole, [left_of(log, chance) for log in whole])


@pytest.mark.parametrize("seed", SEEDS)
def test_nor_do_two_copies_of_which_the_cleaner_went_over_one(every_table: Path, seed: int) -> None:
    """The beginning was read before it came: of some instants something is not known."""
    chance = Random(seed)  # noqa: S311 - made-up logs
    whole = [random_log(chance) for _ in range(LOGS)]
    assert hold(every_table, whole, [left_of(log, chance, chance.randint(1, 20)) for log in whole]) > 0
