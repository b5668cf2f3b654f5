"""Whatever the cleaner took before a log was read: what state_at says of an instant was so, or nobody knows.

Put here logs made up at random. What single holes leave unknown is tested in `test_state_at`.
"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from random import Random
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pytest

from assets import models
from assets.catalog import TABLES
from assets.duckdb.database import create_macros
from assets.transforms.coordinator import Coordinator
from assets.transforms.log_gaps import LogGaps
from tests.assets.rows import copied, make_snapshots
from tests.assets.transforms.offsets_log import Log, project
from tests.assets.transforms.test_cuts import LONGEST, after, cut, with_copy

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import duckdb

    from tests.assets.transforms.offsets_log import Row

EPOCH: Final = datetime(1970, 1, 1, tzinfo=timezone.utc)
BEGAN_MS: Final = 900_000
STEP_MS: Final = 700
"""Between two records, so that some instants of the grid, which are seconds apart, have one and some have none."""
INSTANTS_MS: Final = [*range(BEGAN_MS, BEGAN_MS + LONGEST * STEP_MS, 2_100), 901_000, 905_000, 10_000_000]
LOGS: Final = 40
SEEDS: Final = range(3)
Key = tuple[str, int]
Claims = dict[Key, tuple[int | None, bool]]


def random_log(chance: Random) -> Log:
    """A log of two keys and two producers."""
    log = Log()
    for _ in range(chance.randint(1, chance.choice([6, 12, LONGEST]))):
        what, partition = chance.choice(["commit", "commit", "marker", "removal"]), chance.choice([0, 1])
        if what == "marker":
            log = log.marker(chance.choice(["COMMIT", "ABORT"]), chance.choice([5, 6]))
        elif what == "removal":
            log = log.remove(partition=partition)
        else:
            log = log.commit(chance.randint(0, 4), producer=chance.choice([None, None, 5, 6]), partition=partition)
    return timed(log)


def left_of(log: Log, chance: Random, read_before: int = 0) -> Log:
    """What some passes of the cleaner leave, each from the beginning on, and what was read before."""
    rolls = (sorted({chance.randint(1, LONGEST) for _ in range(chance.randint(1, 3))}) for _ in range(3))
    done = [(roll, 0, chance.choice([None, 1, 2])) for roll in rolls]
    left = after(log, done[: chance.randint(1, 3)])
    return timed(cut(log, with_copy(log, left, read_before) if read_before else left))


def timed(log: Log) -> Log:
    """The log with records that are so far apart."""
    return Log(tuple(row | {"timestamp_ms": BEGAN_MS + row["log_offset"] * STEP_MS} for row in log.rows))


def at(instant_ms: int) -> datetime:
    """The instant."""
    return EPOCH + timedelta(milliseconds=instant_ms)


def history(log: Log) -> list[Row]:
    """What took effect, in the order in which it did."""
    rows = project(Coordinator, log)["core.commits"]
    return sorted(rows, key=lambda row: (row["effective_log_offset"], row["log_offset"]))


def offsets_at(rows: Sequence[Row], instant_ms: int) -> dict[int, int]:
    """What was committed of each partition, by the effective history of the whole log."""
    store: dict[int, int | None] = {}
    for row in rows:
        if row["effective_at"] <= at(instant_ms):
            store[row["partition"]] = row["committed_offset"]
    return {partition: offset for partition, offset in store.items() if offset is not None}


def fill(database: duckdb.DuckDBPyConnection, logs: Sequence[Log]) -> None:
    """Put what a replay makes of the logs into the tables, each as a cluster of its own."""
    for subject in (Coordinator, LogGaps):
        rows: dict[str, list[Row]] = {}
        for number, log in enumerate(logs):
            for name, some in project(subject, log).items():
                rows.setdefault(name, []).extend(row | {"cluster": str(number), "log_partition": 7} for row in some)
        for name in {"core.commits", "core.log_gaps"} & rows.keys():
            schema = pa.schema([field.with_nullable(nullable=True) for field in TABLES[name].schema])
            database.register("computed_rows", pa.Table.from_pylist(rows[name], schema))
            database.execute(f"INSERT INTO {name} FROM computed_rows")
            database.unregister("computed_rows")
    make(database, "internal.commits_after_gaps")


def make(database: duckdb.DuckDBPyConnection, *names: str) -> None:
    """Make tables by their models, as a run does."""
    for name in names:
        columns = ", ".join(TABLES[name].column_names)
        database.execute(f"INSERT INTO {name} SELECT {columns} FROM ({models.select(TABLES[name].name)})")  # noqa: S608


def make_stores(database: duckdb.DuckDBPyConnection) -> None:
    """Make the tables that questions begin with."""
    make_snapshots(database)
    create_macros(database)


def answers(database: duckdb.DuckDBPyConnection) -> dict[int, Claims]:
    """What state_at says of each instant: by cluster and partition the offset, and whether it is known."""
    query = "SELECT cluster, partition, current_offset, is_known FROM state_at(?::TIMESTAMPTZ)"
    return {
        instant_ms: {(row[0], row[1]): (row[2], row[3]) for row in database.execute(query, [at(instant_ms)]).fetchall()}
        for instant_ms in INSTANTS_MS
    }


def traced(left: Sequence[Log]) -> set[Key]:
    """The keys of which any record is left; of the others nobody can say anything."""
    return {(str(n), row["partition"]) for n, log in enumerate(left) for row in log.records if "partition" in row}


def false_claims(claims: Claims, truth: dict[Key, int], keys: set[Key]) -> list[Key]:
    """Where something else is said, or nothing where something stood."""
    claimed = {key: offset for key, (offset, is_known) in claims.items() if is_known}
    silent = (truth.keys() & keys) - claims.keys()
    return [*silent, *(key for key, offset in claimed.items() if truth.get(key) != offset)]


def questions_of(every_table: Path, whole: Sequence[Log], left: Sequence[Log]) -> int:
    """Hold what is said of logs that are left against the whole ones; returns how often it was not known."""
    histories = [history(log) for log in whole]
    with copied(every_table) as database:
        fill(database, left)
        without = answers(database)
        make_stores(database)
        assert answers(database) == without
        of_instant = "FROM internal.offset_snapshots WHERE taken_at = ? AND kind <> 'removed'"
        stores = f"SELECT cluster, partition, committed_offset, is_known {of_instant}"
        for instant_ms, claims in without.items():
            truth = {
                (str(n), p): o for n, rows in enumerate(histories) for p, o in offsets_at(rows, instant_ms).items()
            }
            assert not false_claims(claims, truth, traced(left)), (instant_ms, claims, truth)
            for cluster, partition, offset, is_known in database.execute(stores, [at(instant_ms)]).fetchall():
                assert claims[cluster, partition] == (offset if is_known else None, is_known)
        return sum(not is_known for claims in without.values() for _, is_known in claims.values())


@pytest.mark.parametrize("seed", SEEDS)
def test_a_cleaned_log_makes_no_false_claim(every_table: Path, seed: int) -> None:
    """Read once, after the cleaner went over it; of some instants something is not known, of most it is."""
    chance = Random(seed)  # noqa: S311 - made-up logs
    whole = [random_log(chance) for _ in range(LOGS)]
    unknown = questions_of(every_table, whole, [left_of(log, chance) for log in whole])
    assert 0 < unknown < LOGS * len(INSTANTS_MS) / 2


@pytest.mark.parametrize("seed", SEEDS)
def test_nor_do_two_copies_of_which_the_cleaner_went_over_one(every_table: Path, seed: int) -> None:
    """The beginning was read before the cleaner came."""
    chance = Random(seed)  # noqa: S311 - made-up logs
    whole = [random_log(chance) for _ in range(LOGS)]
    assert questions_of(every_table, whole, [left_of(log, chance, chance.randint(1, 12)) for log in whole]) > 0


def test_of_a_whole_log_all_is_known(every_table: Path) -> None:
    """Of every instant, before the first record and behind the last."""
    chance = Random(0)  # noqa: S311 - made-up logs
    whole = [random_log(chance) for _ in range(LOGS)]
    assert questions_of(every_table, whole, whole) == 0
