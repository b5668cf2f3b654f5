"""From transactional records and markers to their transactions.

Put here which records make up a transaction and how it ended. The effect of its commits on keys belongs in `commits`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assets.arrays.columns import flags, like, numbers, words_of
from assets.arrays.keys import latest_before
from assets.arrays.times import LAST_MS, elapsed_ms, instants
from assets.catalog.core.transactions import TRANSACTIONS
from assets.transforms import projection
from assets.transforms.projection import WHOLE_SINCE
from assets.transforms.transaction_outcomes import ENDINGS, NOWHERE, endings, is_doubtful

if TYPE_CHECKING:
    from assets.arrays.columns import Mask
    from assets.transforms.projection import LogChunk, Tables
    from parsers.words import Int64Array

OUTCOMES: Final = ("committed", "aborted", "open", "unknown")
COMMITTED, ABORTED, OPEN, UNKNOWN = range(len(OUTCOMES))
RECORD: Final = pa.schema(
    [
        *(("producer_id", pa.int64()), ("producer_epoch", pa.int16()), ("group_id", pa.string())),
        *(("log_offset", pa.int64()), ("last_log_offset", pa.int64()), ("record_count", pa.int64())),
        *(("timestamp_ms", pa.int64()), ("is_transactional", pa.bool_()), ("control_type", pa.string())),
        (WHOLE_SINCE, pa.int64()),
    ]
)
"""Commits of one group in one transaction, of one record or of several; or a marker."""
PLACE: Final = pa.schema([("producer_id", pa.int64()), ("log_offset", pa.int64())])
"""The last marker of a producer."""
MERGED: Final = [
    *(("producer_epoch", "min"), ("log_offset", "min"), ("last_log_offset", "max"), ("record_count", "sum")),
    *(("timestamp_ms", "min"), ("is_doubtful", "max")),
]
GROUPS: Final = [("group_id", "list")]
OWN_COLUMNS: Final = tuple(name for name in TRANSACTIONS.column_names if name not in ("cluster", "log_partition"))


@dataclass(slots=True)
class Clock:
    """The position of the replay."""

    last_offset: int = -1
    whole_since: int = 0
    now_ms: int = -1

    def move(self, chunk: LogChunk) -> None:
        """Advance past a chunk; the time is that of the newest record that has one."""
        times = (table["timestamp_ms"] for table in (chunk.commits, chunk.groups))
        newest = [
            time for one in times if (time := pc.max(one.filter(pc.less_equal(one, LAST_MS))).as_py()) is not None
        ]
        self.last_offset, self.whole_since = chunk.last_offset, chunk.whole_since
        self.now_ms = max(self.now_ms, *newest) if newest else self.now_ms


class Transactions:
    """The projection of core.transactions: remembers open transactions, and each producer's last marker."""

    tables: tuple[str, ...] = (TRANSACTIONS.full_name,)

    def __init__(self, open_records: pa.Table, last_markers: pa.Table, clock: Clock) -> None:
        """Begin with the open transactions."""
        self._open, self._ended, self._clock = open_records, last_markers, clock

    @classmethod
    def resume(cls, memory: Tables) -> Transactions:
        """Resume from a memory; from nothing at the beginning of the log."""
        clock = Clock(*memory["clock"].to_pylist()[0].values()) if memory else Clock()
        return cls(memory.get("open", RECORD.empty_table()), memory.get("ended", PLACE.empty_table()), clock)

    def replay(self, chunk: LogChunk) -> Tables:
        """Give the transactions that a marker ended."""
        records = pa.concat_tables([self._open, _records(chunk.commits)])
        is_marker, ending = flags(records["control_type"].is_valid()), endings(records)
        is_ended = pa.array(ending != NOWHERE)
        records = records.append_column("ending", pa.array(ending))
        records = records.append_column("is_doubtful", pa.array(is_doubtful(records, ending)))
        markers = records.filter(pa.array(is_marker))
        rows = _by_marker(markers, _transactions(records.filter(pc.and_(is_ended, pa.array(~is_marker)))), self._ended)
        self._clock.move(chunk)
        self._open = _condense(records.filter(pc.invert(is_ended)))
        self._ended = _last_markers(pa.concat_tables([self._ended, markers.select(PLACE.names)]), chunk)
        return {TRANSACTIONS.full_name: rows}

    def open_rows(self) -> Tables:
        """Give the transactions that are open."""
        rows = _transactions(_of_producers(self._open))
        now = np.full(rows.num_rows, self._clock.last_offset)
        outcome = {
            "outcome": words_of(np.full(rows.num_rows, OPEN), OUTCOMES),
            "age_ms": elapsed_ms(
                pa.repeat(pa.scalar(self._clock.now_ms, pa.int64()), rows.num_rows), rows["timestamp_ms"]
            ),
            "is_gap_free": pa.array(_is_whole(rows, now, np.full(rows.num_rows, self._clock.whole_since), self._ended)),
        }
        return {TRANSACTIONS.full_name: _rows(rows, outcome)}

    def memory(self) -> Tables:
        """The open transactions, the last marker of each producer, and the position of the replay."""
        return {"open": self._open, "ended": self._ended, "clock": pa.Table.from_pylist([asdict(self._clock)])}


def _records(commits: pa.Table) -> pa.Table:
    """The transactional records and the markers, each as a transaction of one record."""
    is_ours = pc.or_(pc.is_null(commits["control_type"]), pc.is_in(commits["control_type"], ENDINGS))
    own = commits.filter(pc.and_(commits["is_transactional"], is_ours))
    counted = own.append_column("last_log_offset", own["log_offset"])
    counted = counted.append_column("record_count", pa.repeat(pa.scalar(1, pa.int64()), own.num_rows))
    return like(counted.select(RECORD.names), RECORD)


def _condense(records: pa.Table) -> pa.Table:
    """One row for each open transaction and group."""
    reduced = _reduce(records, ["producer_id", "group_id"], [])
    rest = {"is_transactional": True, "control_type": None, WHOLE_SINCE: 0}
    for name, value in rest.items():
        reduced = reduced.append_column(name, pa.repeat(pa.scalar(value, RECORD.field(name).type), reduced.num_rows))
    return like(reduced.select(RECORD.names).sort_by("log_offset"), RECORD)


def _of_producers(records: pa.Table) -> pa.Table:
    """Open transactions: a producer has one at a time, and nothing has ended it."""
    doubt = pa.repeat(pa.scalar(value=False), records.num_rows)
    return records.append_column("ending", records["producer_id"]).append_column("is_doubtful", doubt)


def _transactions(records: pa.Table) -> pa.Table:
    """Merge the records with the same end marker into one row, with their groups."""
    by_group = _reduce(records, ["ending", "producer_id", "group_id"], [])
    ordered = by_group.sort_by([("ending", "ascending"), ("group_id", "ascending")])
    return _reduce(ordered, ["ending", "producer_id"], GROUPS)


def _reduce(records: pa.Table, keys: list[str], more: list[tuple[str, str]]) -> pa.Table:
    reduced = records.group_by(keys, use_threads=False).aggregate([*MERGED, *more])
    return reduced.rename_columns(
        [name.rsplit("_", 1)[0] if name not in keys else name for name in reduced.column_names]
    )


def _by_marker(markers: pa.Table, transactions: pa.Table, before: pa.Table) -> pa.Table:
    """One row for each marker, with the records of its transaction."""
    place, of_transaction = numbers(markers["ending"]), numbers(transactions["ending"])
    at = np.minimum(np.searchsorted(of_transaction, place), max(of_transaction.size - 1, 0))
    has_records = of_transaction[at] == place if of_transaction.size else np.zeros(place.size, np.bool_)
    matches = transactions.take(pa.array(at, mask=~has_records))
    outcome = np.where(flags(pc.equal(markers["control_type"], "COMMIT")), COMMITTED, ABORTED)
    whole = _is_whole(markers, numbers(markers["log_offset"]), numbers(markers[WHOLE_SINCE]), before)
    rows = matches.set_column(matches.column_names.index("producer_id"), "producer_id", markers["producer_id"])
    for name in ("log_offset", "producer_epoch"):
        rows = rows.set_column(rows.column_names.index(name), name, pc.coalesce(matches[name], markers[name]))
    columns = {
        "outcome": words_of(np.where(flags(matches["is_doubtful"]), UNKNOWN, outcome), OUTCOMES),
        "marker_log_offset": markers["log_offset"],
        "ended_at": instants(markers["timestamp_ms"]),
        "age_ms": elapsed_ms(markers["timestamp_ms"], matches["timestamp_ms"]),
        "is_gap_free": pa.array(whole),
    }
    return _rows(rows, columns)


def _rows(transactions: pa.Table, outcome: dict[str, pa.Array]) -> pa.Table:
    """The rows of core.transactions."""
    empty = pa.nulls(transactions.num_rows)
    computed = {
        "record_count": pc.fill_null(transactions["record_count"], 0),
        "groups": _or_none(transactions["group_id"]),
        "started_at": instants(transactions["timestamp_ms"]),
        **outcome,
    }
    own = {name: transactions[name] for name in OWN_COLUMNS if name in transactions.column_names}
    return pa.table({name: computed.get(name, own.get(name, empty)) for name in OWN_COLUMNS})


def _or_none(groups: pa.ChunkedArray) -> pa.Array:
    """An empty list of groups where the transaction has no records."""
    lists = groups.combine_chunks()
    return pa.ListArray.from_arrays(
        np.concatenate([[0], np.cumsum(pc.fill_null(pc.list_value_length(lists), 0))]), pc.list_flatten(lists)
    )


def _is_whole(ends: pa.Table, at: Int64Array, since: Int64Array, before: pa.Table) -> Mask:
    """Whether no gap lies between an end and the producer's marker before it, or the beginning of the log."""
    producer = np.concatenate([numbers(before["producer_id"]), numbers(ends["producer_id"])])
    place = np.concatenate([numbers(before["log_offset"]), at])
    order = np.argsort(producer, kind="stable")
    previous = np.empty(place.size, np.int64)
    previous[order] = latest_before(producer[order], place[order])
    previous = previous[before.num_rows :]
    whole: Mask = (since == 0) | ((previous >= since) & (at - previous <= projection.REMEMBERED_OFFSETS))
    return whole


def _last_markers(markers: pa.Table, chunk: LogChunk) -> pa.Table:
    """The last marker of each producer, without those that no later record depends on."""
    last = markers.group_by("producer_id", use_threads=False).aggregate([("log_offset", "max")])
    last = last.rename_columns(PLACE.names)
    return last.filter(pc.greater(last["log_offset"], chunk.forgotten))
