"""The stores that questions begin with: the same answers with and without them, wherever clocks and removals stand."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from assets import models
from assets.catalog import TABLES
from assets.duckdb.database import create_macros
from tests.assets.rows import make_snapshots

if TYPE_CHECKING:
    import duckdb

ANSWERS = "SELECT * EXCLUDE (metadata) FROM state_at(?::TIMESTAMPTZ) ORDER BY ALL"


def history(choice: Random, commits: int) -> list[dict[str, Any]]:
    """Commits and removals of a few keys in two logs; clocks step back now and then, some commits wait for a marker."""
    rows = []
    for number in range(commits):
        at = number * 4_000_000 + choice.choice([0, 0, 0, -30_000_000, 9_000_000])
        removed = choice.random() < 1 / 9
        waits = choice.choice([0, 0, 7])
        group = choice.randrange(4)
        rows.append(
            {
                "cluster": "c",
                "group_id": f"g{group}",
                "topic": "t",
                "partition": choice.randrange(3),
                "log_partition": group % 2,
                "log_offset": number,
                "effective_log_offset": number + waits,
                "effective_at": None if choice.random() < 1 / 50 else 1_767_225_600_000_000 + at,
                "kind": "removed" if removed else "advance",
                "committed_offset": None if removed else number,
            }
        )
    return rows


def fill(database: duckdb.DuckDBPyConnection, seed: int) -> None:
    """Put a history into core.commits."""
    rows = history(Random(seed), 400)  # noqa: S311 - examples, no secrets
    schema = TABLES["core.commits"].schema
    columns = {field.name: pa.array([row.get(field.name) for row in rows], field.type) for field in schema}
    database.register("rows", pa.table(columns))
    database.execute("INSERT INTO core.commits FROM rows")


def make(database: duckdb.DuckDBPyConnection, name: str) -> None:
    """Make a table by its model, as a run does."""
    columns = ", ".join(TABLES[name].column_names)
    database.execute(f"INSERT INTO {name} SELECT {columns} FROM ({models.select(TABLES[name].name)})")  # noqa: S608


@pytest.mark.parametrize("seed", range(3))
def test_answers_are_the_same_with_stores_and_without(database: duckdb.DuckDBPyConnection, seed: int) -> None:
    """At instants on the grid, between, before, after, and at the end of the log; of all groups and of one."""
    fill(database, seed)
    instants = ["2025-01-01", "2027-01-01", "infinity", "-infinity", "2026-01-01 00:00:03.999999"]
    instants += [f"2026-01-01 00:{minute:02d}:{second}+00" for minute in range(0, 28, 3) for second in ("00", "17.5")]
    without = [database.execute(ANSWERS, [instant]).fetchall() for instant in instants]
    make_snapshots(database)
    create_macros(database)
    assert [database.execute(ANSWERS, [instant]).fetchall() for instant in instants] == without
    of_one = "SELECT * EXCLUDE (metadata) FROM state_at(?::TIMESTAMPTZ, 'g2') ORDER BY ALL"
    expected = [[row for row in rows if row[1] == "g2"] for rows in without]
    assert [database.execute(of_one, [instant]).fetchall() for instant in instants] == expected
    assert any(expected)


@pytest.mark.parametrize("seed", range(3))
def test_windows_of_commits_are_the_same_with_stores_and_without(
    database: duckdb.DuckDBPyConnection, seed: int
) -> None:
    """The last ten commits of each key, however clocks jump and whatever was removed; of all groups and of one."""
    fill(database, seed)
    instants = ["2025-01-01", "2027-01-01"]
    instants += [f"2026-01-01 00:{minute:02d}:{second}+00" for minute in range(0, 28, 5) for second in ("00", "17.5")]
    query = (
        "SELECT group_id, partition, list_transform(commits, lambda c: c.log_offset) FROM status_at({}) ORDER BY ALL"
    )
    without = [database.execute(query.format("?::TIMESTAMPTZ"), [instant]).fetchall() for instant in instants]
    make_snapshots(database)
    create_macros(database)
    assert [database.execute(query.format("?::TIMESTAMPTZ"), [instant]).fetchall() for instant in instants] == without
    of_one = query.format("?::TIMESTAMPTZ, 'g2'")
    expected = [[row for row in rows if row[0] == "g2"] for rows in without]
    assert [database.execute(of_one, [instant]).fetchall() for instant in instants] == expected
    assert max(len(row[2]) for rows in without for row in rows) == 10


def test_a_question_reads_only_what_lies_behind_its_store(database: duckdb.DuckDBPyConnection) -> None:
    """The grid is known before anything is read: the plan has the bounds of both as constants."""
    fill(database, 1)
    make_snapshots(database)
    create_macros(database)
    ((plan,),) = [row[1:] for row in database.sql("EXPLAIN FROM state_at('2026-01-01 00:10:00.5+00')").fetchall()]
    words = " ".join(plan.split())
    assert "(effective_at > '2026-01-01 00:10:00+00'" in words
    assert "taken_at = '2026-01-01 00:10:00+00'" in words


def test_the_grid_is_bounded(database: duckdb.DuckDBPyConnection) -> None:
    """At most 1,025 stores however long it went on, a power of two of seconds apart."""
    fill(database, 1)
    database.execute("UPDATE core.commits SET effective_at = '2020-01-01'::TIMESTAMPTZ WHERE log_offset = 1")
    make_snapshots(database)
    newest = "(SELECT max(effective_at) FROM core.commits)"
    query = f"SELECT count(DISTINCT taken_at), max(taken_at) <= {newest} FROM internal.offset_snapshots"  # noqa: S608 - no data in it
    ((count, is_within),) = database.sql(query).fetchall()
    assert 100 < count <= 1025
    assert is_within


def test_a_record_of_a_wrong_year_makes_no_grid_coarser(database: duckdb.DuckDBPyConnection) -> None:
    """One of 1970 and one of 9999 stand in no way of the others, and the answers are those without stores."""
    fill(database, 1)
    wrong = "CASE log_offset WHEN 3 THEN '1970-01-01'::TIMESTAMPTZ WHEN 200 THEN '9999-12-31'::TIMESTAMPTZ END"
    database.execute(f"UPDATE core.commits SET effective_at = {wrong} WHERE log_offset IN (3, 200)")  # noqa: S608
    instants = [
        "1969-01-01",
        "1999-01-01",
        "2026-01-01 00:00:00+00",
        "2026-01-01 00:10:00.5+00",
        "2027-01-01",
        "infinity",
    ]
    without = [database.execute(ANSWERS, [instant]).fetchall() for instant in instants]
    make_snapshots(database)
    create_macros(database)
    assert [database.execute(ANSWERS, [instant]).fetchall() for instant in instants] == without
    query = "SELECT min(taken_at) >= '2025-12-31', max(taken_at) < '2026-01-02', count(DISTINCT taken_at) > 100"
    assert database.sql(f"{query} FROM internal.offset_snapshots").fetchall() == [(True, True, True)]


def test_the_grid_ends_where_reading_did(database: duckdb.DuckDBPyConnection) -> None:
    """A record that says it is of a day later is of no time at which anybody could have stood still."""
    fill(database, 1)
    database.execute("UPDATE core.commits SET effective_at = '2026-01-02' WHERE log_offset = 200")
    database.execute("INSERT INTO raw.segments (cluster, topic, read_at) VALUES ('c', 't', '2026-01-01 01:00:00+00')")
    make_snapshots(database)
    assert database.sql(
        "SELECT max(taken_at) < '2026-01-01 01:00:00+00' FROM internal.offset_snapshots"
    ).fetchall() == [(True,)]


def test_without_times_there_are_no_stores(database: duckdb.DuckDBPyConnection) -> None:
    """Records of Kafka before 0.10 have none, and only the end of the log is an instant."""
    fill(database, 1)
    database.execute("UPDATE core.commits SET effective_at = NULL")
    make_snapshots(database)
    create_macros(database)
    assert database.sql("SELECT count(*) FROM internal.offset_snapshots").fetchall() == [(0,)]
    assert database.sql("SELECT count(*) > 0 FROM state_at('infinity')").fetchall() == [(True,)]
    assert database.sql("SELECT count(*) FROM state_at('2026-06-01')").fetchall() == [(0,)]


def test_a_groups_place_is_where_its_commits_are(database: duckdb.DuckDBPyConnection) -> None:
    """By the table when it is made, else by looking at all of them."""
    fill(database, 1)
    create_macros(database)
    query = "FROM _partitions_of('g3')"
    assert database.sql(query).fetchall() == [(1,)]
    make(database, "internal.group_partitions")
    create_macros(database)
    assert database.sql(query).fetchall() == [(1,)]
    counted = "SELECT sum(commits) = (SELECT count(*) FROM core.commits) FROM internal.group_partitions"
    assert database.sql(counted).fetchall() == [(True,)]
