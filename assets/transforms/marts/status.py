"""What Burrow would have said of each group at the instants of a grid, a piece of the groups at a time.

Put here what is looked at for it: windows of commits, and the log ends that were known. How that is judged is said by
the model of the table and its macros.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from assets import models
from assets.arrays.columns import minus
from assets.arrays.neighbours import NO_ROW
from assets.arrays.windows import AT, COMMITTED, LENGTH, LOG_PARTITION, OFFSET, Windows
from assets.storage.parquet_files import READ_AT_ONCE
from assets.transforms.declaration import TransformWithFrontiers
from assets.transforms.marts.lag import EndBounds, SortedRows, create_partitions, integer_columns, pieces
from assets.transforms.marts.lag_counts import UNKNOWN, Lookup

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

    from assets.arrays.neighbours import Mask
    from parsers.words import Int64Array

USES: Final = (
    "SELECT use, log, first_step, last_step, first_us, step_us FROM status_partitions"
    " WHERE piece = getvariable('piece') ORDER BY use"
)
WINDOW_STARTS: Final = ("status_groups", "status_carries")
MODELS: Final = (
    *WINDOW_STARTS,
    *("status_partitions", "status_commits", "log_end_advances", "status_ends", "group_status"),
)
UNIT: Final = ("cluster", "group_id")
COMMIT: Final = ("effective_log_offset", "log_offset", "log_partition", "committed_at_us", "committed_offset")
LOOKED_EVERY_US: Final = 10_000_000
"""How often Burrow looks at log ends."""


def group_status(connection: duckdb.DuckDBPyConnection) -> Iterator[pa.RecordBatch]:
    """The rows of mart.group_status from the frontiers on, some groups after the other."""
    for name in WINDOW_STARTS:
        connection.execute(f"CREATE TEMP TABLE {name} AS {models.select(name)}")
    create_partitions(connection, "status_partitions")
    for _ in pieces(connection, "status_partitions"):
        uses = {name: numbers[:-1] for name, numbers in integer_columns(connection, USES).items()}
        windows = _windows(connection, uses["first_step"], int(uses["last_step"][0]))
        as_of_us = uses["first_us"][windows.uses] + windows.steps * uses["step_us"][windows.uses]
        connection.register(
            "status_windows", _status_windows(windows, as_of_us, EndHistory.read(connection, uses["log"]))
        )
        yield from connection.sql(models.select("group_status")).to_arrow_reader(READ_AT_ONCE)
        connection.unregister("status_windows")


def _windows(connection: duckdb.DuckDBPyConnection, first_steps: Int64Array, last_step: int) -> Windows:
    windows = Windows(first_steps, last_step)
    for commits in connection.sql(models.select("status_commits")).to_arrow_reader(READ_AT_ONCE):
        columns = [commits[name].fill_null(UNKNOWN).to_numpy() for name in COMMIT]
        windows.add(commits["use"].to_numpy(), commits["step"].to_numpy(), np.stack(columns, axis=1))
    windows.fill()
    return windows


def _status_windows(windows: Windows, as_of_us: Int64Array, ends: EndHistory) -> pa.Table:
    """Each window with the lag at each commit, and the log ends that were known lately, oldest first."""
    use, is_there = windows.uses, np.arange(LENGTH) < windows.counts[:, None]
    commits = windows.commits[is_there]
    at, committed = commits[:, AT], commits[:, COMMITTED]
    owner = np.repeat(use, windows.counts)
    end = ends.at(owner, at)
    lags = np.where((end == UNKNOWN) | (committed == UNKNOWN), UNKNOWN, np.maximum(minus(end, committed), 0))
    looks = as_of_us[:, None] - np.arange(LENGTH)[::-1] * LOOKED_EVERY_US
    known = ends.at(np.repeat(use, LENGTH), looks.ravel())
    are_bounded = ends.are_bounded(np.repeat(use, LENGTH), looks.ravel()).reshape(-1, LENGTH)
    inexact_commits = np.bincount(np.repeat(np.arange(use.size), windows.counts), ends.are_bounded(owner, at), use.size)
    columns = {"offsets": committed, "times_ms": at // 1000, "lags": lags, "log_offsets": commits[:, OFFSET]}
    return pa.table(
        {
            "use": use,
            "as_of_ms": as_of_us // 1000,
            "last_log_partition": windows.commits[np.arange(use.size), windows.counts - 1, LOG_PARTITION],
            **{name: _lists(values, windows.counts) for name, values in columns.items()},
            "ends": _lists(known, np.full(use.size, LENGTH)),
            "is_exact": (inexact_commits == 0) & ~are_bounded.any(axis=1),
        }
    )


def _lists(values: Int64Array, counts: Int64Array) -> pa.Array:
    """So many values after the other as a list each."""
    offsets = np.append(0, np.cumsum(counts)).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(values, mask=values == UNKNOWN))


@dataclass(frozen=True)
class EndHistory:
    """How far the logs of a piece had come."""

    news: dict[str, Int64Array]
    places: SortedRows
    bounds: EndBounds

    @classmethod
    def read(cls, connection: duckdb.DuckDBPyConnection, uses: Int64Array) -> EndHistory:
        """Read it, for each use of a log."""
        news = integer_columns(connection, models.select("log_end_advances"))
        rows = np.arange(news["log"].size - 1)
        places = SortedRows.of(news["log"], uses, news["reached_at"], rows)
        return cls(news, places, EndBounds.read(connection, models.select("status_ends"), uses))

    def at(self, use: Int64Array, instants: Int64Array) -> Int64Array:
        """Where the log ended at each instant; UNKNOWN before the first that is known, and within bounds."""
        end = Lookup(self.news, self.places.last(use, instants))["log_end_offset"]
        return np.where(self.are_bounded(use, instants), UNKNOWN, end)

    def are_bounded(self, use: Int64Array, instants: Int64Array) -> Mask:
        """Whether the log end at each instant is known within bounds only."""
        return np.not_equal(self.bounds.at(use, instants).rows, NO_ROW)


TRANSFORM: Final = TransformWithFrontiers(
    group_status, MODELS, UNIT, "status_frontiers", "status_digests", summed="core.commits"
)
