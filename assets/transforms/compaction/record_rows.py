"""The records of a chunk and those that earlier chunks left open, compared with each other by the cleaner's rules.

Put here how the status of rows follows from one another. Which rows stay open is in `record_compaction`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from assets.arrays.columns import flags, like, numbers
from assets.arrays.keys import table_keys
from assets.transforms import projection
from assets.transforms.compaction import rules
from assets.transforms.projection import COMPACTED, WHOLE_SINCE
from assets.transforms.transaction_outcomes import NOWHERE, is_doubtful
from parsers.compiled import compiled

if TYPE_CHECKING:
    from assets.arrays.columns import Mask
    from parsers.words import Int64Array

Values = TypeVar("Values", bound=NDArray[Any])

NAMES: Final = (
    *("current", "tombstone", "pending", "unknown", "marker", "spent_marker", "superseded", "aborted", "without_key"),
)
CURRENT, TOMBSTONE, PENDING, UNKNOWN, MARKER, SPENT_MARKER, SUPERSEDED, ABORTED, WITHOUT_KEY = range(len(NAMES))
OBSOLETE: Final = (SPENT_MARKER, SUPERSEDED, ABORTED, WITHOUT_KEY)
RESULTS: Final = pa.schema(
    [
        *((name, pa.int64()) for name in ("status", "effective_log_offset", "effective_ms")),
        *((name, pa.int64()) for name in ("superseded_by", "obsolete_from", "obsolete_ms", "last_batch")),
    ]
)
"""What is known of a row beside its record; -1 where nothing is. `last_batch` is 1 for a producer's last batch."""
STATUS, EFFECTIVE, EFFECTIVE_MS, BY, FROM, FROM_MS, LAST_BATCH = range(len(RESULTS))
TRANSACTIONAL: Final = (
    *("producer_id", "producer_epoch", "control_type", "log_offset", "is_transactional", "is_control", WHOLE_SINCE),
)


class RecordRows:
    """Open rows and new records as arrays, in the order of the log, with what the cleaner does with each."""

    def __init__(self, open_rows: pa.Table, records: pa.Table) -> None:
        """Compare all of them."""
        self._records = pa.concat_tables([like(open_rows.select(COMPACTED.names), COMPACTED), records])
        offsets = numbers(self._records["log_offset"])
        is_ordered = offsets.size < 2 or bool((offsets[1:] > offsets[:-1]).all())  # noqa: PLR2004 - one row is in order
        self._order = None if is_ordered else np.argsort(offsets, kind="stable")
        self._take_columns()
        self._take_results(open_rows)
        self._resolve()
        self._supersede()
        self._spend_markers()
        self.is_in_last_batch = self._is_in_last_batch()
        self.last_batch[:] = self.is_in_last_batch

    def table(self, rows: Int64Array) -> pa.Table:
        """Some of the rows, with what is known of them."""
        at = rows if self._order is None else self._order[rows]
        table = self._records.take(pa.array(at))
        for name, values in zip(RESULTS.names, self._results, strict=True):
            table = table.append_column(name, pa.array(values[rows]))
        return table

    def leaves_empty_batch(self) -> Mask:
        """The last records of producers' last batches of which nothing is needed."""
        is_needed = self.is_in_last_batch & ~np.isin(self.status, OBSOLETE)
        is_last = np.append(self._batch[1:] != self._batch[:-1], np.ones(min(self._batch.size, 1), np.bool_))
        leaves: Mask = self.is_in_last_batch & is_last & ~np.isin(self._batch, self._batch[is_needed])
        return leaves

    @property
    def is_newest(self) -> Mask:
        """The newest record of each key."""
        newest: Mask = (self.status == CURRENT) | (self.status == TOMBSTONE)
        return newest

    @property
    def has_horizon(self) -> Mask:
        """The rows for which a delete horizon matters."""
        has: Mask = self._is_control | (self.status == TOMBSTONE)
        return has

    def _take_columns(self) -> None:
        records = self._records
        self.log_offset, self._time_ms = self._numbers("log_offset"), self._numbers("timestamp_ms")
        self._batch = self._sorted(rules.batch_bases(records))
        self.delete_horizon_ms = self._numbers("delete_horizon_ms")
        self._is_control, self.is_transactional = self._flags("is_control"), self._flags("is_transactional")
        self._is_tombstone, self._has_key = self._flags("is_tombstone"), self._sorted(rules.has_key(records))

    def _take_results(self, open_rows: pa.Table) -> None:
        """What was known of the open rows; nothing of the new ones."""
        results = np.full((len(RESULTS), self.log_offset.size), NOWHERE)
        for number, name in enumerate(RESULTS.names):
            results[number, : open_rows.num_rows] = numbers(open_rows[name])
        self._results = results if self._order is None else results[:, self._order]
        self.status = self._results[STATUS]
        self.effective_log_offset, self.effective_ms = self._results[EFFECTIVE], self._results[EFFECTIVE_MS]
        self.superseded_by, self.last_batch = self._results[BY], self._results[LAST_BATCH]
        self.obsolete_from, self.obsolete_ms = self._results[FROM], self._results[FROM_MS]

    def _resolve(self) -> None:
        """Decide on rows alone: markers, records without a key, and when each other one takes effect."""
        is_new = self.status == NOWHERE
        is_plain = is_new & (~self.is_transactional | self._is_control)
        np.copyto(self.effective_log_offset, self.log_offset, where=is_plain)
        np.copyto(self.effective_ms, self._time_ms, where=is_plain)
        self.status[is_new & self._is_control] = MARKER
        if self.is_transactional.any():
            self._follow_transactions()
        is_data = (self.status == NOWHERE) & (self.effective_log_offset != NOWHERE)
        self._drop(is_data & ~self._has_key, WITHOUT_KEY)

    def _follow_transactions(self) -> None:
        """Decide on the records of transactions: those that are open, aborted, or of an outcome that nobody knows."""
        is_undecided = ((self.status == NOWHERE) & self.is_transactional) | (self.status == PENDING)
        at = np.flatnonzero(is_undecided | (self.is_transactional & self._is_control))
        places = pa.array(at if self._order is None else self._order[at])
        records = self._records.select([*TRANSACTIONAL]).take(places)
        states = rules.transaction_states(records)
        marker = at[states.ending]
        is_over = is_undecided[at] & ~states.is_open
        own = at[is_over]
        self.effective_log_offset[own] = self.log_offset[marker[is_over]]
        self.effective_ms[own] = self._time_ms[marker[is_over]]
        self.status[own] = NOWHERE
        self.status[at[states.is_open & is_undecided[at]]] = PENDING
        is_unknown = is_over & is_doubtful(records, states.ending)
        self._drop_rows(at[states.is_aborted & is_over & ~is_unknown], ABORTED)
        self.status[at[is_unknown]] = UNKNOWN

    def _supersede(self) -> None:
        """Compare the records of each key in the order in which they take effect."""
        events = np.flatnonzero(((self.status == NOWHERE) & (self.effective_log_offset != NOWHERE)) | self.is_newest)
        if self.is_transactional.any():
            events = events[np.lexsort([self.log_offset[events], self.effective_log_offset[events]])]
        is_forgotten = self._is_tombstone & ~self.is_transactional
        lifetime = np.where(is_forgotten, projection.REMEMBERED_OFFSETS, rules.ALWAYS)
        key = self._sorted(table_keys(self._records, rules.KEY))
        if events.size < key.size:
            key, lifetime = key[events], lifetime[events]
        superseding = rules.supersede(key, self.log_offset[events], lifetime)
        self.status[events] = np.where(self._is_tombstone[events], TOMBSTONE, CURRENT)
        _settle(self._results, self.log_offset, events, superseding.by, superseding.at)

    def _spend_markers(self) -> None:
        """Markers of which no record is needed: from where on the last one was not, or from themselves on."""
        markers = np.flatnonzero(self.status == MARKER)
        if not markers.size:
            return
        data = np.flatnonzero(self.is_transactional & ~self._is_control & (self.status != UNKNOWN))
        data = data[np.isin(self.effective_log_offset[data], self.log_offset[markers])]
        marker = markers[np.searchsorted(self.log_offset[markers], self.effective_log_offset[data])]
        self.obsolete_from[markers], self.obsolete_ms[markers] = self.log_offset[markers], self._time_ms[markers]
        by_end = np.argsort(self.obsolete_from[data], kind="stable")
        self.obsolete_from[marker[by_end]] = self.obsolete_from[data[by_end]]
        self.obsolete_ms[marker[by_end]] = self.obsolete_ms[data[by_end]]
        is_used = np.isin(markers, marker[~np.isin(self.status[data], OBSOLETE)])
        self.status[markers[~is_used]] = SPENT_MARKER
        self.obsolete_from[markers[is_used]] = self.obsolete_ms[markers[is_used]] = NOWHERE

    def _is_in_last_batch(self) -> Mask:
        """The records of the last batch of each producer; of several markers without data the last one."""
        producer = self._numbers("producer_id")
        is_last = np.zeros(producer.size, np.bool_)
        at = np.flatnonzero((producer != NOWHERE) & (self.last_batch != 0))
        if not at.size:
            return is_last
        epoch, is_control = self._numbers("producer_epoch")[at], self._is_control[at]
        last = at[rules.is_in_last_batch(producer[at], epoch, is_control, self._batch[at])]
        markers = last[self._is_control[last]]
        newest = markers[::-1][np.unique(producer[markers[::-1]], return_index=True)[1]]
        is_last[last[~self._is_control[last]]] = True
        is_last[newest] = True
        return is_last

    def _drop(self, rows: Mask, status: int) -> None:
        self._drop_rows(np.flatnonzero(rows), status)

    def _drop_rows(self, rows: Int64Array, status: int) -> None:
        """Rows that nothing needs from where they would take effect."""
        self.status[rows] = status
        self.obsolete_from[rows], self.obsolete_ms[rows] = self.effective_log_offset[rows], self.effective_ms[rows]

    def _numbers(self, name: str) -> Int64Array:
        return self._sorted(numbers(self._records[name]))

    def _flags(self, name: str) -> Mask:
        return self._sorted(flags(self._records[name]))

    def _sorted(self, values: Values) -> Values:
        return values if self._order is None else cast("Values", values[self._order])


@compiled
def _settle(
    results: NDArray[np.int64], log_offset: Int64Array, events: Int64Array, by: Int64Array, at: Int64Array
) -> None:
    """Write down what superseded each row, and from where on: one loop, since nearly every row is."""
    for number in range(events.size):
        if by[number] >= 0:
            row, end = events[number], events[at[number]]
            results[STATUS, row], results[BY, row] = SUPERSEDED, log_offset[events[by[number]]]
            results[FROM, row], results[FROM_MS, row] = results[EFFECTIVE, end], results[EFFECTIVE_MS, end]
