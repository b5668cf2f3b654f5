"""The commits before ends of ownership are the same by bisection as by a plain query, which is in `handovers.sql`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

from assets.catalog import TABLES
from assets.transforms.marts import replays
from assets.transforms.marts.handovers import handovers
from tests.assets.rows import copied

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

PLAIN_QUERY = Path(__file__).with_suffix(".sql").with_stem("handovers").read_text(encoding="utf-8")
LENGTH = 800
GROUP = {"cluster": "c", "group_id": "g", "log_partition": 7}
BEGAN_US = 1_767_225_600_000_000
Row = dict[str, Any]


@pytest.fixture
def database(every_table: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Every table without rows, and the macros."""
    with copied(every_table) as connection:
        yield connection


def fill(database: duckdb.DuckDBPyConnection, name: str, rows: list[Row]) -> None:
    """Put rows into a table."""
    database.register("rows", pa.Table.from_pylist(rows, TABLES[name].schema))
    database.execute(f"INSERT INTO {name} FROM rows")
    database.unregister("rows")


def commits(random: np.random.Generator) -> Iterator[Row]:
    """Commits, removals and some that take effect later, by members and by others, at times that are mostly known."""
    for position in range(2, LENGTH, 2):
        offset = None if random.random() < 0.05 else int(random.integers(0, 1000))
        at: Row = {"log_offset": position, "effective_log_offset": position + (3 if random.random() < 0.1 else 0)}
        at["effective_at"] = None if random.random() < 0.05 else BEGAN_US + position * 1_234_567
        kind = "removed" if offset is None else str(random.choice(["advance", "repeat", "repeat"]))
        columns = {"kind": kind, "committed_offset": offset, "previous_offset": 5}
        by = str(random.choice(["owner", "owner", "owner", "admin", "simple_consumer", "unknown"]))
        who = {"actor": by, "leader_epoch": None if random.random() < 0.9 else 3, "is_transactional": False}
        yield {**GROUP, "topic": "t", "partition": int(random.integers(0, 3)), **at, **columns, **who}


def owners(random: np.random.Generator) -> Iterator[Row]:
    """Who owned three partitions, one after the other; of some nobody knows when they began or ended."""
    for partition in range(3):
        begin = int(random.integers(1, 40))
        while begin < LENGTH:
            end = begin + int(random.integers(1, 60))
            place = {"topic": "t", "partition": partition, "member_id": f"m-{begin}", "log_offset": begin}
            known = {"from_log_offset": begin if random.random() < 0.8 else None, "seen_at": BEGAN_US + begin}
            ended = {"until_log_offset": end if random.random() < 0.9 else None, "until_at": BEGAN_US + end}
            yield {**GROUP, **place, **known, **ended, "to_log_offset": end if random.random() < 0.7 else None}
            begin = end + int(random.integers(0, 20))


def generations(random: np.random.Generator) -> Iterator[Row]:
    """Eager rebalances."""
    kind = {"group_type": "classic", "state": "Stable", "protocol_type": "consumer", "protocol": "range"}
    for number, position in enumerate(np.unique(random.integers(1, LENGTH, 12)).tolist()):
        yield {**GROUP, **kind, "log_offset": position, "from_at": BEGAN_US + position, "generation": number}


@pytest.mark.parametrize("seed", range(12))
def test_both_ways_come_to_the_same(database: duckdb.DuckDBPyConnection, seed: int) -> None:
    """In every column, wherever an owner began and ended."""
    random = np.random.default_rng(seed)
    fill(database, "core.commits", list(commits(random)))
    fill(database, "core.ownership", list(owners(random)))
    fill(database, "core.generations", list(generations(random)))
    replays.forget(database)
    replays.begin(database)
    index = replays.look_up(database)
    actual = handovers(database.sql("FROM ownership_ends").to_arrow_table(), index)
    actual = actual.drop_columns(["key", "from_log_offset", "is_repeat_over", "stretch_position"])
    database.register("found", actual)
    names = ", ".join(actual.column_names)
    database.execute(f"CREATE TEMP TABLE expected AS SELECT {names} FROM ({PLAIN_QUERY})")  # noqa: S608 - our own names
    assert actual.num_rows > 20
    assert database.sql("FROM actual EXCEPT ALL FROM expected").fetchall() == []
    assert database.sql("FROM expected EXCEPT ALL FROM actual").fetchall() == []
