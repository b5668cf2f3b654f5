"""The marts of upkeep on what the newest Kafka's scenarios wrote: against settings of clients, and a real cleaner."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from parsers.log.segments import walk
from parsers.sources import open_file
from tests.assets.recorded import opened, warehouse_of
from tests.broker.keep import keep
from tests.broker.releases import NEWEST

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import duckdb

OFFSETS = "__consumer_offsets"
TOPICS = ("exactly-once", "transactions")
FIRST = f"{'0' * 20}.log"


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What is kept of the release."""
    folder = tmp_path_factory.mktemp("recording")
    keep(NEWEST, folder)
    return folder


@pytest.fixture(scope="module")
def logs(recording: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The log directory as the cleaner met it: before it came, with the segments rolled that it left alone."""
    to = tmp_path_factory.mktemp("logs") / "data"
    met, left = (recording / "brokers-one" / when / "1" / "data" for when in ("before-cleaner", "after-cleaner"))
    to.mkdir()
    for entry in met.iterdir():
        if entry.is_file():
            shutil.copy(entry, to)
        elif entry.name.startswith((OFFSETS, *TOPICS)):
            shutil.copytree(entry, to / entry.name)
    for rolled in left.glob(f"{OFFSETS}-*/*.log"):
        if rolled.name != FIRST:
            (to / rolled.parent.name / rolled.name).touch()
    return to


@pytest.fixture(scope="module")
def book(logs: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    """Every table that is made of it."""
    with opened(warehouse_of([logs], tmp_path_factory.mktemp("warehouse"))) as connection:
        yield connection


def records_in(path: Path) -> int:
    """Records in a segment, by its batches' headers."""
    with open_file(str(path)) as source:
        return sum(sum(piece.batches["record_count"].to_pylist()) for piece in walk(source, bodies=False))


def test_the_cleaner_took_out_what_it_was_said_to(recording: Path, book: duckdb.DuckDBPyConnection) -> None:
    """To the record, in every partition; where a transaction is open it came no further than that, so nowhere."""
    rows = book.sql("""
        SELECT log_partition, disk_records, cleanable_records, removable_records, is_held_by_transaction, verdict
        FROM mart.offsets_topic_compaction
    """).fetchall()
    left = recording / "brokers-one" / "after-cleaner" / "1" / "data"
    assert len(rows) == 8
    for partition, there, cleanable, removable, is_held, verdict in rows:
        stays = records_in(left / f"{OFFSETS}-{partition}" / FIRST)
        assert there - removable == stays, partition
        assert (cleanable, verdict) == ((0, "nothing_to_clean") if is_held else (there, "due")), partition
    assert [partition for partition, *_, is_held, _ in rows if is_held] == [5, 6]


def test_the_cleaners_own_checkpoint_is_told(recording: Path, tmp_path: Path) -> None:
    """How far it came, and that nothing is left to take out up to there."""
    left = recording / "brokers-one" / "after-cleaner" / "1" / "data"
    (tmp_path / "data").mkdir()
    for name in ("meta.properties", "cleaner-offset-checkpoint"):
        shutil.copy(left / name, tmp_path / "data")
    shutil.copytree(left / f"{OFFSETS}-2", tmp_path / "data" / f"{OFFSETS}-2")
    with opened(warehouse_of([tmp_path / "data"], tmp_path / "warehouse")) as connection:
        rows = connection.sql("""
            SELECT first_dirty_offset, cleanable_to, removable_records, verdict FROM mart.offsets_topic_compaction
        """).fetchall()
    assert rows == [(667, 667, 0, "keeps_up")]


def starts(recording: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """With which settings members were started, by group."""
    for path in sorted(recording.glob("*/events.jsonl")):
        events = [json.loads(line) for line in path.read_text().splitlines()]
        yield from ((path.parent.name, event) for event in events if event["kind"] == "start" and "commit" in event)


def test_patterns_are_what_the_members_were_told(recording: Path, book: duckdb.DuckDBPyConnection) -> None:
    """A timer is found with its interval; nobody who waited for each answer is called asynchronous."""
    settings: dict[str, list[dict[str, Any]]] = {}
    for group, event in starts(recording):
        settings.setdefault(group, []).append(event)
    actual = book.sql("SELECT group_id, pattern, auto_commit_ms FROM mart.commit_cadence").fetchall()
    verdicts = [
        (settings[group], pattern, timer)
        for group, pattern, timer in actual
        if group in settings and pattern != "unknown"
    ]
    assert len(verdicts) > 30
    for setting, pattern, timer in verdicts:
        timers = [int(one["auto.commit.interval.ms"]) for one in setting if one["commit"] == "auto"]
        assert pattern == ("auto_commit" if timers else "per_batch"), setting
        assert timer is None or min(abs(timer - one) for one in timers) < 20, setting
    assert {pattern for group, pattern, _ in actual if group == "exactly-once"} == {"transactional"}


def test_transactions_left_open_hide_and_block(recording: Path, book: duckdb.DuckDBPyConnection) -> None:
    """Those that were never ended, in the offsets topic and in the topic that was written to, and no other."""
    events = [json.loads(line) for line in (recording / "transactions" / "events.jsonl").read_text().splitlines()]
    (left,) = [event for event in events if event.get("outcome") == "open"]
    transactions = book.sql(
        "SELECT topic, producer_id, groups, pending_commits, blocked_offsets, is_gap_free FROM mart.open_transactions"
    )
    (first, second, third) = transactions.fetchall()
    assert (first[0], first[2]) == (OFFSETS, ["transactions"])
    assert {hidden["pending_offset"] for hidden in first[3]} == {left["offset"]}
    assert {hidden["current_offset"] for hidden in first[3]} == {40}
    assert (second[0], second[2], third[0], third[2]) == (OFFSETS, ["exactly-once"], "exactly-once-made", None)
    assert second[1] == third[1], "one producer, one transaction"
    assert (third[4], third[5]) == (10, True)


def test_what_is_pending_does_not_expire(book: duckdb.DuckDBPyConnection) -> None:
    """The rest of the group does, a week after it was empty; groups of KIP-848 count from their commits."""
    rules = book.sql("SELECT group_id, partition, expiry_basis FROM mart.expiry_forecast").fetchall()
    hidden = book.sql(
        "SELECT h.group_id, h.partition FROM (SELECT unnest(pending_commits) AS h FROM mart.open_transactions)"
    )
    pending = {(group, partition) for group, partition, rule in rules if rule == "pending_transaction"}
    assert pending == set(hidden.fetchall())
    assert {rule for group, _, rule in rules if group == "scaled-range-848"} == {"since_commit"}
    assert {rule for group, _, rule in rules if group == "scaled-range"} == {"since_empty"}


def test_every_record_is_billed_once(book: duckdb.DuckDBPyConnection) -> None:
    """Records and bytes add up to all that there is, and the estimate of bytes on disk to the segments."""
    billed = book.sql("SELECT sum(records), sum(bytes), sum(disk_bytes) FROM mart.offsets_topic_usage").fetchall()
    read = book.sql("""
        SELECT count(*), sum(coalesce(key_bytes, 0) + coalesce(value_bytes, 0)) FROM raw.offset_records
    """).fetchall()
    ((on_disk,),) = book.sql(f"SELECT sum(size_bytes) FROM raw.segments WHERE topic = '{OFFSETS}'").fetchall()  # noqa: S608 - a name of our own
    assert billed[0][:2] == read[0]
    assert abs(billed[0][2] - on_disk) < 100
    clients = book.sql("SELECT DISTINCT client_id FROM mart.offsets_topic_usage WHERE kind = 'member'").fetchall()
    assert clients
    assert None not in {client for (client,) in clients}
    ((no_ops, repeats),) = book.sql("""
        SELECT sum(no_op_commits), (SELECT count_if(kind = 'repeat') FROM core.commits) FROM mart.offsets_topic_usage
    """).fetchall()
    assert no_ops == repeats
    others = book.sql("""
        SELECT DISTINCT no_op_commits, superseded_records, superseded_bytes
        FROM mart.offsets_topic_usage WHERE kind = 'transaction_marker'
    """)
    assert others.fetchall() == [(None, None, None)]
