"""From records of the offsets topic, in the order of their log, to the chunks that projections replay.

Put here how records are split into commits and others, and where the log has gaps. What a projection makes of them
belongs in its own module.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assets.arrays.columns import like, numbers, where
from assets.catalog.raw.records import OFFSET_RECORDS, SOURCE
from assets.transforms.assumptions import find_unusable
from assets.transforms.projection import COMPACTED, GAPS, LAST_COMMIT_TYPE, WHOLE_SINCE, LogChunk
from parsers.layouts.groups.record_types import RECORD_TYPES
from parsers.messages.arrays.schemas import null_array

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from assets.transforms.projection import Projection, StoreEvents, Tables
    from parsers.words import Int64Array

    Mask = NDArray[np.bool_]

USUAL: Final = tuple(name for name in OFFSET_RECORDS.column_names if name not in OFFSET_RECORDS.rare)
"""The columns of offset commits and markers."""
LAST_KNOWN_TYPE: Final = max(row.id for row in RECORD_TYPES)
STORE_WHOLE_SINCE: Final = 1
"""Not 0, so that removals are remembered: of some keys a gap lies before them."""
Spans = tuple[tuple[int, int], ...]
"""Half-open ranges of offsets, in ascending order, disjoint."""


@dataclass(slots=True)
class Reader:
    """Makes chunks of records, and remembers the next offset and from where on the log has no gap."""

    next_offset: int = 0
    whole_since: int = 0
    record_count: int = 0
    names: pa.Table | None = None
    damaged: Spans = ()
    """Offsets of quarantined bytes: a gap there is not only the log cleaner's."""
    begun_at: int = 0
    """The log offset at which the last chunk began."""

    def chunk(self, usual: pa.Table, rare: pa.Table) -> LogChunk:
        """Take the next records: those without any rare column, and those with some; each in the order of the log."""
        self.begun_at = self.next_offset
        tables = _columns(usual, USUAL), _columns(rare, OFFSET_RECORDS.column_names)
        offsets = np.concatenate([_offsets(table) for table in tables])
        order = np.argsort(offsets, kind="stable")
        assumption_checks = [find_unusable(table) for table in tables]
        is_broken = np.concatenate([one.is_broken for one in assumption_checks])
        unread = np.concatenate([np.zeros(usual.num_rows, np.bool_), _unread(rare)]) | is_broken
        since = np.empty_like(offsets)
        times_ms = np.concatenate([numbers(table["timestamp_ms"]) for table in tables])[order]
        gaps = _gaps(self.next_offset, offsets[order], times_ms, unread[order], self.damaged)
        since[order] = self._whole_since(offsets[order], unread[order])
        usual, rare = (
            table.append_column(WHOLE_SINCE, pa.array(some))
            for table, some in zip(tables, np.split(since, [usual.num_rows]), strict=True)
        )
        every = pa.concat_tables([_compacted(usual), _compacted(rare)])
        usual, rare = (
            _usable(table, one.is_broken) for table, one in zip((usual, rare), assumption_checks, strict=True)
        )
        self.record_count += offsets.size
        groups = _together(usual.filter(_is_group(usual)), rare)
        ended = self.next_offset - 1, self.whole_since
        unusable = pa.concat_tables([one.rows for one in assumption_checks]).sort_by("log_offset")
        last_ms = _known_ms(times_ms[-1:])
        return LogChunk(_commits(usual, rare), groups, *ended, self.names, gaps, unusable, every, last_ms)

    def store_chunk(self, commits: pa.Table, events: StoreEvents) -> LogChunk:
        """Take the next rows of a store, whose gaps are known key by key, not by position."""
        self.begun_at = self.next_offset
        last = [rows["log_offset"][-1].as_py() for rows in (commits, events.rows) if rows.num_rows]
        self.next_offset = max(last) + 1
        self.whole_since = STORE_WHOLE_SINCE
        self.record_count += commits.num_rows + events.rows.num_rows
        groups = OFFSET_RECORDS.schema.empty_table()
        return LogChunk(commits, groups, self.next_offset - 1, self.whole_since, events=events)

    def _whole_since(self, offsets: Int64Array, unread: Mask) -> Int64Array:
        """Per record, the offset from which on there is no gap; an unreadable record counts as a gap."""
        if not offsets.size:
            return offsets
        expected = np.concatenate([[self.next_offset], offsets[:-1] + 1])
        begins = np.where(unread, offsets + 1, np.where(offsets == expected, self.whole_since, offsets))
        since = np.maximum.accumulate(begins)
        self.next_offset, self.whole_since = int(offsets[-1]) + 1, int(since[-1])
        return since


def _compacted(records: pa.Table) -> pa.Table:
    """The columns that the log cleaner goes by; a rare one that a table lacks is NULL."""
    count = records.num_rows
    given = {name for name in COMPACTED.names if name in records.column_names and records[name].null_count < count}
    columns = [records[field.name] if field.name in given else null_array(field.type, count) for field in COMPACTED]
    return like(pa.table(columns, names=COMPACTED.names), COMPACTED)


def _usable(records: pa.Table, is_broken: Mask) -> pa.Table:
    """The records that break no assumption; usually all of them, without a copy."""
    return records.filter(pa.array(~is_broken)) if is_broken.any() else records


def replay_chunks(projection: Projection, chunks: Iterable[LogChunk]) -> Tables:
    """All rows that a projection makes of chunks, with those that are open at their end."""
    row_batches = [*map(projection.replay, chunks), projection.open_rows()]
    return {name: pa.concat_tables([rows[name] for rows in row_batches if name in rows]) for name in projection.tables}


def _gaps(next_offset: int, offsets: Int64Array, times_ms: Int64Array, unread: Mask, damaged: Spans) -> pa.Table:
    """The gaps: offsets without a record or with an unreadable one, before and among ordered records."""
    expected = np.concatenate([[next_offset], offsets[:-1] + 1])[: offsets.size]
    missing, broken = np.flatnonzero(offsets > expected), np.flatnonzero(unread)
    begins = np.concatenate([expected[missing], offsets[broken]])
    ends = np.concatenate([offsets[missing], offsets[broken] + 1])
    before_ms = np.concatenate([[-1], times_ms[:-1]])[: offsets.size]
    from_ms = np.concatenate([before_ms[missing], times_ms[broken]])
    to_ms = np.concatenate([times_ms[missing], times_ms[broken]])
    is_damage = np.concatenate([_meets(begins[: missing.size], ends[: missing.size], damaged), unread[broken]])
    times = [pa.array(some, mask=some < 0) for some in (from_ms, to_ms)]
    columns = [pa.array(begins), pa.array(ends), *times, pa.array(is_damage)]
    return pa.Table.from_arrays(columns, schema=GAPS).sort_by("from_log_offset")


def _meets(begins: Int64Array, ends: Int64Array, spans: Spans) -> Mask:
    """Which half-open ranges of offsets overlap some of the spans."""
    lows, highs = (np.array([span[side] for span in spans], np.int64) for side in (0, 1))
    meets: Mask = np.searchsorted(highs, begins, side="right") < np.searchsorted(lows, ends, side="left")
    return meets


def _known_ms(last: Int64Array) -> int | None:
    """The time of the last record; None without a record or a time."""
    return int(last[0]) if last.size and last[0] >= 0 else None


def _columns(records: pa.Table, names: Sequence[str]) -> pa.Table:
    """These columns, all nullable, so that tables can be concatenated."""
    return pa.table({name: records[name] for name in names})


def _together(tombstones: pa.Table, rare: pa.Table) -> pa.Table:
    """The records of groups, in the order of the log, with every column."""
    group_records = rare.filter(_is_group(rare))
    if not tombstones.num_rows:
        return group_records
    for name in rare.column_names:
        if name not in tombstones.column_names:
            missing = null_array(rare.schema.field(name).type, tombstones.num_rows)
            tombstones = tombstones.append_column(rare.schema.field(name), missing)
    both = [tombstones.select(rare.column_names).cast(rare.schema), group_records]
    return pa.concat_tables(both).sort_by("log_offset")


def _commits(usual: pa.Table, rare: pa.Table) -> pa.Table:
    """The commits and markers, in the order of the log; those known from dumps alone are among the rare records."""
    commits = where(usual, _is_commit(usual))
    from_dumps = rare.filter(pc.and_kleene(pc.is_valid(rare[SOURCE]), _is_commit(rare)))
    if not from_dumps.num_rows:
        return commits
    return pa.concat_tables([commits, from_dumps.select(commits.column_names).cast(commits.schema)]).sort_by(
        "log_offset"
    )


def _is_commit(records: pa.Table) -> pa.ChunkedArray:
    """Commits and markers; NULL, which filters out, for a key that can't be read."""
    return pc.or_kleene(records["is_control"], pc.less_equal(records["record_type"], LAST_COMMIT_TYPE))


def _is_group(records: pa.Table) -> pa.ChunkedArray:
    return pc.greater(records["record_type"], LAST_COMMIT_TYPE)


def _unread(rare: pa.Table) -> Mask:
    """Records of a known type that no layout reads."""
    undecoded = pc.or_(pc.is_valid(rare["undecoded_key"]), pc.is_valid(rare["undecoded_value"]))
    unread = pc.and_kleene(undecoded, pc.less_equal(rare["record_type"], LAST_KNOWN_TYPE))
    mask: Mask = pc.fill_null(unread, fill_value=False).to_numpy()
    return mask


def _offsets(records: pa.Table) -> Int64Array:
    offsets: Int64Array = records["log_offset"].to_numpy()
    return offsets
