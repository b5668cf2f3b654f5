"""The marts of upkeep on a few rows each: what they conclude, and what they leave open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import duckdb
import pytest

from assets import models
from assets.catalog import TABLES
from tests.assets.rows import copied
from tests.assets.test_models import insert, minute

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

KEY = {"cluster": "c", "group_id": "g", "topic": "t", "partition": 0}
LOG = {"cluster": "c", "log_partition": 7}
GROUP = {**LOG, "group_id": "g"}
MARTS = ("commit_cadence", "open_transactions", "expiry_forecast", "stale_offsets")
WEEK_MINUTES = 10_080


@pytest.fixture
def tables(every_table: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Every table without rows, and the macros."""
    with copied(every_table) as connection:
        yield connection


def asked(tables: duckdb.DuckDBPyConnection, mart: str, columns: str, where: str = "true") -> list[tuple[Any, ...]]:
    """What a mart's model says, in the order of its table; its columns are the described ones."""
    relation = tables.sql(models.select(mart))
    assert tuple(relation.columns) == TABLES[f"mart.{mart}"].column_names
    return tables.sql(f"SELECT {columns} FROM ({models.select(mart)}) WHERE {where}").fetchall()  # noqa: S608 - names that the tests write


def commits(
    tables: duckdb.DuckDBPyConnection,
    times_ms: Sequence[int],
    steps: Sequence[int],
    *,
    in_one_batch: bool = False,
    is_transactional: bool = False,
) -> None:
    """A commit of g's t-0 at each time, as much further as the step says."""
    for position, (time_ms, step) in enumerate(zip(times_ms, steps, strict=True)):
        at = {"log_offset": position, "effective_log_offset": position, "effective_at": instant(time_ms)}
        kind = "first" if position == 0 else "advance" if step else "repeat"
        row = {**KEY, **at, "log_partition": 7, "kind": kind, "delta": step if position else None}
        insert(tables, "core.commits", **row, is_transactional=is_transactional)
        batch_offset = 0 if in_one_batch else position
        insert(tables, "raw.offset_records", **LOG, log_offset=position, batch_base_offset=batch_offset)


def instant(time_ms: int) -> str:
    """So many milliseconds after noon."""
    return f"2026-01-01 12:{time_ms // 60_000:02d}:{time_ms // 1000 % 60:02d}.{time_ms % 1000:03d}+00"


@pytest.mark.parametrize(
    ("times_ms", "steps", "is_transactional", "pattern"),
    [
        (range(0, 60_000, 5000), [7, 9, 4, 0, 12, 3, 0, 8, 22, 5, 1, 6], False, "auto_commit"),
        (range(0, 60_000, 5000), [50] * 12, False, "per_batch"),
        ([number**2 * 40 for number in range(12)], [1] * 12, False, "per_record"),
        ([number**2 * 40 for number in range(12)], [1, 5] * 6, False, "per_batch"),
        (range(0, 60_000, 5000), [3] + [0] * 11, False, "idle"),
        (range(0, 60_000, 5000), [7, 9, 4, 0, 12, 3, 0, 8, 22, 5, 1, 6], True, "transactional"),
        (range(0, 50_000, 5000), [1] * 10, False, "unknown"),
    ],
)
def test_a_pattern_follows_from_times_and_steps(
    tables: duckdb.DuckDBPyConnection,
    times_ms: Sequence[int],
    steps: Sequence[int],
    *,
    is_transactional: bool,
    pattern: str,
) -> None:
    """A timer keeps its time whatever there is to commit; the same step each time is a full batch."""
    commits(tables, times_ms, steps, is_transactional=is_transactional)
    assert asked(tables, "commit_cadence", "pattern, commits") == [(pattern, len(steps))]


@pytest.mark.parametrize(
    ("times_ms", "pattern", "timer_ms"),
    [
        (range(0, 354 * 14, 354), "per_batch", None),
        (range(0, 4046 * 14, 4046), "per_batch", None),
        (range(0, 703 * 14, 703), "auto_commit", 700),
        ([1003 * (number // 2) + 380 * (number % 2) for number in range(24)], "per_batch", None),
        ([0, 5003, 10_001, 12_400, 17_402, 22_399, 23_900, 28_903, 33_905, 35_100, 40_102], "auto_commit", 5000),
    ],
)
def test_a_timer_is_set_to_a_round_number(
    tables: duckdb.DuckDBPyConnection, times_ms: Sequence[int], pattern: str, timer_ms: int | None
) -> None:
    """A loop that is as regular is none; and rebalances, at which members commit too, do not hide a timer."""
    commits(tables, times_ms, [number % 5 + 1 for number in range(len(times_ms))])
    assert asked(tables, "commit_cadence", "pattern, auto_commit_ms") == [(pattern, timer_ms)]


def test_a_pattern_is_that_of_all_partitions_of_a_group(tables: duckdb.DuckDBPyConnection) -> None:
    """Also where a partition has few commits; only one whose commits change nothing is idle by itself."""
    commits(tables, range(0, 60_000, 5000), [7, 9, 4, 0, 12, 3, 0, 8, 22, 5, 1, 6])
    tables.execute("""
        INSERT INTO core.commits BY NAME
        SELECT * REPLACE (
                   1 AS partition, log_offset + 100 AS log_offset, effective_log_offset + 100 AS effective_log_offset
               )
        FROM core.commits WHERE log_offset < 3
        UNION ALL
        SELECT * REPLACE (
                   2 AS partition, log_offset + 200 AS log_offset, effective_log_offset + 200 AS effective_log_offset,
                   if(log_offset = 0, 'first', 'repeat') AS kind, 0 AS delta
               )
        FROM core.commits
    """)
    assert asked(tables, "commit_cadence", "partition, pattern, at_risk_ms") == [
        (0, "auto_commit", 5000),
        (1, "auto_commit", None),
        (2, "idle", 5000),
    ]


def test_the_numbers_behind_a_pattern(tables: duckdb.DuckDBPyConnection) -> None:
    """Intervals, steps, what changed nothing, and what a crash would have to do again."""
    commits(tables, range(0, 60_000, 5000), [7, 9, 4, 0, 12, 3, 0, 8, 22, 5, 1, 6])
    columns = "intervals, interval_p50_ms, interval_max_ms, offsets_p50, offsets_p95, no_op_share, auto_commit_ms"
    assert asked(tables, "commit_cadence", columns) == [(11, 5000, 5000, 6, 22, 2 / 11, 5000)]
    assert asked(tables, "commit_cadence", "at_risk_ms, at_risk_offsets") == [(5000, 22)]


def test_too_few_commits_put_nothing_known_at_risk(tables: duckdb.DuckDBPyConnection) -> None:
    """NULL, not 0."""
    commits(tables, [0, 5000], [3, 4])
    assert asked(tables, "commit_cadence", "intervals, at_risk_ms, auto_commit_ms") == [(1, None, None)]


def test_who_has_two_commits_in_one_batch_did_not_wait(tables: duckdb.DuckDBPyConnection) -> None:
    """However far apart their times are; two commits in one millisecond alone prove nothing."""
    times_ms = [number**2 * 40 for number in range(12)]
    commits(tables, times_ms, [1, 5] * 6, in_one_batch=True)
    assert asked(tables, "commit_cadence", "pattern, at_once_share") == [("asynchronous", 1.0)]


def test_what_a_hole_or_a_removal_parts_is_no_interval(tables: duckdb.DuckDBPyConnection) -> None:
    """Nobody knows what was committed in between."""
    commits(tables, range(0, 60_000, 5000), [1] * 12)
    tables.execute("UPDATE core.commits SET kind = 'unknown', delta = NULL WHERE log_offset = 5")
    tables.execute("UPDATE core.commits SET kind = 'removed', delta = NULL WHERE log_offset = 7")
    tables.execute("UPDATE core.commits SET kind = 'first', delta = NULL WHERE log_offset = 8")
    assert asked(tables, "commit_cadence", "commits, intervals") == [(11, 8)]


def test_only_the_last_commits_are_looked_at(tables: duckdb.DuckDBPyConnection) -> None:
    """The group committed each record once, and by a timer since."""
    tables.execute("""
        INSERT INTO core.commits BY NAME
        SELECT 'c' AS cluster, 'g' AS group_id, 't' AS topic, 0 AS partition, 7 AS log_partition, i AS log_offset,
               i AS effective_log_offset, 'advance' AS kind, false AS is_transactional,
               if(i < 700, 1, 20 + i % 7) AS delta,
               make_timestamptz(1000000 * if(i < 700, i, i * 5)) AS effective_at
        FROM range(1000) AS numbers(i)
    """)
    assert asked(tables, "commit_cadence", "pattern, commits, intervals") == [("auto_commit", 1000, 255)]


def test_all_partitions_of_a_group_are_at_risk_together(tables: duckdb.DuckDBPyConnection) -> None:
    """A member has several; the pattern is that of most which are neither idle nor unknown."""
    for partition, (pattern, offsets) in enumerate([("per_batch", 10), ("idle", None), ("idle", None), ("unknown", 5)]):
        insert(
            tables,
            "mart.commit_cadence",
            **{**KEY, "partition": partition},
            pattern=pattern,
            commits=20,
            intervals=20,
            at_risk_ms=partition,
            at_risk_offsets=offsets,
            no_op_share=partition / 4,
        )
    told = tables.sql(
        "SELECT pattern, partitions, commits, at_risk_ms, at_risk_offsets, no_op_share FROM cadence_of('g')"
    )
    assert told.fetchall() == [("per_batch", 4, 80, 3, 15, 0.375)]
    assert tables.sql("FROM cadence_of('nobody')").fetchall() == []


def batch(tables: duckdb.DuckDBPyConnection, first: int, last: int, **said: Any) -> None:  # noqa: ANN401 - a value of any column
    """A batch of t-0, without a transaction."""
    place = {"cluster": "c", "topic": "t", "partition": 0, "base_offset": first, "last_offset": last}
    plain = {"record_count": last - first + 1, "is_control": False, "is_transactional": False, "size_bytes": 100}
    insert(tables, "raw.batches", **{**place, **plain, **said})


def seen(tables: duckdb.DuckDBPyConnection, first: int, end: int) -> None:
    """A segment of t-0 that was read whole."""
    span = {"base_offset": first, "from_offset": first, "end_offset": end, "quarantined_count": 0}
    insert(tables, "raw.segments", cluster="c", topic="t", partition=0, **span)


def written(tables: duckdb.DuckDBPyConnection, first: int, last: int, producer: int = 9, **said: Any) -> None:  # noqa: ANN401 - a value of any column
    """A batch of a transaction."""
    batch(tables, first, last, producer_id=producer, is_transactional=True, **said)


def marker(tables: duckdb.DuckDBPyConnection, offset: int, kind: str = "COMMIT", producer: int = 9) -> None:
    """A marker that ends one."""
    written(tables, offset, offset, producer, is_control=True, control_type=kind)


def test_data_without_a_marker_behind_it_is_open(tables: duckdb.DuckDBPyConnection) -> None:
    """What came before the producer's last marker is over, whatever the marker says; others' markers end nothing."""
    written(tables, 0, 4)
    marker(tables, 5, "ABORT")
    written(tables, 6, 9, base_timestamp_ms=1000)
    written(tables, 10, 10, producer=8)
    marker(tables, 11, producer=8)
    batch(tables, 12, 19, max_timestamp_ms=5000)
    columns = (
        "producer_id, first_offset, last_offset, records, age_ms, last_stable_offset, blocked_offsets, is_gap_free"
    )
    assert asked(tables, "open_transactions", columns) == [(9, 6, 9, 4, 4000, 6, 14, True)]


def test_a_hole_behind_it_may_hide_its_marker(tables: duckdb.DuckDBPyConnection) -> None:
    """It is told, and that something unseen lies behind it."""
    written(tables, 6, 9)
    batch(tables, 12, 19)
    assert asked(tables, "open_transactions", "first_offset, age_ms, is_gap_free") == [(6, None, False)]


def test_only_the_first_open_one_blocks(tables: duckdb.DuckDBPyConnection) -> None:
    """Readers stop there, so the second holds up nothing that the first does not."""
    written(tables, 3, 3, producer=8)
    written(tables, 6, 9)
    assert asked(tables, "open_transactions", "producer_id, last_stable_offset, blocked_offsets") == [
        (8, 3, 7),
        (9, 3, None),
    ]


def test_times_that_no_calendar_holds_are_unknown(tables: duckdb.DuckDBPyConnection) -> None:
    """A stranger wrote them, and they stop nobody."""
    written(tables, 3, 3, base_timestamp_ms=2**62, max_timestamp_ms=-(2**63))
    assert asked(tables, "open_transactions", "started_at, age_ms") == [(None, None)]


def open_transaction(tables: duckdb.DuckDBPyConnection) -> None:
    """A transaction that is to commit g's t-0 to 7, and then to 9, where 5 is committed."""
    insert(
        tables,
        "mart.offsets_now",
        **KEY,
        current_offset=5,
        is_known=True,
        commit_at=minute(1),
        log_partition=7,
        log_offset=0,
    )
    span = {"log_offset": 3, "last_log_offset": 5, "record_count": 2}
    insert(tables, "core.transactions", **LOG, producer_id=9, outcome="open", groups=["g"], is_gap_free=True, **span)
    for position, producer, offset in ((2, 9, 6), (3, 9, 7), (4, 8, 50), (5, 9, 9)):
        value = {"offset": offset, "leader_epoch": -1, "metadata": "", "commit_timestamp": 0, "expire_timestamp": -1}
        row = {**GROUP, "topic": "t", "partition": 0, "record_type": 1, "producer_id": producer, "log_offset": position}
        insert(tables, "raw.offset_records", **row)
        tables.execute(
            "UPDATE raw.offset_records SET offset_commit = ? WHERE log_offset = ?",
            [{**value, "topic_id": None, "unknown_tags": None}, position],
        )


def test_an_open_transaction_hides_what_it_is_to_commit(tables: duckdb.DuckDBPyConnection) -> None:
    """The last of it by key, beside what is committed; what the producer did before, and others, are not in it."""
    open_transaction(tables)
    ((topic, groups, hides),) = asked(tables, "open_transactions", "topic, groups, pending_commits")
    assert (topic, groups) == ("__consumer_offsets", ["g"])
    assert hides == [{"group_id": "g", "topic": "t", "partition": 0, "pending_offset": 9, "current_offset": 5}]


def stands(tables: duckdb.DuckDBPyConnection, **said: Any) -> None:  # noqa: ANN401 - a value of any column
    """Where g stands in t-0: at 5, committed a minute past midnight."""
    row = {
        **KEY,
        "current_offset": 5,
        "commit_at": minute(1),
        "effective_at": minute(1),
        "log_offset": 0,
        "log_partition": 7,
        **said,
    }
    insert(tables, "mart.offsets_now", **row, is_known=True)


def state(tables: duckdb.DuckDBPyConnection, name: str | None, kind: str = "classic", **said: Any) -> None:  # noqa: ANN401 - a value of any column
    """The state of g, written three minutes past midnight."""
    insert(tables, "core.group_states", **GROUP, group_type=kind, state=name, log_offset=3, from_at=minute(3))
    if kind == "classic":
        insert(
            tables, "core.generations", **GROUP, group_type=kind, log_offset=3, **{"protocol_type": "consumer", **said}
        )


def subscribes(tables: duckdb.DuckDBPyConnection, topics: list[str] | None, **said: Any) -> None:  # noqa: ANN401 - a value of any column
    """What a member of g subscribes to."""
    insert(tables, "core.subscriptions", **GROUP, log_offset=3, topics=topics, **{"member_id": "m", **said})


def forecast(tables: duckdb.DuckDBPyConnection) -> tuple[str, str | None]:
    """By which rule g's t-0 expires, and when retention began to count for it."""
    ((rule, retention_started_at, expires_at),) = tables.sql(
        "SELECT expiry_basis, strftime(retention_started_at, '%H:%M'), epoch(expires_at - retention_started_at) / 60"
        " FROM expiry_forecast(30)"
    ).fetchall()
    assert expires_at == (None if retention_started_at is None else 30)
    return rule, retention_started_at


def test_a_simple_consumers_offset_counts_from_its_commit(tables: duckdb.DuckDBPyConnection) -> None:
    """No coordinator wrote of the group."""
    stands(tables)
    assert forecast(tables) == ("since_commit", "00:01")


def test_a_classic_group_counts_from_when_it_was_empty(tables: duckdb.DuckDBPyConnection) -> None:
    """KIP-211; where its record does not say since when, from the commit."""
    stands(tables)
    state(tables, "Empty", state_at=minute(2))
    assert forecast(tables) == ("since_empty", "00:02")
    tables.execute("UPDATE core.generations SET state_at = NULL")
    assert forecast(tables) == ("since_commit", "00:01")


@pytest.mark.parametrize("kind", ["consumer", "streams"])
def test_groups_of_today_count_from_the_commit_even_when_empty(tables: duckdb.DuckDBPyConnection, kind: str) -> None:
    """So one whose commits are old loses them as soon as its members leave."""
    stands(tables)
    state(tables, "Empty", kind)
    subscribes(tables, ["t"], to_log_offset=3)
    assert forecast(tables) == ("since_commit", "00:01")


@pytest.mark.parametrize("kind", ["classic", "consumer"])
def test_what_a_member_subscribes_does_not_expire(tables: duckdb.DuckDBPyConnection, kind: str) -> None:
    """And what none does expires by its commit; what can't be read leaves it open."""
    stands(tables)
    state(tables, "Stable", kind)
    subscribes(tables, ["other", "t"])
    assert forecast(tables) == ("subscribed", None)
    tables.execute("UPDATE core.subscriptions SET topics = ['other']")
    assert forecast(tables) == ("since_commit", "00:01")
    tables.execute("UPDATE core.subscriptions SET topics = NULL")
    assert forecast(tables) == ("unknown", None)


def test_a_pattern_subscribes_what_it_matched(tables: duckdb.DuckDBPyConnection) -> None:
    """Before anything was matched, nobody knows."""
    stands(tables)
    state(tables, "Stable", "consumer")
    subscribes(tables, [], regex="t.*")
    assert forecast(tables) == ("unknown", None)
    subscribes(tables, ["t"], regex="t.*", member_id=None)
    assert forecast(tables) == ("subscribed", None)


def test_what_a_member_owns_it_subscribed(tables: duckdb.DuckDBPyConnection) -> None:
    """Streams groups name no topics."""
    stands(tables)
    state(tables, "Stable", "streams")
    assert forecast(tables) == ("unknown", None)
    place = {**GROUP, "topic": "t", "partition": 3, "member_id": "m", "group_type": "streams", "log_offset": 3}
    insert(tables, "core.ownership", **place, seen_at=minute(3))
    assert forecast(tables) == ("subscribed", None)


def test_other_protocols_keep_their_offsets_while_they_have_members(tables: duckdb.DuckDBPyConnection) -> None:
    """Connect's workers subscribe to nothing that a broker can read."""
    stands(tables)
    state(tables, "Stable", protocol_type="connect")
    assert forecast(tables)[0] == "other_protocol"


def test_a_group_whose_state_is_unknown_says_nothing(tables: duckdb.DuckDBPyConnection) -> None:
    """A hole may hide that it has members."""
    stands(tables)
    state(tables, None)
    assert forecast(tables) == ("unknown", None)


def test_an_explicit_time_is_the_commits_own(tables: duckdb.DuckDBPyConnection) -> None:
    """Value version 1 has it; retention has nothing to do with it."""
    stands(tables)
    insert(tables, "core.commits", **KEY, log_partition=7, log_offset=0, expire_at=minute(9), kind="first")
    told = tables.sql(
        "SELECT expiry_basis, strftime(expires_at, '%H:%M'), retention_started_at FROM expiry_forecast(30)"
    ).fetchall()
    assert told == [("explicit", "00:09", None)]


def test_what_a_transaction_is_about_to_commit_stays(tables: duckdb.DuckDBPyConnection) -> None:
    """Also in a group without members."""
    open_transaction(tables)
    tables.execute(f"INSERT INTO mart.open_transactions {models.select('open_transactions')}")
    assert forecast(tables) == ("pending_transaction", None)


def test_what_should_be_gone_proves_a_longer_retention(tables: duckdb.DuckDBPyConnection) -> None:
    """Another group committed after the first one's time was over."""
    stands(tables)
    stands(tables, group_id="h", commit_at=minute(40), effective_at=minute(40))
    told = tables.sql("SELECT group_id, is_overdue FROM expiry_forecast(30) ORDER BY ALL").fetchall()
    assert told == [("g", True), ("h", False)]


def test_what_a_store_outside_kafka_has_never_expires(tables: duckdb.DuckDBPyConnection) -> None:
    """It knows no retention."""
    stands(tables)
    stands(tables, group_id="h", log_partition=-5)
    assert tables.sql("SELECT group_id FROM expiry_forecast(30)").fetchall() == [("g",)]


def test_a_restart_costs_what_lies_on_either_side(tables: duckdb.DuckDBPyConnection) -> None:
    """At the earliest all from the log start, at the latest all to the end; markers are no records."""
    stands(tables)
    insert(tables, "core.log_ends", cluster="c", topic="t", partition=0, reached_at=minute(1), log_start_offset=2)
    insert(tables, "core.log_ends", cluster="c", topic="t", partition=0, reached_at=minute(1), log_end_offset=10)
    seen(tables, 0, 10)
    batch(tables, 0, 7)
    batch(tables, 8, 8, is_control=True)
    batch(tables, 9, 9)
    columns = "earliest_offsets, earliest_records, latest_offsets, latest_records"
    assert asked(tables, "expiry_forecast", columns) == [(3, 3, 5, 4)]


def cost(tables: duckdb.DuckDBPyConnection, target: object, topic: str | None = None) -> list[tuple[Any, ...]]:
    """Where g would go, and what it would read again, skip and lose, in offsets; then records and bytes."""
    columns = '"offset", offsets_again, offsets_skipped, offsets_lost, records, bytes'
    return tables.execute(f"SELECT {columns} FROM reset_cost('g', ?, ?)", [topic, target]).fetchall()  # noqa: S608 - names


def test_a_reset_is_reckoned_from_where_the_group_stands(tables: duckdb.DuckDBPyConnection) -> None:
    """To an offset, to either end, and to what it had committed at an instant; bytes are those of whole batches."""
    stands(tables)
    for position, offset in ((1, 4), (2, 5)):
        at = {"log_offset": position, "effective_log_offset": position, "effective_at": minute(position)}
        insert(tables, "core.commits", **KEY, **at, log_partition=7, kind="advance", committed_offset=offset)
    insert(tables, "core.log_ends", cluster="c", topic="t", partition=0, reached_at=minute(1), log_start_offset=2)
    insert(tables, "core.log_ends", cluster="c", topic="t", partition=0, reached_at=minute(1), log_end_offset=10)
    seen(tables, 0, 10)
    batch(tables, 0, 7)
    batch(tables, 8, 9)
    assert cost(tables, "earliest") == [(2, 3, 0, 0, 3, 100)]
    assert cost(tables, "latest") == [(10, 0, 5, 0, 5, 200)]
    assert cost(tables, 9) == cost(tables, "9") == [(9, 0, 4, 0, 4, 200)]
    assert cost(tables, 0) == [(2, 3, 0, 2, 3, 100)]
    assert cost(tables, minute(1)) == [(4, 1, 0, 0, 1, 100)]
    assert cost(tables, 5) == [(5, 0, 0, 0, 0, 0)]
    assert cost(tables, 9, "t") == cost(tables, 9)
    assert cost(tables, 9, "other") == []


def test_what_was_not_seen_is_not_counted(tables: duckdb.DuckDBPyConnection) -> None:
    """A missing segment and a compacted batch leave records unknown, and the first seen is the earliest."""
    stands(tables)
    assert cost(tables, "earliest") == cost(tables, "latest") == cost(tables, minute(1)) == [(None,) * 6]
    batch(tables, 1, 2)
    batch(tables, 4, 9, record_count=2)
    assert cost(tables, "earliest") == [(1, 4, 0, None, None, None)]
    seen(tables, 0, 10)
    assert cost(tables, "earliest") == [(1, 4, 0, None, None, 200)]
    assert cost(tables, 9) == [(9, 0, 4, None, None, 100)]


def test_a_target_that_is_none_is_refused(tables: duckdb.DuckDBPyConnection) -> None:
    """A slip of the pen is no group without cost."""
    stands(tables)
    with pytest.raises(duckdb.Error, match="give 'earliest', 'latest', an offset or an instant"):
        cost(tables, "lastest")


def test_offsets_that_are_none_stop_nobody(tables: duckdb.DuckDBPyConnection) -> None:
    """A client can send any number."""
    stands(tables, current_offset=-(2**63))
    assert cost(tables, 2**63 - 1) == [(2**63 - 1, None, None, None, None, None)]


def abandoned(tables: duckdb.DuckDBPyConnection, lag: str = "lag") -> list[tuple[Any, ...]]:
    """Why offsets are abandoned, as of the forecast of the marts that stand."""
    tables.execute("DELETE FROM mart.expiry_forecast")
    tables.execute(f"INSERT INTO mart.expiry_forecast {models.select('expiry_forecast')}")
    return asked(tables, "stale_offsets", f"cause, strftime(since, '%H:%M'), {lag}")


def test_what_nobody_moves_is_told_with_the_reason(tables: duckdb.DuckDBPyConnection) -> None:
    """Subscribed by none of the members, then without any, then without the group."""
    stands(tables)
    insert(tables, "mart.lag_now", **KEY, current_offset=5, lag=3)
    assert abandoned(tables) == []
    state(tables, "Stable")
    subscribes(tables, ["t"])
    assert abandoned(tables) == []
    tables.execute("UPDATE core.subscriptions SET topics = ['other']")
    assert abandoned(tables) == [("not_subscribed", None, 3)]
    tables.execute("UPDATE core.group_states SET state = 'Empty'")
    assert abandoned(tables) == [("no_members", "00:03", 3)]
    tables.execute("UPDATE core.group_states SET state = 'Dead'")
    assert abandoned(tables) == [("group_removed", "00:03", 3)]


def test_what_nobody_moves_lags_by_the_lower_bound_at_least(tables: duckdb.DuckDBPyConnection) -> None:
    """Where the end of the log is known by bounds only."""
    stands(tables)
    insert(tables, "mart.lag_now", **KEY, current_offset=5, lag_lower=3)
    state(tables, "Empty")
    assert [(lag, lower) for *_, lag, lower in abandoned(tables, "lag, lag_lower")] == [(None, 3)]


def test_lag_behind_a_topic_that_is_gone_means_nothing(tables: duckdb.DuckDBPyConnection) -> None:
    """Made again it has another id, and what it holds is not what was committed."""
    stands(tables)
    insert(tables, "mart.lag_now", **KEY, current_offset=5, lag=3)
    insert(tables, "core.commits", **KEY, log_partition=7, log_offset=0, topic_id="one", kind="first")
    for topic_id, seen in (("one", 1), ("two", 2)):
        insert(tables, "core.topics", cluster="c", topic="t", topic_id=topic_id, last_seen_at=minute(seen))
    assert abandoned(tables) == [("topic_recreated", None, None)]
    tables.execute("UPDATE core.commits SET topic_id = 'two'")
    assert abandoned(tables) == []


def test_offsets_that_stay_when_their_topic_was_deleted(tables: duckdb.DuckDBPyConnection) -> None:
    """Other groups lost theirs with it; who commits afterwards has a topic again."""
    stands(tables)
    gone = {**KEY, "group_id": "h", "log_partition": 8, "log_offset": 9, "effective_at": minute(4), "kind": "removed"}
    insert(tables, "core.commits", **gone, cause="topic_deleted")
    assert abandoned(tables) == [("topic_deleted", "00:04", None)]
    tables.execute("UPDATE mart.offsets_now SET commit_at = ?", [minute(5)])
    assert abandoned(tables) == []
