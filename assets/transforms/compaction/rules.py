"""The log cleaner's rules: which records have a key, how transactions ended, which record supersedes which.

Put here what is true of every pass of the cleaner. The settings of one pass are in `cleaner`, the fate of a record
after all passes is in `record_compaction`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assets.arrays.columns import flags, numbers
from assets.transforms.transaction_outcomes import NOWHERE, endings
from parsers.compiled import compiled

if TYPE_CHECKING:
    from assets.arrays.columns import Mask
    from parsers.words import Int64Array

KEY: Final = ("record_type", "group_id", "topic", "partition", "member_id", "regular_expression", "undecoded_key")
"""The columns that tell keys apart, as their bytes would."""


ALWAYS: Final = np.iinfo(np.int64).max
"""So many offsets: a row that is superseded however late."""


class TransactionStates(NamedTuple):
    """What became of the transaction of each record."""

    ending: Int64Array
    """The row of the marker that ended it; -1 for none."""
    is_open: Mask
    """Data of a transaction that no marker has ended."""
    is_aborted: Mask
    """Data of a transaction that was aborted."""


class Supersession(NamedTuple):
    """What happens to each of some records of keys, in the order in which they take effect."""

    by: Int64Array
    """The row that supersedes it; -1 while none does."""
    at: Int64Array
    """The row with which that takes effect: the later of both; -1 while none does."""
    newest: Int64Array
    """Per key the row that none supersedes; -1 for a key without rows."""


def has_key(records: pa.Table) -> Mask:
    """The records with a key; a dump may tell what is in the key without its size."""
    return flags(pc.or_(records["key_bytes"].is_valid(), records["record_type"].is_valid()))


def batch_bases(records: pa.Table) -> Int64Array:
    """The batch of each record; a record known from a dump alone is its own batch."""
    return numbers(pc.coalesce(records["batch_base_offset"], records["log_offset"]))


def transaction_states(records: pa.Table) -> TransactionStates:
    """Follow transactions to their markers, in the order of the log."""
    ending = endings(records)
    is_data = flags(records["is_transactional"]) & ~flags(records["is_control"])
    is_abort = flags(pc.equal(records["control_type"], "ABORT"))
    is_ended = ending != NOWHERE
    return TransactionStates(ending, is_data & ~is_ended, is_data & is_ended & is_abort[ending])


def supersede(key: Int64Array, log_offset: Int64Array, lifetime: Int64Array) -> Supersession:
    """Of each key the record with the highest offset stands; rows are in the order in which they take effect.

    A record of a transaction takes effect at its marker: then a later record of its key may stand already, and
    supersedes it at once. After its `lifetime`, a number of offsets, no record supersedes a row any more.
    """
    return Supersession(*_supersede(key, log_offset, lifetime, int(key.max(initial=0)) + 1))


@compiled
def _supersede(
    key: Int64Array, log_offset: Int64Array, lifetime: Int64Array, keys: int
) -> tuple[Int64Array, Int64Array, Int64Array]:
    by, at, newest = np.full(key.size, -1), np.full(key.size, -1), np.full(keys, -1)
    for row in range(key.size):
        before = newest[key[row]]
        if before >= 0 and log_offset[before] > log_offset[row]:
            by[row], at[row] = before, row
            continue
        if before >= 0 and log_offset[row] - log_offset[before] <= lifetime[before]:
            by[before], at[before] = row, row
        newest[key[row]] = row
    return by, at, newest


def is_in_last_batch(producer: Int64Array, epoch: Int64Array, is_control: Mask, batch: Int64Array) -> Mask:
    """The records in the batch that tells how far a producer came: the cleaner keeps it, if need be without a record.

    It is the last data of the producer's last epoch; markers count where that epoch has no data yet.
    """
    number, order = np.unique(producer, return_inverse=True)[1], np.argsort(producer, kind="stable")
    steps = (np.diff(producer[order]) != 0) | (np.diff(epoch[order]) != 0)
    run = np.empty(producer.size, np.int64)
    run[order] = np.cumsum(np.concatenate([np.zeros(min(producer.size, 1), np.bool_), steps]))
    last_run, data = (np.full(number.max(initial=0) + 1, NOWHERE) for _ in range(2))
    last_run[number] = run
    is_current = run == last_run[number]
    counts = is_current & ~is_control
    np.maximum.at(data, number[counts], batch[counts])
    has_data = data[number] != NOWHERE
    is_last = np.where(has_data, ~is_control & (batch == data[number]), is_current & is_control)
    last: Mask = (producer != NOWHERE) & is_last
    return last
