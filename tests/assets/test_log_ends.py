"""How far logs reached, from batch headers, checkpoints, empty segments and what brokers said."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, Final

import duckdb
import pytest

from assets import models
from assets.catalog import TABLES
from assets.duckdb.database import create_macros
from assets.materialize import model_reads
from tests.assets.test_models import insert

if TYPE_CHECKING:
    from collections.abc import Iterator

EARLY, LATE = (datetime(2026, 1, day, tzinfo=timezone.utc) for day in (1, 2))
PLACE = {"cluster": "c", "topic": "t", "partition": 0}


def instant(ms: int) -> datetime:
    """So many milliseconds after 1970."""
    return datetime.fromtimestamp(ms / 1000, timezone.utc)


class Logs:
    """What was read of data topics, and what follows from it."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Begin with nothing."""
        self._connection = connection

    def batch(self, base: int, last: int, ms: int | None = 1000, **values: Any) -> Logs:  # noqa: ANN401 - any column
        """A batch was read."""
        row = {"base_offset": base, "last_offset": last, "max_timestamp_ms": ms, "is_transactional": False, **values}
        insert(self._connection, "raw.batches", **{**PLACE, "is_control": False, **row})
        return self

    def other(self, base: int, last: int, ms: int, epoch: int) -> Logs:
        """Another copy of the log has this batch where there is one already."""
        times = {"max_timestamp_ms": ms, "leader_epoch": epoch, "is_transactional": False, "is_control": False}
        insert(self._connection, "raw.diverged_batches", **PLACE, base_offset=base, last_offset=last, **times)
        return self

    def sent(self, base: int, producer: int, *, is_control: bool = False) -> Logs:
        """A batch of one record of a transaction, or its marker."""
        return self.batch(base, base, producer_id=producer, is_transactional=True, is_control=is_control)

    def segment(self, **values: Any) -> Logs:  # noqa: ANN401 - any column
        """A segment file was read."""
        insert(
            self._connection, "raw.segments", **{**PLACE, "base_offset": 0, "size_bytes": 10, "read_at": LATE, **values}
        )
        return self

    def sample(self, **values: Any) -> Logs:  # noqa: ANN401 - any column
        """A broker was asked."""
        insert(self._connection, "raw.log_offset_samples", **{**PLACE, "sampled_at": LATE, **values})
        return self

    def ends(self, *columns: str) -> list[tuple[Any, ...]]:
        """These columns of core.log_ends, in some order."""
        names = ", ".join(columns)
        query = f"SELECT {names} FROM ({models.select('log_ends')}) ORDER BY log_end_offset, {names}"  # noqa: S608 - our own names
        return self.rows(query).fetchall()

    def rows(self, query: str) -> duckdb.DuckDBPyRelation:
        """Ask anything."""
        return self._connection.sql(query)


@pytest.fixture
def logs() -> Iterator[Logs]:
    """The tables that are read, without rows."""
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'; CREATE SCHEMA raw")
        for name in model_reads(TABLES["core.log_ends"]):
            connection.register("no_rows", TABLES[name].schema.empty_table())
            connection.execute(f"CREATE TABLE {name} AS FROM no_rows")
        create_macros(connection)
        yield Logs(connection)


def test_the_columns_are_the_described_ones(logs: Logs) -> None:
    """In their order."""
    rows = logs.batch(0, 4).rows(models.select("log_ends"))
    assert tuple(rows.columns) == TABLES["core.log_ends"].column_names


def test_every_batch_moves_the_end_and_time_never_goes_back(logs: Logs) -> None:
    """A producer's clock that is behind does not make the log shorter at an earlier time; no calendar, no time."""
    logs.batch(0, 4, 2000).batch(5, 5, 1000).batch(6, 9, 3000).batch(10, 2**63 - 1, 2**62)
    rows = logs.ends("log_end_offset", "epoch(reached_at)")
    assert rows == [(5, 2.0), (6, 2.0), (10, 3.0), (None, None)]


def test_an_open_transaction_holds_up_what_is_stable(logs: Logs) -> None:
    """The oldest one does, whoever ends first; with none open all is stable up to the end."""
    logs.batch(0, 0).sent(1, 5).sent(2, 6).sent(3, 6, is_control=True).sent(4, 5, is_control=True).sent(5, 6).batch(
        6, 6
    )
    assert logs.ends("log_end_offset", "last_stable_offset") == [(1, 1), (2, 1), (3, 1), (4, 1), (5, 5), (6, 5), (7, 5)]


def test_an_older_transaction_hands_on_to_the_next_one(logs: Logs) -> None:
    """When the first ends, the second is open still; its later records don't make it younger."""
    logs.sent(0, 5).sent(1, 6).sent(2, 5, is_control=True).sent(3, 6).sent(4, 6, is_control=True)
    assert [stable for _, stable in logs.ends("log_end_offset", "last_stable_offset")] == [0, 0, 1, 1, 5]


def test_over_a_hole_nobody_knows_what_is_stable(logs: Logs) -> None:
    """A transaction may have been open in it; a log of which the beginning is gone begins with one."""
    logs.batch(0, 4).batch(7, 9)
    logs.batch(3, 5, partition=1)
    assert logs.ends("partition", "log_end_offset", "last_stable_offset") == [(0, 5, 5), (1, 6, None), (0, 10, None)]


def test_a_checkpoint_says_where_the_log_begins_from_then_on(logs: Logs) -> None:
    """The earliest read that saw it counts; the offsets topic and partitions without a checkpoint say nothing."""
    logs.segment(log_start_offset=7).segment(log_start_offset=7, read_at=EARLY).segment(partition=1)
    logs.segment(log_start_offset=7, topic="__consumer_offsets")
    columns = ("topic", "partition", "log_start_offset", "log_end_offset", "source", "reached_at")
    assert logs.ends(*columns) == [("t", 0, 7, None, "checkpoint", EARLY)]


def test_a_checkpoint_says_how_far_the_log_was_replicated(logs: Logs) -> None:
    """In rows of their own: it moves while the log start stands."""
    logs.segment(high_watermark=7).segment(high_watermark=7, read_at=EARLY).segment(high_watermark=9)
    columns = ("high_watermark", "log_start_offset", "log_end_offset", "source", "reached_at")
    assert logs.ends(*columns) == [(7, None, None, "replication", EARLY), (9, None, None, "replication", LATE)]


def test_an_empty_segment_says_where_its_log_ends(logs: Logs) -> None:
    """A topic that nobody wrote to ends at 0; a log whose last segment was just rolled ends at its name."""
    logs.segment(size_bytes=0).segment(size_bytes=0, base_offset=50, partition=1)
    assert logs.ends("partition", "log_end_offset", "source") == [(0, 0, "segment"), (1, 50, "segment")]


def test_a_broker_says_where_a_log_begins_and_ends(logs: Logs) -> None:
    """A sample gives all of it; one without any offset, and one of the offsets topic, say nothing."""
    logs.sample(log_start_offset=7, high_watermark=90, last_stable_offset=80, topic_id="id")
    logs.sample(partition=1).sample(topic="__consumer_offsets", high_watermark=5)
    columns = (
        "topic",
        "topic_id",
        "log_start_offset",
        "log_end_offset",
        "high_watermark",
        "last_stable_offset",
        "source",
    )
    assert logs.ends(*columns) == [("t", "id", 7, 90, 90, 80, "live")]


def test_a_bound_is_of_a_life_of_its_topic(logs: Logs) -> None:
    """What files say is of their own topic id; a batch is of the one that all files of its log have."""
    logs.batch(0, 4).segment(topic_id="A", log_start_offset=0)
    assert logs.ends("source", "topic_id") == [("batch", "A"), ("checkpoint", "A")]
    logs.segment(topic_id="B", log_start_offset=0)
    assert logs.ends("source", "topic_id") == [("batch", None), ("checkpoint", "A"), ("checkpoint", "B")]


def lost(logs: Logs, *, is_winner_kept: bool) -> Logs:
    """Offsets 0 to 3 of epoch 0; then 4 to 7 of it, which another leader of epoch 1 did not know and wrote 4 and 5."""
    logs.batch(0, 3, 1000, leader_epoch=0)
    losing_batches, winning_batches = [(4, 5, 2000, 0), (6, 7, 3000, 0)], [(4, 5, 9000, 1)]
    first, second = (winning_batches, losing_batches) if is_winner_kept else (losing_batches, winning_batches)
    for base, last, ms, epoch in first:
        logs.batch(base, last, ms, leader_epoch=epoch)
    for base, last, ms, epoch in second:
        logs.other(base, last, ms, epoch)
    return logs


AT: Final = ("source", "log_end_offset", "epoch_ms(reached_at)", "epoch_ms(until_at)")
LOST: Final = [
    ("batch", 4, 1000, None),
    ("batch", 6, 2000, 3001),
    ("batch", 6, 9000, None),
    ("batch", 8, 3000, 3001),
    ("gap", None, 3001, 9000),
]


@pytest.mark.parametrize("is_winner_kept", [True, False])
def test_an_end_that_was_lost_held_while_its_leader_gave_signs(logs: Logs, *, is_winner_kept: bool) -> None:
    """Whichever copy was read first; from then to the first sign of the leader that it was lost to nobody knows."""
    assert sorted(lost(logs, is_winner_kept=is_winner_kept).ends(*AT), key=repr) == sorted(LOST, key=repr)


@pytest.mark.parametrize(("epoch", "gap"), [(0, (5001, 9000)), (1, (3001, 5000))])
def test_a_brokers_answer_narrows_what_nobody_knows(logs: Logs, epoch: int, gap: tuple[int, int]) -> None:
    """By the epoch that it names: the old leader was there still, or the new one already."""
    lost(logs, is_winner_kept=True).sample(sampled_at=instant(5000), leader_epoch=epoch, log_start_offset=0)
    assert logs.ends("source", *AT[2:])[-1] == ("live", 5000, None)
    assert [row[1:] for row in logs.ends("source", *AT[2:]) if row[0] == "gap"] == [gap]


def test_a_leader_that_nobody_follows_any_more_moves_nothing(logs: Logs) -> None:
    """What it wrote after the next one began never was the log's end to others; and nothing is unknown between them."""
    logs.batch(0, 3, 1000, leader_epoch=0).batch(4, 5, 2000, leader_epoch=1)
    logs.other(4, 4, 1500, 0).other(5, 9, 8000, 0)
    assert logs.ends(*AT) == [("batch", 4, 1000, None), ("batch", 5, 1500, 2000), ("batch", 6, 2000, None)]


def test_copies_that_differ_within_an_epoch_lose_nothing(logs: Logs) -> None:
    """Nobody can tell which is right: what was read first stands."""
    logs.batch(0, 3, 1000, leader_epoch=0).other(2, 9, 2000, 0)
    assert logs.ends(*AT) == [("batch", 4, 1000, None)]


def test_what_was_said_of_a_topic_ends_with_it(logs: Logs) -> None:
    """The first answer with another topic id ends it; a file of the old one that is read later says nothing of now."""
    logs.sample(topic_id="A", high_watermark=90, sampled_at=EARLY).sample(topic_id="B", high_watermark=5)
    logs.segment(topic_id="A", log_start_offset=7, read_at=LATE)
    assert logs.ends("log_end_offset", "topic_id", "until_at") == [(5, "B", None), (90, "A", LATE)]
