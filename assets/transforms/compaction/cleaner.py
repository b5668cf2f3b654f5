"""One pass of Kafka's log cleaner over one partition's log: the records that it leaves.

Put here what a pass does with its settings. What supersedes what is in `rules`; what a coordinator makes of what is
left belongs in `commits` and `transactions`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assets.arrays.columns import flags, numbers
from assets.arrays.keys import table_keys
from assets.catalog.raw.records import OFFSET_RECORDS
from assets.transforms.compaction import rules
from assets.transforms.compaction.rules import KEY
from assets.transforms.transaction_outcomes import NOWHERE

if TYPE_CHECKING:
    from assets.arrays.columns import Mask
    from parsers.words import Int64Array

DAY_MS: Final = 86_400_000
BATCH_LAST: Final = "batch_last_offset"
IS_EMPTY: Final = "is_empty"
HORIZON: Final = "delete_horizon_ms"


@dataclass(frozen=True, slots=True)
class CleanerPass:
    """One pass of the cleaner: when, over which segments, and with which settings."""

    segments: tuple[int, ...]
    """Base offsets of all segments; the last one is active and never cleaned."""
    now_ms: int
    first_dirty_offset: int = 0
    """Of cleaner-offset-checkpoint: up to there the log was cleaned before."""
    delete_retention_ms: int = DAY_MS
    min_compaction_lag_ms: int = 0
    map_entries: int | None = None
    """Keys that fit in the map of a pass; None for as many as there are."""
    has_horizons: bool = True
    """Since Kafka 3.1 a batch has a delete horizon for its tombstones; before, the age of its segment decides."""
    modified_ms: tuple[int, ...] = ()
    """When each segment was last modified; only needed without horizons."""

    def segment_end(self, offset: int) -> int:
        """Where the segment that holds an offset ends."""
        following = [base for base in self.segments if base > offset]
        return following[0] if following else offset + 1


def log_of(records: pa.Table) -> pa.Table:
    """Raw records of one partition as a log to clean: in order, in whole batches, none of them empty."""
    ordered = records.select([*OFFSET_RECORDS.column_names]).sort_by("log_offset")
    base, offset = rules.batch_bases(ordered), numbers(ordered["log_offset"])
    last = offset[np.searchsorted(base, base, side="right") - 1] if base.size else offset
    log = ordered.append_column(BATCH_LAST, pa.array(last, pa.int64()))
    return log.append_column(IS_EMPTY, pa.array(np.zeros(log.num_rows, np.bool_)))


def records_in(log: pa.Table) -> pa.Table:
    """The records in a log, without its empty batches."""
    return log.select([*OFFSET_RECORDS.column_names]).filter(pc.invert(log[IS_EMPTY]))


def clean(log: pa.Table, cleaner_pass: CleanerPass) -> pa.Table:
    """The log after a pass: unchanged records, some batches with a delete horizon, and some empty batches.

    An empty batch tells how far its producer came; it is a row with `is_empty` in the place of its last record.
    """
    rows = _Rows(log)
    end = rows.uncleanable_from(cleaner_pass)
    latest = rows.latest_mapped(cleaner_pass, end)
    in_reach = rows.offset < min(cleaner_pass.segment_end(latest), end)
    drops = in_reach & ~rows.is_empty & (rows.is_outlived(cleaner_pass) | rows.is_superseded(cleaner_pass, latest))
    is_left = np.isin(rows.base, rows.base[~drops & ~rows.is_empty])
    empties = in_reach & ~is_left & rows.is_last_of_batch & (rows.is_last_of_producer | (rows.last == latest))
    stays = ~in_reach | (~drops & ~rows.is_empty) | empties
    horizons = rows.horizons(cleaner_pass, in_reach & ~drops & ~rows.is_empty)
    after = log.set_column(log.column_names.index(IS_EMPTY), IS_EMPTY, pa.array(rows.is_empty | empties))
    return after.set_column(log.column_names.index(HORIZON), HORIZON, horizons).filter(pa.array(stays))


class _Rows:
    """A log's columns as arrays, with the cleaner's rules for each row."""

    def __init__(self, log: pa.Table) -> None:
        """Take the columns."""
        self.offset, self.last, self.base = numbers(log["log_offset"]), numbers(log[BATCH_LAST]), rules.batch_bases(log)
        self.is_empty, self.is_control = flags(log[IS_EMPTY]), flags(log["is_control"])
        self.is_tombstone, self.has_key = flags(log["is_tombstone"]), rules.has_key(log)
        self.horizon_ms, self.time_ms = numbers(log[HORIZON]), numbers(log["timestamp_ms"])
        self.producer, self.epoch = numbers(log["producer_id"]), numbers(log["producer_epoch"])
        self.key = table_keys(log, KEY)
        self._follow(log)

    def _follow(self, log: pa.Table) -> None:
        """Follow transactions to their markers: which were aborted, which are open, which markers have no data left."""
        control = pc.if_else(log[IS_EMPTY], None, log["control_type"])
        known = log.set_column(log.column_names.index("control_type"), "control_type", control)
        ending, self.is_open, self.is_aborted = rules.transaction_states(known)
        has_data = np.zeros(ending.size, np.bool_)
        has_data[ending[(ending != NOWHERE) & ~self.is_control]] = True
        self.is_spent_marker = flags(control.is_valid()) & ~has_data

    def uncleanable_from(self, cleaner_pass: CleanerPass) -> int:
        """Base offset of the first segment that is not cleaned: active, with an open transaction, or young."""
        young = self.offset[self.time_ms > cleaner_pass.now_ms - cleaner_pass.min_compaction_lag_ms]
        limits = [cleaner_pass.segments[-1], *self.offset[self.is_open][:1]]
        limits += [*young[:1]] if cleaner_pass.min_compaction_lag_ms else []
        return cleaner_pass.segments[max(int(np.searchsorted(cleaner_pass.segments, min(limits), side="right")) - 1, 0)]

    def latest_mapped(self, cleaner_pass: CleanerPass, end: int) -> int:
        """The last offset that the map of the pass covers: all that can be cleaned, or as far as its keys fit."""
        covered = (self.offset >= cleaner_pass.first_dirty_offset) & (self.offset < end)
        mapped = np.flatnonzero(covered & self._is_mappable)
        is_new = np.zeros(mapped.size, np.bool_)
        is_new[np.unique(self.key[mapped], return_index=True)[1]] = True
        too_many = np.flatnonzero(np.cumsum(is_new) - is_new >= (cleaner_pass.map_entries or mapped.size + 1))
        if not too_many.size:
            return int(self.last[covered].max(initial=NOWHERE))
        full = mapped[too_many[0]]
        in_batch = mapped[(self.base[mapped] == self.base[full]) & (mapped < full)]
        return int(
            max(
                self.offset[in_batch].max(initial=NOWHERE),
                self.last[:full][self.base[:full] != self.base[full]].max(initial=NOWHERE),
            )
        )

    @property
    def _is_mappable(self) -> Mask:
        mappable: Mask = self.has_key & ~self.is_control & ~self.is_aborted & ~self.is_empty
        return mappable

    def is_superseded(self, cleaner_pass: CleanerPass, latest: int) -> Mask:
        """Data that a later record of its key replaces, that has no key, or that was aborted."""
        mapped = self._is_mappable & (self.offset >= cleaner_pass.first_dirty_offset) & (self.offset <= latest)
        newest = self._newest(np.flatnonzero(mapped))
        is_old = ~self.has_key | (newest > self.offset) | (self.is_tombstone & self._is_over(cleaner_pass))
        superseded: Mask = ~self.is_control & (self.is_aborted | (is_old & (self.offset <= latest)))
        return superseded

    def _newest(self, mapped: Int64Array) -> Int64Array:
        """For each row the offset of the newest of some rows with its key; -1 without one."""
        rows = rules.supersede(self.key[mapped], self.offset[mapped], np.full(mapped.size, rules.ALWAYS)).newest
        of_key = np.full(self.key.max(initial=0) + 1, NOWHERE)
        of_key[: rows.size] = np.append(self.offset[mapped], NOWHERE)[rows]
        return of_key[self.key]

    def is_outlived(self, cleaner_pass: CleanerPass) -> Mask:
        """Markers of transactions of which nothing is left."""
        outlived: Mask = self.is_spent_marker & self._is_over(cleaner_pass)
        return outlived

    def _is_over(self, cleaner_pass: CleanerPass) -> Mask:
        """Whether tombstones and markers have been kept for long enough."""
        if cleaner_pass.has_horizons:
            over: Mask = (self.horizon_ms >= 0) & (self.horizon_ms <= cleaner_pass.now_ms)
            return over
        modified, segments = np.array(cleaner_pass.modified_ms, np.int64), np.array(cleaner_pass.segments)
        clean = modified[segments < cleaner_pass.first_dirty_offset]
        horizon_ms = clean[-1] - cleaner_pass.delete_retention_ms if clean.size else 0
        old: Mask = modified[np.searchsorted(segments, self.offset, side="right") - 1] <= horizon_ms
        return old

    @property
    def is_last_of_batch(self) -> Mask:
        """The last row of each batch."""
        return np.append(self.base[1:] != self.base[:-1], np.ones(min(self.base.size, 1), np.bool_))

    @property
    def is_last_of_producer(self) -> Mask:
        """The batches with a producer's last sequence."""
        return rules.is_in_last_batch(self.producer, self.epoch, self.is_control, self.base)

    def horizons(self, cleaner_pass: CleanerPass, left: Mask) -> pa.Array:
        """The delete horizons: batches with tombstones or spent markers get one in their first pass."""
        asks = left & (self.is_spent_marker | (self.is_tombstone & ~self.is_control))
        fresh = np.isin(self.base, self.base[asks]) & (self.horizon_ms < 0) & cleaner_pass.has_horizons
        horizon_ms = np.where(fresh, cleaner_pass.now_ms + cleaner_pass.delete_retention_ms, self.horizon_ms)
        return pa.array(horizon_ms, pa.int64(), mask=horizon_ms < 0)
