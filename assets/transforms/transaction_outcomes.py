"""When a commit takes effect: a plain one at its own record, one of a transaction at its COMMIT marker.

Put here the outcomes of transactions. What an effective commit means for its key belongs in `commits`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assets.arrays.columns import flags, numbers
from assets.transforms.projection import WHOLE_SINCE

if TYPE_CHECKING:
    from assets.arrays.columns import Mask
    from parsers.words import Int64Array

NOWHERE: Final = -1
ENDINGS: Final = pa.array(["COMMIT", "ABORT"])


class ResolvedCommits(NamedTuple):
    """Effective records, in the order of effect, and pending ones."""

    effective: pa.Table
    """With `effective_log_offset`, `effective_ms` and `effective_whole_since`."""
    pending: pa.Table


def resolve_transactions(records: pa.Table) -> ResolvedCommits:
    """Follow records, in the order of the log, to where each takes effect; those of aborted transactions never do."""
    transactional = flags(records["is_transactional"])
    ending = endings(records)
    is_data = ~flags(records["is_control"])
    commits = flags(pc.equal(records["control_type"], "COMMIT"))
    effective_row = np.where(transactional, ending, np.arange(records.num_rows))
    counts = (
        is_data
        & (effective_row != NOWHERE)
        & (~transactional | (commits[effective_row] & ~is_doubtful(records, effective_row)))
    )
    pending = records.filter(pa.array(is_data & (effective_row == NOWHERE)))
    return ResolvedCommits(_take_effective(records, np.flatnonzero(counts), effective_row), pending)


def endings(records: pa.Table) -> Int64Array:
    """For each transactional record, the row of the marker that ended its transaction; -1 while it is open."""
    places = np.flatnonzero(flags(records["is_transactional"]))
    ending = np.full(records.num_rows, NOWHERE)
    ending[places] = _endings(records.select(["producer_id", "control_type"]).take(pa.array(places)), places)
    return ending


def is_doubtful(records: pa.Table, ending: Int64Array) -> Mask:
    """Records whose own marker may be lost in a gap: the epoch of the next marker does not fit theirs.

    A marker is of its records' epoch, or of the next one: with transactions of version 2, and where a producer was
    fenced off. The cleaner keeps a marker as long as there are records of its transaction.
    """
    log_offset, epoch = numbers(records["log_offset"]), numbers(records["producer_epoch"])
    is_over_hole = numbers(records[WHOLE_SINCE])[ending] > log_offset
    step = epoch[ending] - epoch
    doubtful: Mask = (ending != NOWHERE) & is_over_hole & ((step < 0) | (step > 1))
    return doubtful


def _endings(transactional: pa.Table, places: Int64Array) -> Int64Array:
    """For each transactional record, the place of the next marker of its producer; a marker's epoch may be a later one.

    Markers say what became of a producer's records, not of an epoch's: with transactions of version 2 a marker's epoch
    is one higher than its records'.
    """
    producers = pc.fill_null(transactional["producer_id"], NOWHERE).to_numpy()
    order = np.argsort(producers, kind="stable")
    sorted_producers, sorted_places = producers[order], places[order]
    is_end = flags(pc.is_in(transactional["control_type"], ENDINGS))[order]
    far = places.size
    following = np.minimum.accumulate(np.where(is_end, np.arange(far), far)[::-1])[::-1]
    known = np.flatnonzero(following < far)
    same = known[sorted_producers[following[known]] == sorted_producers[known]]
    endings = np.full(far, NOWHERE)
    endings[order[same]] = sorted_places[following[same]]
    return endings


def _take_effective(records: pa.Table, rows: Int64Array, effective_row: Int64Array) -> pa.Table:
    """The records that took effect, each with what its marker, or it itself, says of the place."""
    where = effective_row[rows]
    if not (where == rows).all():
        order = np.argsort(where, kind="stable")
        rows, where = rows[order], where[order]
    effective, marks = _take_rows(records, rows), _take_rows(records.select(_MARKED), where)
    for name, own in _EFFECTIVE.items():
        effective = effective.append_column(name, marks[own])
    return effective


def _take_rows(records: pa.Table, places: Int64Array) -> pa.Table:
    """Rows by their places; all of them in their order cost nothing."""
    return (
        records if places.size == records.num_rows and (np.diff(places) > 0).all() else records.take(pa.array(places))
    )


_EFFECTIVE: Final = {
    "effective_log_offset": "log_offset",
    "effective_ms": "timestamp_ms",
    "effective_whole_since": WHOLE_SINCE,
}
_MARKED: Final = [*_EFFECTIVE.values()]
