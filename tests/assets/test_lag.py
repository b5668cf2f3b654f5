"""What lag is: counted over the batches of a log and over what brokers said of it, bounded where only that is known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from assets import models
from assets.catalog import TABLES
from assets.catalog.mart.lag import GROUP_STATUS, LAG
from assets.catalog.memory import FRONTIERS
from assets.duckdb.database import create_macros
from assets.frontiers import Units
from assets.storage.parquet_files import fit_columns
from assets.transforms.marts import lag as lag_mart
from assets.transforms.marts import status as status_mart
from tests.assets.rows import copied, make_snapshots

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import duckdb

LOG = {"cluster": "c", "topic": "t", "partition": 0}
BEGAN_MS = 1_767_225_600_000
"""The first instant of 2026."""
BATCH: dict[str, Any] = {
    **LOG,
    "segment_base_offset": 0,
    "size_bytes": 100,
    "codec": "none",
    "magic": 2,
    "position": 0,
    **dict.fromkeys(("is_log_append_time", "is_transactional", "is_control"), False),
}


@pytest.fixture
def log(every_table: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Every table that lag rests on, without rows."""
    with copied(every_table) as connection:
        yield connection


def insert(log: duckdb.DuckDBPyConnection, name: str, **row: Any) -> None:  # noqa: ANN401 - a value of any column
    """Add a row; columns that are not named are NULL."""
    columns = ", ".join(f'"{column}"' for column in row)
    log.execute(f"INSERT INTO {name} ({columns}) VALUES ({', '.join('?' * len(row))})", list(row.values()))  # noqa: S608


def second(at: float) -> str:
    """An instant so many seconds after the beginning of 2026."""
    return f"2026-01-01 00:{int(at) // 60:02d}:{at % 60:06.3f}+00"


def batch(log: duckdb.DuckDBPyConnection, base: int, last: int, began: float, ended: float, **more: Any) -> None:  # noqa: ANN401
    """A batch of records from `began` to `ended`; it also is a row of core.log_ends."""
    span = last - base + 1
    times = {"base_timestamp_ms": BEGAN_MS + int(began * 1000), "max_timestamp_ms": BEGAN_MS + int(ended * 1000)}
    insert(
        log, "raw.batches", **{**BATCH, **times, "base_offset": base, "last_offset": last, "record_count": span, **more}
    )
    reached = log.execute("SELECT max(max_timestamp_ms) FROM raw.batches").fetchone()
    assert reached is not None
    ended_at = second((reached[0] - BEGAN_MS) / 1000)
    insert(log, "core.log_ends", **LOG, reached_at=ended_at, log_end_offset=last + 1, source="batch")


def sample(
    log: duckdb.DuckDBPyConnection, at: float, end: int | None, stable: int | None = None, partition: int = 0
) -> None:
    """What a broker said."""
    place = {**LOG, "partition": partition}
    values = {"high_watermark": end, "last_stable_offset": stable, "sampled_at": second(at), "partition_count": 2}
    insert(log, "raw.log_offset_samples", **place, **values)
    if end is not None:
        insert(log, "core.log_ends", **place, reached_at=second(at), log_end_offset=end, source="live")


def begin(log: duckdb.DuckDBPyConnection, at: float, start: int) -> None:
    """Where the log began, by a checkpoint."""
    insert(log, "core.log_ends", **LOG, reached_at=second(at), log_start_offset=start, source="checkpoint")


def commit(log: duckdb.DuckDBPyConnection, at: float, offset: int) -> None:
    """A commit of g's t-0."""
    position = log.execute("SELECT count(*) FROM core.commits").fetchone()
    assert position is not None
    place = {"log_partition": 7, "log_offset": position[0], "effective_log_offset": position[0]}
    insert(
        log,
        "core.commits",
        **LOG,
        **place,
        group_id="g",
        effective_at=second(at),
        kind="advance",
        committed_offset=offset,
    )


def make(log: duckdb.DuckDBPyConnection, *names: str) -> None:
    """Make tables by their models, as a run does."""
    for name in names:
        table = TABLES[name]
        columns = ", ".join(f'"{column}"' for column in table.column_names)
        log.execute(f"INSERT INTO {name} SELECT {columns} FROM ({models.select(table.name)})")  # noqa: S608 - our own names


def lag(log: duckdb.DuckDBPyConnection, at: float) -> dict[str, Any]:
    """Lag of g's t-0 at an instant: by the macro, which is what mart.lag says of a commit at that instant."""
    log.execute("DELETE FROM internal.batch_index; DELETE FROM core.log_end_bounds")
    make(log, "internal.batch_index", "core.log_end_bounds")
    create_macros(log)
    cursor = log.execute("FROM lag_at(?::TIMESTAMPTZ)", [second(at)])
    names = [column[0] for column in cursor.description]
    (row,) = cursor.fetchall()
    return dict(zip(names, row, strict=True))


def pick(row: dict[str, Any], *names: str) -> tuple[Any, ...]:
    """Some columns."""
    return tuple(row[name] for name in names)


LAG_BOUNDS = ("lag", "lag_lower", "lag_upper")
END_BOUNDS = ("log_end_offset", "log_end_lower", "log_end_upper")
RECORDS = ("records", "records_lower", "records_upper")
SECONDS = ("seconds", "seconds_lower", "seconds_upper")
STABLE = ("stable_lag", "stable_records", "stable_seconds")


def test_whole_batches_are_counted_exactly(log: duckdb.DuckDBPyConnection) -> None:
    """From a batch's first record on everything is known: records, bytes, and how old the first is."""
    for number in range(4):
        batch(log, 10 * number, 10 * number + 9, 10 * number, 10 * number + 5)
    commit(log, 36, 20)
    row = lag(log, 40)
    assert pick(row, "lag", "bytes", "method", *RECORDS) == (20, 200, "batches", 20, 20, 20)
    assert pick(row, *SECONDS) == (20.0, 20.0, 20.0)


def test_a_commit_inside_a_batch_leaves_bounds_of_time(log: duckdb.DuckDBPyConnection) -> None:
    """The header says of when the first and the newest record are; the batch has to be fetched whole."""
    batch(log, 0, 9, 0, 5)
    commit(log, 6, 4)
    row = lag(log, 10)
    assert pick(row, "lag", "bytes", *RECORDS) == (6, 100, 6, 6, 6)
    assert pick(row, *SECONDS) == (None, 5.0, 10.0)


def test_between_two_samples_no_time_is_made_up(log: duckdb.DuckDBPyConnection) -> None:
    """Of the ends at 10 and at 20 no average is told, and neither as if it were one: both are bounds."""
    sample(log, 10, 100)
    sample(log, 20, 200)
    commit(log, 15, 150)
    row = lag(log, 20)
    assert pick(row, *LAG_BOUNDS, *RECORDS) == (50, 50, 50, None, 0, 50)
    assert pick(row, *SECONDS) == (None, 0.0, 10.0)
    row = lag(log, 30)
    assert pick(row, *LAG_BOUNDS, *RECORDS) == (None, 50, None, None, 0, None)
    assert pick(row, *SECONDS) == (None, 0.0, 20.0)


def test_the_brokers_own_time_is_the_same_for_a_whole_batch(log: duckdb.DuckDBPyConnection) -> None:
    """With LogAppendTime a cut makes no bounds."""
    batch(log, 0, 9, 0, 5, is_log_append_time=True)
    commit(log, 6, 4)
    assert pick(lag(log, 10), *SECONDS) == (5.0, 5.0, 5.0)


def test_a_marker_at_the_tail_is_no_record(log: duckdb.DuckDBPyConnection) -> None:
    """The log end is one beyond what a group can ever commit, and still nothing is left to read."""
    batch(log, 0, 9, 0, 5, is_transactional=True, producer_id=1)
    batch(log, 10, 10, 6, 6, is_transactional=True, is_control=True, control_type="COMMIT", producer_id=1)
    commit(log, 7, 10)
    row = lag(log, 60)
    assert pick(row, "lag", "bytes", "method", *RECORDS, *SECONDS) == (1, 0, "log_end", 0, 0, 0, 0, 0, 0)


def test_aborted_data_is_no_record(log: duckdb.DuckDBPyConnection) -> None:
    """Two transactions of one producer: the aborted one and its marker count nothing, the committed one all."""
    batch(log, 0, 4, 0, 1, is_transactional=True, producer_id=1)
    batch(log, 5, 5, 2, 2, is_transactional=True, is_control=True, control_type="ABORT", producer_id=1)
    batch(log, 6, 8, 3, 4, is_transactional=True, producer_id=1)
    batch(log, 9, 9, 5, 5, is_transactional=True, is_control=True, control_type="COMMIT", producer_id=1)
    commit(log, 6, 0)
    assert pick(lag(log, 13), "lag", "bytes", "records", "seconds") == (10, 100, 3, 10.0)


def test_an_open_transaction_holds_back_who_reads_committed_records(log: duckdb.DuckDBPyConnection) -> None:
    """Up to the last stable offset there are five records, and none once they are read."""
    batch(log, 0, 4, 0, 1)
    batch(log, 5, 9, 2, 3, is_transactional=True, producer_id=1)
    batch(log, 10, 14, 4, 5)
    commit(log, 6, 0)
    row = lag(log, 10)
    assert pick(row, "last_stable_offset", "records", *STABLE) == (5, 15, 5, 5, 10.0)
    commit(log, 7, 5)
    assert pick(lag(log, 10), "records", *STABLE) == (10, 0, 0, 0.0)


def test_the_last_stable_offset_goes_on_when_the_oldest_transaction_ends(log: duckdb.DuckDBPyConnection) -> None:
    """Of two open at a time the one that began first holds it, whichever ends first."""
    batch(log, 0, 0, 0, 0, is_transactional=True, producer_id=1)
    batch(log, 1, 1, 1, 1, is_transactional=True, producer_id=2)
    batch(log, 2, 2, 2, 2, is_transactional=True, is_control=True, control_type="COMMIT", producer_id=2)
    batch(log, 3, 3, 3, 3, is_transactional=True, producer_id=2)
    batch(log, 4, 4, 4, 4, is_transactional=True, is_control=True, control_type="COMMIT", producer_id=1)
    batch(log, 5, 5, 5, 5, is_transactional=True, is_control=True, control_type="COMMIT", producer_id=2)
    make(log, "internal.batch_index", "core.log_end_bounds")
    ends = log.sql("SELECT log_end_offset, last_stable_offset FROM internal.batch_index ORDER BY ALL").fetchall()
    assert ends == [(1, 0), (2, 0), (3, 0), (4, 0), (5, 3), (6, 6)]


def test_holes_of_the_cleaner_are_no_records(log: duckdb.DuckDBPyConnection) -> None:
    """A batch that is gone counts nothing; one that lost records has bounds where the commit cuts it."""
    batch(log, 0, 9, 0, 5, record_count=4)
    batch(log, 50, 59, 10, 15)
    commit(log, 16, 0)
    assert pick(lag(log, 20), "lag", "method", *RECORDS) == (60, "batches", 14, 14, 14)
    commit(log, 17, 8)
    assert pick(lag(log, 20), "method", *RECORDS) == ("batches", None, 10, 12)


def test_between_segments_nobody_knows(log: duckdb.DuckDBPyConnection) -> None:
    """What lies between two segments may be a hole or a file that was not read: bounds, and no bytes."""
    batch(log, 0, 9, 0, 5)
    batch(log, 30, 39, 20, 25, segment_base_offset=30)
    commit(log, 30, 5)
    row = lag(log, 40)
    assert pick(row, "lag", "bytes", "method", *RECORDS) == (35, None, "log_ends", None, 15, 35)
    commit(log, 31, 15)
    row = lag(log, 40)
    assert pick(row, *RECORDS, *SECONDS) == (None, 10, 25, None, 20.0, None)


def test_what_brokers_said_alone_gives_bounds(log: duckdb.DuckDBPyConnection) -> None:
    """Neither records nor their times were seen; the first unread one came between two words of the broker."""
    sample(log, 0, 100)
    sample(log, 10, 150)
    sample(log, 20, 200)
    commit(log, 19, 120)
    row = lag(log, 20)
    assert pick(row, "lag", "method", "bytes", *RECORDS) == (80, "log_ends", None, None, 0, 80)
    assert pick(row, *SECONDS) == (None, 0.0, 20.0)


def test_a_flat_table_of_equal_ends_divides_nothing(log: duckdb.DuckDBPyConnection) -> None:
    """A log that stands still: behind its end there are bounds, and at its end no lag, as long as brokers say so."""
    sample(log, 0, 100)
    sample(log, 10, 100)
    sample(log, 3000, 1, partition=1)
    commit(log, 11, 100)
    assert pick(lag(log, 3000), "lag", *RECORDS, *SECONDS) == (0, 0, 0, 0, 0, 0, 0)
    commit(log, 12, 90)
    assert pick(lag(log, 50), "lag", *RECORDS, *SECONDS) == (10, None, 0, 10, None, 0.0, None)


def test_a_commit_ahead_of_the_end_proves_the_end_stale(log: duckdb.DuckDBPyConnection) -> None:
    """Not negative and not zero: the log ended there or further on, and what is left is not known."""
    batch(log, 0, 9, 0, 5)
    commit(log, 6, 15)
    row = lag(log, 10)
    assert pick(row, *END_BOUNDS, *LAG_BOUNDS) == (None, 15, None, None, 0, None)
    assert pick(row, "bytes", "method", *RECORDS, *SECONDS) == (None, "log_ends", None, 0, None, None, 0.0, None)
    assert pick(row, "last_stable_offset", *STABLE) == (None,) * 4


def test_a_commit_that_a_later_sample_refutes_leaves_lag_unknown(log: duckdb.DuckDBPyConnection) -> None:
    """Whichever of the two is wrong: neither is the end known, nor is it below what is committed."""
    sample(log, 10, 100)
    commit(log, 5, 150)
    assert pick(lag(log, 10), *END_BOUNDS, *LAG_BOUNDS, *RECORDS, *SECONDS) == (None,) * 12


def test_no_data_is_not_zero(log: duckdb.DuckDBPyConnection) -> None:
    """Without any word of the log everything is unknown."""
    commit(log, 6, 15)
    unknown = ("lag", "lost_offsets", "bytes", "method", "last_stable_offset", *RECORDS, *SECONDS, *STABLE)
    assert pick(lag(log, 10), *unknown) == (None,) * len(unknown)


def test_below_the_log_start_nothing_lags(log: duckdb.DuckDBPyConnection) -> None:
    """What retention took is lost and stands apart: it is neither lag nor age."""
    batch(log, 0, 9, 0, 5)
    batch(log, 10, 19, 20, 25)
    commit(log, 6, 2)
    begin(log, 30, 10)
    row = lag(log, 40)
    assert pick(row, "lag", "lost_offsets", "records", "bytes", "seconds") == (10, 8, 10, 100, 20.0)


def test_a_producers_clock_that_is_ahead_makes_no_negative_seconds(log: duckdb.DuckDBPyConnection) -> None:
    """The broker said that the record was there; its own time is still to come."""
    batch(log, 0, 0, 500, 500)
    sample(log, 10, 1)
    commit(log, 11, 0)
    row = lag(log, 20)
    assert pick(row, "lag", "records", *SECONDS) == (1, 1, 0.0, 0.0, 0.0)


def test_records_that_a_header_does_not_count_have_bounds(log: duckdb.DuckDBPyConnection) -> None:
    """A compressed batch of an old format has at least one record, and at most one per offset."""
    batch(log, 0, 9, 0, 5, record_count=None, magic=1, codec="gzip")
    commit(log, 6, 0)
    assert pick(lag(log, 10), "lag", *RECORDS) == (10, None, 1, 10)


def test_at_infinity_time_is_counted_to_the_newest_that_is_known(log: duckdb.DuckDBPyConnection) -> None:
    """Never to now, and never infinite."""
    batch(log, 0, 9, 0, 5, is_log_append_time=True)
    commit(log, 65, 0)
    make(log, "internal.batch_index", "core.log_end_bounds")
    create_macros(log)
    assert log.sql("SELECT records, seconds FROM lag_at('infinity')").fetchall() == [(10, 60.0)]


def make_lag(log: duckdb.DuckDBPyConnection) -> None:
    """Make mart.lag as a run does: what is stored, and what follows from it."""
    Units(log, lag_mart.TRANSFORM).compare(FRONTIERS.file_schema.empty_table())
    stored = [fit_columns(LAG, batch) for batch in lag_mart.lag(log)]
    log.register("facts", pa.Table.from_batches(stored).cast(LAG.file_schema))
    log.execute(f"CREATE OR REPLACE TABLE mart.lag AS SELECT {', '.join(c.selection for c in LAG.columns)} FROM facts")  # noqa: S608 - our own columns
    log.unregister("facts")


def group_status(log: duckdb.DuckDBPyConnection) -> pa.Table:
    """The rows of mart.group_status as a first run makes them."""
    Units(log, status_mart.TRANSFORM).compare(FRONTIERS.file_schema.empty_table())
    return pa.Table.from_batches([fit_columns(GROUP_STATUS, batch) for batch in status_mart.group_status(log)])


def crowd(log: duckdb.DuckDBPyConnection) -> None:
    """Records, transactions, words of a broker and commits for three minutes, a little of everything."""
    for number in range(60):
        in_transaction = {"is_transactional": True, "producer_id": number // 4 % 2} if number % 4 < 3 else {}
        ending = {"is_control": True, "is_transactional": True, "producer_id": number // 4 % 2}
        outcome = (
            {"control_type": ("COMMIT", "ABORT")[number // 8 % 2], **ending} if number % 4 == 2 else in_transaction
        )
        size = 1 if number % 4 == 2 else 5
        base = 4 * number + number // 7
        batch(log, base, base + size - 2 + (size == 1), 3 * number, 3 * number + 2, **outcome)
    for number in range(70):
        commit(log, 2.7 * number, max(0, 4 * number - 3 - number % 11 * 3))
    sample(log, 100, 135, 130)
    sample(log, 150, 260, 250)
    begin(log, 90, 25)
    make(log, "internal.batch_index", "core.log_end_bounds")
    make_snapshots(log)
    create_macros(log)


COMPARED = (
    "current_offset, log_start_offset, log_end_offset, log_end_lower, log_end_upper, lag, lag_lower, lag_upper, "
    "lost_offsets, records, records_lower, records_upper, bytes, seconds, seconds_lower, seconds_upper, method, "
    "last_stable_offset, stable_lag, stable_records, stable_records_lower, stable_records_upper, stable_bytes, "
    "stable_seconds, stable_seconds_lower, stable_seconds_upper"
)


def test_the_mart_says_of_each_instant_what_the_macro_says(log: duckdb.DuckDBPyConnection) -> None:
    """Of every commit and of every instant of the grid, in every column; and bounds bound."""
    crowd(log)
    make_lag(log)
    rows = log.sql(f"SELECT as_of, kind, {COMPARED} FROM mart.lag ORDER BY as_of").fetchall()  # noqa: S608
    assert {row[1] for row in rows} == {"commit", "grid"}
    assert len(rows) > 240
    for as_of, _, *of_mart in rows:
        assert log.execute(f"SELECT {COMPARED} FROM lag_at(?, 'g')", [as_of]).fetchall() == [tuple(of_mart)]  # noqa: S608
    wrong = "records_lower > records_upper OR seconds_lower > seconds_upper OR records_lower < 0 OR seconds_lower < 0"
    wrong += " OR records_upper > lag_upper OR lag_lower > lag_upper OR log_end_lower < current_offset"
    assert log.sql(f"SELECT count(*) FROM mart.lag WHERE {wrong}").fetchall() == [(0,)]  # noqa: S608
    assert log.sql("SELECT count(DISTINCT lag_upper - lag_lower) > 5 FROM mart.lag").fetchall() == [(True,)]
    assert log.sql("SELECT count(DISTINCT method) FROM mart.lag").fetchall() == [(3,)]


@pytest.mark.slow
def test_the_mart_of_verdicts_says_what_the_macro_says(log: duckdb.DuckDBPyConnection) -> None:
    """At every instant of the grid, with the commits behind it."""
    crowd(log)
    log.register("verdicts", group_status(log))
    log.execute("INSERT INTO mart.group_status FROM verdicts")
    columns = "group_id, status, strict_status, partitions, complete, if(status IS NULL, NULL, deciding_rule)"
    rows = log.sql(f"SELECT as_of, log_offsets, {columns} FROM mart.group_status ORDER BY as_of").fetchall()  # noqa: S608
    assert len(rows) > 180
    assert len({row[3] for row in rows}) > 1
    for as_of, log_offsets, *of_mart in rows:
        assert log.execute(f"SELECT {columns} FROM group_status_at(?)", [as_of]).fetchall() == [tuple(of_mart)]  # noqa: S608
        looked_at = "SELECT list_transform(commits, lambda c: c.log_offset) FROM status_at(?)"
        assert log.execute(looked_at, [as_of]).fetchall() == [(log_offsets,)]


def test_pieces_say_what_the_whole_says(log: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commits of several groups in several logs and partitions of the offsets topic, whatever is in one piece."""
    crowd(log)
    log.execute(
        "UPDATE core.commits SET partition = log_offset % 3, log_partition = log_offset % 2, group_id = log_offset % 4"
    )
    log.execute("INSERT INTO internal.batch_index BY NAME SELECT * REPLACE (1 AS partition) FROM internal.batch_index")
    make_snapshots(log)
    pieces = []
    for rows in (1, 40, 1_000_000):
        monkeypatch.setattr("assets.transforms.marts.lag.PIECE_ROWS", rows)
        make_lag(log)
        verdicts = group_status(log).to_pylist()
        pieces.append((log.sql("FROM mart.lag ORDER BY ALL").fetchall(), sorted(map(repr, verdicts))))
        log.execute("DROP TABLE lag_partitions; DROP TABLE lag_starts; DROP TABLE status_partitions")
        log.execute("DROP TABLE status_groups; DROP TABLE status_carries")
    assert pieces[0] == pieces[1] == pieces[2]
    assert len(pieces[0][0]) > 140


@pytest.mark.parametrize("is_winner_kept", [True, False])
def test_lag_is_to_the_end_of_the_log_that_won(log: duckdb.DuckDBPyConnection, *, is_winner_kept: bool) -> None:
    """Whichever copy was read first, and though the end that was lost was farther on."""
    batch(log, 0, 9, 1, 1, leader_epoch=0)
    archive, other = (
        ("raw.batches", "raw.diverged_batches") if is_winner_kept else ("raw.diverged_batches", "raw.batches")
    )
    winning_ms, losing_ms = (BEGAN_MS + second_ * 1000 for second_ in (60, 2))
    for name, last, ms, epoch in ((archive, 14, winning_ms, 1), (other, 29, losing_ms, 0)):
        values = {**BATCH, "base_offset": 10, "last_offset": last, "record_count": last - 9, "leader_epoch": epoch}
        insert(log, name, **values, base_timestamp_ms=ms, max_timestamp_ms=ms)
    log.execute("DELETE FROM core.log_ends")
    make(log, "core.log_ends")
    commit(log, 2, 8)
    for at, expected in ((2, 22), (3, None), (60, 7)):
        assert lag(log, at)["lag"] == expected
    assert log.sql("SELECT max(log_end_offset) FROM internal.batch_index").fetchall() == [(15,)]
