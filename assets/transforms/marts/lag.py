"""Lag as of every commit and of every store: how far each had read, placed in the log that it read.

Put here how points find their places, piece by piece. What is left to read from there is counted in
`assets.transforms.marts.lag_counts`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from assets import models
from assets.arrays.neighbours import NO_ROW
from assets.catalog.mart.lag import LAG
from assets.catalog.table import TIMESTAMP
from assets.duckdb import session
from assets.storage.parquet_files import READ_AT_ONCE
from assets.transforms.declaration import IS_FINAL, TransformWithFrontiers
from assets.transforms.marts.lag_counts import UNKNOWN, LogEnds, Lookup, remainder_of, remaining_lag
from parsers.compiled import compiled

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import duckdb

    from assets.arrays.neighbours import Mask
    from parsers.words import Int64Array

POINTS: Final = pa.array(["commit", "grid"])
PIECE_ROWS = 1_000_000
"""How many rows of internal.batch_index the logs of one piece have together, more or less."""
MODELS: Final = ("lag_partitions", "lag_starts", "lag_batch_index", "lag_ends", "lag_instants")
FROM_AT: Final = "if(count(from_at) = count(*), min(from_at), '-infinity'::TIMESTAMPTZ)::VARCHAR AS from_at"
"""From which instant on lag is to be worked out in a piece."""
UNIT: Final = ("cluster", "log_partition", "topic", "partition")
OWN: Final = ("group_id", "current_offset", "log_partition", "log_offset")


def lag(connection: duckdb.DuckDBPyConnection) -> Iterator[pa.RecordBatch]:
    """The rows of mart.lag from the frontiers on: memory holds what internal.batch_index has of the logs of a piece."""
    create_partitions(connection, "lag_partitions")
    connection.execute(f"CREATE TEMP TABLE lag_starts AS {models.select('lag_starts')}")
    for _ in pieces(connection, "lag_partitions", FROM_AT):
        yield from _piece(connection)


def create_partitions(connection: duckdb.DuckDBPyConnection, uses: str) -> None:
    """Make the table of the logs that are used, cut into pieces."""
    connection.execute("SET VARIABLE piece_rows = $rows", {"rows": PIECE_ROWS})
    connection.execute(f"CREATE TEMP TABLE {uses} AS {models.select(uses)}")


def pieces(connection: duckdb.DuckDBPyConnection, uses: str, *facts: str) -> Iterator[None]:
    """The pieces of a table of uses: during each, variables say its number, its log partitions, and `facts`."""
    columns = "piece", "min(from_partition) AS from_partition", "max(to_partition) AS to_partition", *facts
    return session.each(connection, f"SELECT {', '.join(columns)} FROM {uses} GROUP BY piece ORDER BY piece")  # noqa: S608 - our own name


def _piece(connection: duckdb.DuckDBPyConnection) -> Iterator[pa.RecordBatch]:
    uses = connection.sql("FROM lag_partitions WHERE piece = getvariable('piece') ORDER BY use").to_arrow_table()
    logs = Logs.read(connection, uses["log"].to_numpy())
    final_to = uses["final_to"].cast(pa.int64()).fill_null(UNKNOWN).to_numpy()
    keys = {name: uses[name].combine_chunks() for name in ("cluster", "topic", "partition")}
    keys |= {name: texts.dictionary_encode() for name, texts in keys.items() if texts.type == pa.string()}
    for points in connection.sql(models.select("lag_instants")).to_arrow_reader(READ_AT_ONCE):
        rows = _rows(points, {name: key.take(points["use"]) for name, key in keys.items()}, logs.lag(points))
        is_final = points["as_of"].to_numpy() < final_to[points["use"].to_numpy()]
        yield rows.append_column(IS_FINAL, pa.array(is_final))


def _rows(points: pa.RecordBatch, key: Mapping[str, pa.Array], lag: Mapping[str, pa.Array]) -> pa.RecordBatch:
    """The points and what they lag, by the names of the table's columns."""
    own = {name: points[name] for name in OWN}
    point = pa.DictionaryArray.from_arrays(points["kind"], POINTS)
    return pa.record_batch({**own, **key, "as_of": points["as_of"].cast(TIMESTAMP), "kind": point, **lag})


@dataclass(frozen=True)
class SortedRows:
    """Rows of logs that are found by a number that ascends in each log."""

    rows: Int64Array
    """With NO_ROW behind them."""
    numbers: Int64Array
    low: Int64Array
    high: Int64Array
    """For each use of a log where the rows of that log begin and end."""

    @classmethod
    def of(cls, logs: Int64Array, uses: Int64Array, numbers: Int64Array, rows: Int64Array) -> SortedRows:
        """The places of some rows, which stand in the order of the logs."""
        low, high = (np.searchsorted(logs[rows], uses, side=side) for side in ("left", "right"))
        return cls(np.append(rows, NO_ROW), numbers[rows], low, high)

    def last(self, use: Int64Array, goals: Int64Array) -> Int64Array:
        """For each that asks the last row of its log whose number is not higher; NO_ROW without one."""
        rows = rows_up_to(self.numbers, self.low, self.high, use, goals)
        return np.where(rows > self.low[use], self.rows[rows - 1], NO_ROW)

    def next(self, use: Int64Array, goals: Int64Array) -> Int64Array:
        """For each that asks the first row of its log whose number is higher; NO_ROW without one."""
        rows = rows_up_to(self.numbers, self.low, self.high, use, goals)
        return np.where(rows < self.high[use], self.rows[rows], NO_ROW)


@dataclass(frozen=True)
class EndBounds:
    """When the ends of the logs of a piece were not known exactly."""

    rows: Mapping[str, Int64Array]
    places: SortedRows

    @classmethod
    def read(cls, connection: duckdb.DuckDBPyConnection, query: str, uses: Int64Array) -> EndBounds:
        """Read it, for each use of a log."""
        rows = integer_columns(connection, query)
        return cls(rows, SortedRows.of(rows["log"], uses, rows["from_at"], np.arange(rows["log"].size - 1)))

    def at(self, use: Int64Array, as_of: Int64Array) -> Lookup:
        """The bounds at each instant; NO_ROW where the end was known exactly."""
        row = self.places.last(use, as_of)
        to_at = self.rows["to_at"][row]
        return Lookup(self.rows, np.where((to_at == UNKNOWN) | (to_at > as_of), row, NO_ROW))


@dataclass(frozen=True)
class Logs:
    """What is known of the logs of a piece; behind each column's rows stands UNKNOWN, where NO_ROW leads."""

    reach: Mapping[str, Int64Array]
    starts: Mapping[str, Int64Array]
    news: SortedRows
    news_by_end: SortedRows
    stretches: SortedRows
    beginnings: SortedRows
    bounds: EndBounds

    @classmethod
    def read(cls, connection: duckdb.DuckDBPyConnection, uses: Int64Array) -> Logs:
        """Read it, for each use of a log."""
        reach, starts = (
            integer_columns(connection, models.select("lag_batch_index")),
            integer_columns(connection, "FROM lag_starts"),
        )
        is_stretch = (reach["base_offset"] != UNKNOWN) & (reach["last_offset"] != UNKNOWN)
        news, stretches = np.flatnonzero(reach["is_new_log_end"] == 1), np.flatnonzero(is_stretch)
        return cls(
            reach,
            starts,
            SortedRows.of(reach["log"], uses, reach["reached_at"], news),
            SortedRows.of(reach["log"], uses, reach["log_end_offset"], news),
            SortedRows.of(reach["log"], uses, reach["log_end_offset"], stretches),
            SortedRows.of(starts["log"], uses, starts["reached_at"], np.arange(starts["log"].size - 1)),
            EndBounds.read(connection, models.select("lag_ends"), uses),
        )

    def lag(self, points: pa.RecordBatch) -> dict[str, pa.Array]:
        """How the logs stood at some points, and what was left to read."""
        use, as_of, current = (points[name].to_numpy() for name in ("use", "as_of", "current_offset"))
        start = Lookup(self.starts, self.beginnings.last(use, as_of))["log_start_offset"]
        goals = self._goals(use, as_of)
        begins = np.where(current >= 0, np.maximum(current, start), start)
        is_sound = goals.are_sound(begins)
        unread_from = np.where(is_sound & (current >= 0), begins, UNKNOWN)
        high, stable = remaining_lag(as_of, goals, remainder_of(self._stretch(use, unread_from, goals), unread_from))
        lower, upper = (
            np.where(is_sound, end, UNKNOWN) for end in (np.maximum(goals.known_end, begins), goals.last_end)
        )
        ends = {"log_start_offset": start, "log_end_lower": lower, "log_end_upper": upper}
        last_stable = np.where(goals.is_bounded, UNKNOWN, goals.first["last_stable_offset"])
        known = _columns({**ends, "last_stable_offset": last_stable, **high})
        return {**known, "stable_apart": _apart(_columns(stable), goals.are_stable)}

    def _goals(self, use: Int64Array, as_of: Int64Array) -> LogEnds:
        """Where the logs ended, or between which goals."""
        goal = Lookup(self.reach, self.news.last(use, as_of))
        bounds = self.bounds.at(use, as_of)
        is_bounded = bounds.rows != NO_ROW
        lower, upper = bounds["log_end_lower"], bounds["log_end_upper"]
        ceiling = np.where(upper == UNKNOWN, NO_ROW, self.news_by_end.last(use, upper))
        is_ceiling = is_bounded & (self.reach["log_end_offset"][ceiling] == upper)
        last = Lookup(self.reach, np.where(is_bounded, np.where(is_ceiling, ceiling, NO_ROW), goal.rows))
        is_unknown = is_bounded & (lower == UNKNOWN) & (upper == UNKNOWN)
        known_end = np.where(is_unknown, UNKNOWN, np.maximum(goal["log_end_offset"], lower))
        last_end = np.where(is_bounded, upper, goal["log_end_offset"])
        return LogEnds(goal, last, is_bounded, known_end, last_end)

    def _stretch(self, use: Int64Array, unread_from: Int64Array, goals: LogEnds) -> Lookup:
        """The stretch in which, or before which, each stands that reads up to its goals."""
        stretch = np.where(unread_from == UNKNOWN, NO_ROW, self.stretches.next(use, unread_from))
        end = np.maximum(goals.first["log_end_offset"], goals.last["log_end_offset"])
        return Lookup(self.reach, np.where(self.reach["base_offset"][stretch] < end, stretch, NO_ROW))


def _columns(numbers: Mapping[str, Int64Array]) -> dict[str, pa.Array]:
    """Numbers as columns: seconds of microseconds, and NULL for what is unknown."""
    return {
        name: pa.array(column / 1e6 if "seconds" in name else column, mask=column == UNKNOWN)
        for name, column in numbers.items()
    }


def _apart(columns: Mapping[str, pa.Array], is_same: Mask) -> pa.Array:
    """Columns as one, NULL where it is the same as what stands elsewhere."""
    kind = LAG.schema.field("stable_apart").type
    if is_same.all():
        return pa.nulls(is_same.size, kind)
    return pa.StructArray.from_arrays(list(columns.values()), fields=list(kind), mask=pa.array(is_same))


def integer_columns(connection: duckdb.DuckDBPyConnection, query: str) -> dict[str, Int64Array]:
    """Columns of numbers, with UNKNOWN for NULL, and behind the rows."""
    rows = connection.sql(query).to_arrow_table()
    return {name: np.append(rows[name].fill_null(UNKNOWN).to_numpy(), UNKNOWN) for name in rows.column_names}


@compiled
def rows_up_to(
    numbers: Int64Array, low: Int64Array, high: Int64Array, use: Int64Array, goals: Int64Array
) -> Int64Array:
    """Behind how many numbers each that asks stands in its log: who asks in turn moves on a little each time."""
    rows = np.empty(use.size, np.int64)
    stands = low.copy()
    for row in range(use.size):
        own = use[row]
        is_behind = stands[own] > low[own] and numbers[stands[own] - 1] > goals[row]
        begin = low[own] if is_behind else stands[own]
        stands[own] = rows[row] = _rows_up_to(numbers, begin, high[own], goals[row])
    return rows


@compiled
def _rows_up_to(numbers: Int64Array, begin: int, end: int, goal: int) -> int:
    """Behind how many numbers: in steps that double, then by halves."""
    step = 1
    while begin + step <= end and numbers[begin + step - 1] <= goal:
        begin += step
        step *= 2
    end = min(end, begin + step - 1)
    while begin < end:
        middle = (begin + end) // 2
        begin, end = (middle + 1, end) if numbers[middle] <= goal else (begin, middle)
    return begin


TRANSFORM: Final = TransformWithFrontiers(lag, MODELS, UNIT, "lag_frontiers", "lag_digests", summed="core.commits")
