"""Burrow's rules in SQL against the same rules written out one after the other, and the macros that use them."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    import duckdb

WINDOWS = 10_000
ALLOWED_LAG = 0


@dataclass(frozen=True)
class Window:
    """What Burrow looks at: commits, the lag that each had when it came, and the log ends that it saw lately."""

    offsets: list[int]
    times_ms: list[int]
    lags: list[int | None]
    ends: list[int]
    as_of_ms: int


def evaluate(window: Window) -> str:  # noqa: PLR0911 - a step of the description each
    """Burrow's evaluation of one partition, step by step as it is described."""
    if not window.offsets:
        return "OK"
    if max(window.ends[-1] - window.offsets[-1], 0) <= ALLOWED_LAG:
        return "OK"
    if is_stopped(window):
        return "STOP"
    if is_rewound(window.offsets):
        return "REWIND"
    if any(lag is not None and lag <= ALLOWED_LAG for lag in window.lags):
        return "OK"
    if all(offset == window.offsets[0] for offset in window.offsets):
        return "STALL"
    return "OK" if lag_went_down(window.lags) else "WARN"


def is_stopped(window: Window) -> bool:
    """No commit for longer than the window is long, unless a log end lately was not beyond the last commit."""
    for end in window.ends:
        if end <= window.offsets[-1]:
            return False
    return window.as_of_ms - window.times_ms[-1] > window.times_ms[-1] - window.times_ms[0]


def is_rewound(offsets: list[int]) -> bool:
    """The first commit that is lower than the one before, unless a later one reached that again."""
    for at in range(1, len(offsets)):
        if offsets[at] < offsets[at - 1]:
            return all(later < offsets[at - 1] for later in offsets[at:])
    return False


def lag_went_down(lags: list[int | None]) -> bool:
    """Some known lag is less than the known one before it; commits whose lag is not known are passed over."""
    before: int | None = None
    for lag in lags:
        if lag is None:
            continue
        if before is not None and lag < before:
            return True
        before = lag
    return False


def random_window(choice: Random) -> Window:
    """Commits of few different offsets, so that every rule has its turn."""
    length = choice.choice([0, 1, 2, 3, 5, 10])
    offsets = [choice.randint(0, 6) for _ in range(length)]
    if choice.random() < 1 / 2:
        offsets.sort()
    times = sorted(choice.randint(0, 50) for _ in range(length))
    lags = [choice.choice([None, 0, 1, 2, 3, 5, 8]) for _ in range(length)]
    if choice.random() < 1 / 2:
        lags = [lag and lag + 1 for lag in lags if lag != 0]
        lags += [None] * (length - len(lags))
    ends = sorted(choice.randint(0, 9) for _ in range(choice.randint(1, 10)))
    return Window(offsets, times, lags, ends, max(times, default=0) + choice.choice([0, 1, 10, 60]))


def test_every_window_gets_the_status_that_burrow_gives_it(database: duckdb.DuckDBPyConnection) -> None:
    """Ten thousand windows; each status comes up often."""
    choice = Random(20_26)  # noqa: S311 - examples, no secrets
    windows = [random_window(choice) for _ in range(WINDOWS)]
    expected = [evaluate(window) for window in windows]
    lists = pa.list_(pa.int64())
    given = {
        name: pa.array([getattr(window, name) for window in windows], lists)
        for name in ("offsets", "times_ms", "lags", "ends")
    }
    as_of = pa.array([window.as_of_ms for window in windows])
    database.register("windows", pa.table({"number": pa.array(range(WINDOWS)), **given, "as_of_ms": as_of}))
    rule = "_burrow_rule(offsets, times_ms, lags, ends, TRUE, as_of_ms, 0)"
    rows = database.sql(f"SELECT _partition_verdict({rule}) FROM windows ORDER BY number").fetchall()  # noqa: S608 - a macro's name
    assert [status for (status,) in rows] == expected
    assert min(expected.count(status) for status in ("OK", "STOP", "REWIND", "STALL", "WARN")) > WINDOWS // 100


def minute(position: float) -> str:
    """An instant on the first day of 2026."""
    return f"2026-01-01 00:{int(position):02d}:{int(position * 60) % 60:02d}+00"


def fill(database: duckdb.DuckDBPyConnection, commits: list[tuple[float, int]], ends: list[tuple[float, int]]) -> None:
    """Commits of g's t-0 and ends of its log, each by the minute; commits stand in the log as they came."""
    for at, offset in commits:
        number = int(at)
        row = ["c", "g", "t", 0, 7, number, number, minute(at), "advance", offset, False]
        database.execute(
            "INSERT INTO core.commits (cluster, group_id, topic, partition, log_partition, log_offset,"
            " effective_log_offset, effective_at, kind, committed_offset, is_transactional) VALUES"
            " (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            row,
        )
    for at, end in ends:
        database.execute(
            "INSERT INTO core.log_ends (cluster, topic, partition, reached_at, log_end_offset, source)"
            " VALUES ('c', 't', 0, ?, ?, 'batch')",
            [minute(at), end],
        )


def status(database: duckdb.DuckDBPyConnection, position: float) -> tuple[Any, ...] | None:
    """What is said of the one partition at an instant."""
    query = "SELECT status, rule, strict_status, strict_rule FROM status_at(?::TIMESTAMPTZ)"
    return database.execute(query, [minute(position)]).fetchone()


def test_a_group_that_keeps_up_is_ok_and_one_that_stops_is_not(database: duckdb.DuckDBPyConnection) -> None:
    """It commits each minute, and then no more while the log goes on."""
    fill(database, [(at, 10 * at) for at in range(1, 6)], [(at, 10 * at) for at in range(1, 40)])
    assert status(database, 5) == ("OK", "at_log_end", "OK", "at_log_end")
    assert status(database, 7.5) == ("OK", "was_at_log_end", "OK", "was_at_log_end")
    assert status(database, 30) == ("STOP", "commits_stopped", "STOP", "commits_stopped")


def test_a_set_back_to_a_short_log_is_seen_by_the_strict_rule_only(database: duckdb.DuckDBPyConnection) -> None:
    """At zero lag Burrow looks at nothing else."""
    fill(database, [(1, 50), (2, 60), (3, 20)], [(0, 20)])
    assert status(database, 4) == ("OK", "at_log_end", "REWIND", "set_back")


def test_without_a_log_end_nothing_is_said(database: duckdb.DuckDBPyConnection) -> None:
    """Unknown is NULL; only a set-back can be told from the commits alone."""
    fill(database, [(1, 50), (2, 60)], [])
    assert status(database, 4) == (None, None, None, None)
    assert status(database, 0) is None
    fill(database, [(3, 20)], [])
    assert status(database, 4) == (None, None, "REWIND", "set_back")


def test_a_group_is_as_bad_as_the_worst_of_its_partitions(database: duckdb.DuckDBPyConnection) -> None:
    """One that stopped makes it an error; where nothing is known, nothing is said."""
    fill(database, [(1, 10), (2, 20)], [(1, 15), (2, 25), (50, 900)])
    query = "SELECT status, strict_status, partitions, worst_topic, deciding_rule FROM group_status_at(?::TIMESTAMPTZ)"
    assert database.execute(query, [minute(55)]).fetchall() == [("ERR", "ERR", 1, "t", "commits_stopped")]
    assert database.execute(query, [minute(2)]).fetchall() == [("WARN", "WARN", 1, "t", "lag_never_less")]


def test_the_rows_behind_a_status_are_named(database: duckdb.DuckDBPyConnection) -> None:
    """Each commit of the window with its position in the log and the lag that it left."""
    fill(database, [(at, 10 * at) for at in range(1, 13)], [(0, 500)])
    query = "SELECT unnest(commits, recursive := true) FROM status_at(?::TIMESTAMPTZ)"
    rows = database.execute(query, [minute(30)]).fetchall()
    assert [(position, offset, lag) for position, _, offset, lag in rows] == [
        (number, 10 * number, 500 - 10 * number) for number in range(3, 13)
    ]


def test_a_lag_that_is_not_known_stands_between_no_two_that_are(database: duckdb.DuckDBPyConnection) -> None:
    """Lag went down from the first commit to the third, whatever it was at the second."""
    query = "SELECT _burrow_rule([1, 2, 3], [1, 2, 3], [5, NULL, 4], [9], TRUE, 4, 0)"
    assert database.sql(query).fetchall() == [("lag_less_at_times",)]


def test_before_any_log_end_is_known_lag_is_unknown_and_not_zero(database: duckdb.DuckDBPyConnection) -> None:
    """The first commits came before anything was known of the log: they do not show a group that was at the end."""
    fill(database, [(1, 10), (2, 20), (3, 20), (9, 20)], [(3, 50)])
    assert status(database, 10) == ("WARN", "lag_never_less", "WARN", "lag_never_less")


def test_where_a_log_end_is_known_within_bounds_only_what_it_decides_is_not_told(
    database: duckdb.DuckDBPyConnection,
) -> None:
    """At its end a group is at its end; else only what the commits alone tell is, unless it may have stopped."""
    fill(database, [(at, 10 * at) for at in (1, 2, 3, 4)], [(0, 35), (10, 40), (20, 90)])
    assert status(database, 5) == ("OK", "at_log_end", "OK", "at_log_end")
    columns = "(cluster, topic, partition, from_at, to_at, log_end_lower, log_end_upper, has_commits)"
    row = ["c", "t", 0, minute(2), minute(10), 40, 90, True]
    database.execute(f"INSERT INTO core.log_end_bounds {columns} VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)  # noqa: S608
    assert status(database, 5) == (None, None, None, None)
    assert status(database, 10) == ("OK", "at_log_end", "OK", "at_log_end")
    assert status(database, 25) == (None, None, None, None)
    query = "SELECT commits[3].lag, log_end_offset FROM status_at(?::TIMESTAMPTZ)"
    assert database.execute(query, [minute(5)]).fetchall() == [(None, None)]
    rules = (
        "SELECT _burrow_rule(o, [1, 2, 3], [5, 4, 4], [9], FALSE, 4, 0) FROM (VALUES ([1, 2, 3]), ([3, 1, 2])) AS r(o)"
    )
    assert database.sql(rules).fetchall() == [(None,), ("set_back",)]


def test_the_status_of_one_group_is_its_part_of_all(database: duckdb.DuckDBPyConnection) -> None:
    """With a group the same rows, and of another group none."""
    fill(database, [(1, 10), (2, 20)], [(1, 15), (2, 25)])
    for macro in ("status_at", "group_status_at"):
        query = f"FROM {macro}(?::TIMESTAMPTZ{{}})"
        of_all = database.execute(query.format(""), [minute(5)]).fetchall()
        assert len(of_all) == 1
        assert database.execute(query.format(", 'g'"), [minute(5)]).fetchall() == of_all
        assert database.execute(query.format(", grp := 'h'"), [minute(5)]).fetchall() == []


def test_an_instant_may_be_written_as_text(database: duckdb.DuckDBPyConnection) -> None:
    """As the docs do."""
    fill(database, [(1, 10)], [(1, 10)])
    assert database.sql("SELECT status FROM status_at('2026-01-01 00:05:00Z')").fetchall() == [("OK",)]
