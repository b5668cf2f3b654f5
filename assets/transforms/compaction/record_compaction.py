"""The projection of core.record_compaction: what the log cleaner does with each record, by all that was read.

Put here which rows are open, and which a later record can't change. The cleaner's rules are in `rules`; how the rows
of a chunk are compared is in `record_rows`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from assets.arrays.columns import like, words_of
from assets.arrays.times import instants
from assets.catalog.core.record_compaction import RECORD_COMPACTION
from assets.catalog.table import TIMESTAMP
from assets.transforms import projection
from assets.transforms.compaction.record_rows import MARKER, NAMES, PENDING, RESULTS, TOMBSTONE, RecordRows
from assets.transforms.projection import COMPACTED

if TYPE_CHECKING:
    from assets.arrays.columns import Mask
    from assets.transforms.projection import LogChunk, Tables
    from parsers.words import Int64Array

PLAIN: Final = pa.schema(
    [
        field.with_type(field.type.value_type) if pa.types.is_dictionary(field.type) else field
        for field in [*COMPACTED, *RESULTS]
    ]
)
"""Open rows as they are remembered: texts without a dictionary, which would hold those of all records."""


class RecordCompaction:
    """Remembers the newest record of each key, open transactions, markers in use, and each producer's last batch."""

    tables: tuple[str, ...] = (RECORD_COMPACTION.full_name,)

    def __init__(self, open_rows: pa.Table) -> None:
        """Begin with the open rows."""
        self._open = open_rows

    @classmethod
    def resume(cls, memory: Tables) -> RecordCompaction:
        """Resume from the open rows; from none at the beginning of the log."""
        return cls(memory.get("open", PLAIN.empty_table()))

    def replay(self, chunk: LogChunk) -> Tables:
        """Give the rows of records that nothing needs, and that no later record changes."""
        rows = RecordRows(self._open, chunk.records)
        is_open = _is_open(rows, chunk.last_offset)
        self._open = like(rows.table(np.flatnonzero(is_open)), PLAIN)
        return {RECORD_COMPACTION.full_name: _table_rows(rows, ~is_open)}

    def open_rows(self) -> Tables:
        """Give the rows of records that are needed, and of each producer's last batch."""
        rows = RecordRows(self._open, COMPACTED.empty_table())
        return {RECORD_COMPACTION.full_name: _table_rows(rows, np.ones(rows.log_offset.size, np.bool_))}

    def memory(self) -> Tables:
        """The open rows."""
        return {"open": self._open}


def _is_open(rows: RecordRows, last_offset: int) -> Mask:
    """The rows that a later record may change.

    A plain tombstone is remembered for so many offsets only: keys that are gone for good would fill the checkpoint.
    """
    is_new = last_offset - rows.log_offset < projection.REMEMBERED_OFFSETS
    is_needed = (rows.status == MARKER) | (rows.status == PENDING) | rows.is_newest
    is_forgotten = (rows.status == TOMBSTONE) & ~rows.is_transactional & ~is_new
    is_open: Mask = (is_needed & ~is_forgotten) | rows.is_in_last_batch
    return is_open


def _table_rows(rows: RecordRows, wanted: Mask) -> pa.Table:
    """The rows of core.record_compaction for some records."""
    at = np.flatnonzero(wanted)
    by, since = rows.superseded_by[at], rows.obsolete_from[at]
    horizon_ms = np.where(rows.has_horizon, rows.delete_horizon_ms, -1)[at] if rows.has_horizon.any() else None
    return pa.table(
        {
            "log_offset": pa.array(rows.log_offset[at]),
            "status": words_of(rows.status[at], NAMES),
            "superseding_log_offset": _known(by, (by >= 0) & (by != since)),
            "obsolete_from_log_offset": _known(since, since >= 0),
            "obsolete_at": _instants(rows.obsolete_ms[at]),
            "delete_horizon_at": pa.nulls(at.size, TIMESTAMP) if horizon_ms is None else _instants(horizon_ms),
            "leaves_empty_batch": pa.array(rows.leaves_empty_batch()[at]),
        }
    )


def _known(values: Int64Array, is_known: Mask) -> pa.Array:
    return pa.array(values, mask=~is_known) if is_known.any() else pa.nulls(values.size, pa.int64())


def _instants(times_ms: Int64Array) -> pa.Array:
    return instants(_known(times_ms, times_ms >= 0))
