"""The histories of keys that were set back are the same by loops as by plain queries over `reset_histories.sql`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from assets import models
from assets.transforms.marts import replays
from assets.transforms.marts.reset_histories import ResetHistories, reset_histories
from tests.assets.rows import copied
from tests.assets.transforms.marts.test_handovers import BEGAN_US, GROUP, LENGTH, fill

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

PLAIN_QUERY = Path(__file__).with_suffix(".sql").with_stem("reset_histories").read_text(encoding="utf-8")
STATES = ("Stable", "Empty", "Assigning", "Dead", None)
QUERIES = {
    "commits": """
        SELECT DISTINCT
            h.key, h.nth - 1 AS number, h.log_offset, h.stretch, h.lowest_so_far AS lowest_offset, h.state_log_offset
        FROM reset_histories AS h
        JOIN (SELECT *, max(nth) OVER (PARTITION BY key) AS last FROM reset_histories) AS t
            ON t.key = h.key AND (t.is_turn AND h.nth BETWEEN t.nth - 2 AND t.nth + 1 OR h.nth > t.last - 2)
    """,
    "runs": """
        SELECT
            key, stretch, state_log_offset, bool_or(is_read_in) AS is_read_in, max(position) AS last_position,
            count(committed_offset) AS commits, max(committed_offset) AS read_to,
            max(committed_offset) FILTER (NOT reads_on OR nth = 1) AS stretch_from,
            max(previous_offset) FILTER (NOT reads_on OR nth = 1) AS highest_offset,
            min(committed_offset) FILTER (reads_on) AS begun_to,
            max(committed_offset - previous_offset) FILTER (reads_on) AS longest_step
        FROM reset_histories GROUP BY ALL
    """,
}
"""What each of the tables has, over all commits of the keys."""
Row = dict[str, Any]


@pytest.fixture
def database(every_table: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Every table without rows, and the macros."""
    with copied(every_table) as connection:
        yield connection


def commits(random: np.random.Generator) -> Iterator[Row]:
    """Commits and removals of two groups' keys, of which the last is never set back."""
    for position in range(2, LENGTH, 2):
        kind = str(random.choice(["advance", "repeat", "rewind", "removed", "first"], p=[0.6, 0.2, 0.1, 0.05, 0.05]))
        partition = int(random.integers(0, 4))
        kind = "advance" if partition == 3 else kind
        offset = None if kind == "removed" else int(random.integers(0, 1000))
        at: Row = {"log_offset": position, "effective_log_offset": position + (3 if random.random() < 0.1 else 0)}
        at |= {"effective_at": BEGAN_US + position, "is_transactional": False, "actor": "owner"}
        columns: Row = {"kind": kind, "committed_offset": offset, "previous_offset": int(random.integers(0, 1000))}
        group = int(random.integers(0, 2))
        columns |= {"store_kind": "spark_checkpoint" if group and partition == 0 else "kafka"}
        yield {**GROUP, "group_id": f"g-{group}", "topic": "t", "partition": partition, **at, **columns}


def generations(random: np.random.Generator) -> Iterator[Row]:
    """States of one of the groups, some behind a gap."""
    for number, position in enumerate(np.unique(random.integers(1, LENGTH, 40)).tolist()):
        state = {"state": STATES[number % len(STATES)], "is_gap_free": bool(random.random() < 0.8)}
        yield {
            **GROUP,
            "group_id": "g-0",
            "group_type": "classic",
            "log_offset": position,
            "generation": number,
            **state,
        }


def histories(database: duckdb.DuckDBPyConnection) -> ResetHistories:
    """The histories of the commits in a database, by loops."""
    replays.forget(database)
    replays.begin(database)
    index = replays.look_up(database)
    starts = database.sql(models.select("replay_reset_starts")).to_arrow_table()
    return reset_histories(index, starts, database.sql("FROM replay_group_states ORDER BY ALL").to_arrow_table())


@pytest.mark.parametrize("seed", range(8))
def test_both_ways_come_to_the_same(database: duckdb.DuckDBPyConnection, seed: int) -> None:
    """In every column, for every commit of a key that was set back, and for no other."""
    random = np.random.default_rng(seed)
    fill(database, "core.commits", list(commits(random)))
    fill(database, "core.generations", list(generations(random)))
    by_loops = histories(database)._asdict()
    database.execute(f"CREATE TEMP TABLE reset_histories AS {PLAIN_QUERY}")
    for name, rows in by_loops.items():
        database.register("by_loop", rows)
        columns = ", ".join(rows.column_names)
        database.execute(f"CREATE OR REPLACE TEMP TABLE by_query AS SELECT {columns} FROM ({QUERIES[name]})")  # noqa: S608 - our own names
        assert rows.num_rows > 30
        assert database.sql("FROM by_loop EXCEPT ALL FROM by_query").fetchall() == []
        assert database.sql("FROM by_query EXCEPT ALL FROM by_loop").fetchall() == []


def test_without_resets_there_is_no_history(database: duckdb.DuckDBPyConnection) -> None:
    """Neither without commits at all."""
    assert [rows.num_rows for rows in histories(database)] == [0, 0]
