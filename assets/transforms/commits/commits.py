"""From records of the offsets topic to the history of commits that took effect.

Put here how a commit compares with the previous one of its key. When it takes effect is in `transaction_outcomes`; what
it means for a consumer (replays, lag) is in the marts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assets.arrays.columns import fields, flags, like, numbers, or_null, where, words_of
from assets.arrays.keys import latest_before, table_keys
from assets.arrays.times import instants
from assets.catalog.core.commits import COMMITS, KAFKA
from assets.transforms import projection
from assets.transforms.commits.attribution import ATTRIBUTED
from assets.transforms.commits.outside_commits import (
    COUNT,
    GENERATION,
    count_outside_commits,
    reattribute_programs,
    with_outside_commits,
)
from assets.transforms.projection import WHOLE_SINCE
from assets.transforms.removals import STATES, RemovalEvidence, explain_removals, retain_group_states, states_after
from assets.transforms.transaction_outcomes import resolve_transactions

if TYPE_CHECKING:
    from assets.arrays.columns import Mask
    from assets.transforms.projection import LogChunk, Tables
    from parsers.words import Int64Array

KINDS: Final = ("first", "advance", "repeat", "rewind", "removed", "unknown")
FIRST, ADVANCE, REPEAT, REWIND, REMOVED, UNKNOWN = range(len(KINDS))
NO_TOPIC_ID: Final = "A" * 22
"""How Kafka prints the zero uuid: no topic id was sent."""
KEY: Final = ("group_id", "topic", "partition")
READ: Final = (
    *KEY,
    *(
        "log_offset",
        "batch_base_offset",
        "delete_horizon_ms",
        "timestamp_ms",
        "producer_id",
        "producer_epoch",
        "base_sequence",
    ),
    *("is_transactional", "is_control", "control_type", "is_tombstone", "offset_commit", WHOLE_SINCE),
    *ATTRIBUTED,
)
NOTHING: Final = -1
OWN_COLUMNS: Final = tuple(name for name in COMMITS.column_names if name not in ("cluster", "log_partition"))
LAST: Final = pa.schema(
    [
        *(("group_id", pa.string()), ("topic", pa.string()), ("partition", pa.int32())),
        *(("log_offset", pa.int64()), ("committed_offset", pa.int64()), ("is_old_removal", pa.bool_())),
        *(("commit_ms", pa.int64()), ("expire_ms", pa.int64())),
        *((GENERATION, pa.int32()), (COUNT, pa.int64())),
    ]
)
"""What is remembered of a key: the last record that took effect. The offset of a removal is NULL."""


class Commits:
    """The projection of core.commits: remembers the last effective record of each key, and the pending ones."""

    tables: tuple[str, ...] = (COMMITS.full_name,)

    def __init__(self, last: pa.Table, pending: pa.Table | None, states: pa.Table) -> None:
        """Begin with the last record of each key, the records of open transactions, and the states of groups."""
        self._last, self._pending, self._states = last, pending, states

    @classmethod
    def resume(cls, memory: Tables) -> Commits:
        """Go on from what was remembered."""
        states = memory.get("states", STATES.empty_table())
        return cls(memory.get("last", LAST.empty_table()), memory.get("pending"), states)

    def replay(self, chunk: LogChunk) -> Tables:
        """Give the commits and removals that took effect, each compared with the previous one of its key."""
        records = chunk.commits.select([*READ])
        records = where(records, pc.or_kleene(records["is_control"], _is_readable(records)))
        if self._pending is not None and self._pending.num_rows:
            records = pa.concat_tables([like(self._pending, records.schema), records])
        effective, pending = resolve_transactions(records)
        effective, commits = _with_value(effective), _commit_markers(records)
        compared = _compare(self._last, effective, commits)
        self._pending = pending.filter(pa.array(~_is_cancelled(pending, effective)))
        states = states_after(self._states, chunk.groups)
        rows = _rows(effective, compared, RemovalEvidence(self._last, states, chunk.groups))
        self._states = retain_group_states(states, chunk)
        self._last = _without_doubtful(_last(self._last, effective, compared, chunk), commits)
        return {COMMITS.full_name: rows}

    def open_rows(self) -> Tables:
        """Nothing: a commit that took effect stays in history as it is."""
        return {}

    def memory(self) -> Tables:
        """The last record of each key, the records of open transactions, and the states of groups."""
        return {"last": self._last, "states": self._states} | (
            {} if self._pending is None else {"pending": self._pending}
        )


class CommitSteps(NamedTuple):
    """The commits that were applied, among all effective ones, with the previous commit of each."""

    applied: Int64Array
    """Their places, in the order in which they took effect."""
    previous_offset: Int64Array
    had_previous: Mask
    is_known: Mask
    """Whether the previous commit, or that there was none, is known."""
    last: Int64Array
    """The last row of each key: its position among the remembered rows, then the effective ones."""
    outside: Int64Array
    """Per remembered and effective row, the number of commits in a row to an Empty group."""
    before: pa.Table
    """Commit and expiry time of each previous commit, if known; and whether there was one."""


def _is_readable(records: pa.Table) -> pa.ChunkedArray:
    """Commits with a readable key, and either a readable value or a tombstone."""
    return pc.and_(
        pc.is_valid(records["group_id"]), pc.or_(records["is_tombstone"], pc.is_valid(records["offset_commit"]))
    )


def _compare(last: pa.Table, effective: pa.Table, commits: Int64Array) -> CommitSteps:
    """Compare effective records with the last ones of their keys, key by key in the order of effect."""
    known, ours = last.num_rows, effective.select(LAST.names)
    rows = pa.concat_tables([like(last, ours.schema), ours])
    at = np.concatenate([np.full(known, NOTHING), numbers(effective["effective_log_offset"])])
    number = table_keys(rows, KEY)
    order = np.argsort(number, kind="stable")
    in_order = rows.select(["log_offset", "committed_offset", "is_old_removal"]).take(pa.array(order))
    order = order[_is_applied(number[order], at[order], in_order)]
    number = number[order]
    begins = np.ones(order.size, np.bool_)
    begins[1:] = number[1:] != number[:-1]
    before = np.concatenate([order[:1], order[:-1]])
    before[begins] = NOTHING
    previous = np.empty(rows.num_rows, np.int64)
    previous[order] = before
    applied = np.sort(order[order >= known])
    comparison = _Previous(rows, previous[applied], commits, count_outside_commits(rows, number, order))
    return _with_previous(comparison, effective, applied, order[np.append(begins, values=True)[1:]])


class _Previous(NamedTuple):
    """The previous row of some rows, and the markers that may have changed the offset since."""

    rows: pa.Table
    previous: Int64Array
    commits: Int64Array
    """Log offsets of the markers that committed a transaction."""
    outside: Int64Array


def _with_previous(comparison: _Previous, effective: pa.Table, applied: Int64Array, last: Int64Array) -> CommitSteps:
    """The previous commit is known where no gap in the log lies between, or where there never was one."""
    rows, previous, commits, outside = comparison
    offset, log_offset = numbers(rows["committed_offset"]), numbers(rows["log_offset"])
    had_offset, is_old = flags(rows["committed_offset"].is_valid()), flags(rows["is_old_removal"])
    places = applied - (rows.num_rows - effective.num_rows)
    since = numbers(effective["effective_whole_since"])[places]
    at = numbers(effective["effective_log_offset"])[places]
    has_previous = previous != NOTHING
    # After an old removal a marker may have brought back a commit that was pending, in a gap before it.
    is_doubtful = is_old[previous] & (np.searchsorted(commits, at) > np.searchsorted(commits, log_offset[previous]))
    is_sure = had_offset[previous] | ((at - log_offset[previous] <= projection.REMEMBERED_OFFSETS) & ~is_doubtful)
    is_known = (since == 0) | (has_previous & (log_offset[previous] >= since) & is_sure)
    had_previous = is_known & has_previous & had_offset[previous]
    times = rows.select(["commit_ms", "expire_ms"]).take(pa.array(previous, mask=~had_previous))
    previous_times = times.append_column("had_offset", pa.array(has_previous & had_offset[previous]))
    return CommitSteps(places, offset[previous], had_previous, is_known, last, outside, previous_times)


def _is_applied(number: Int64Array, at: Int64Array, rows: pa.Table) -> Mask:
    """All but pending commits that the coordinator ignores: older than the last one, or replaced in their transaction.

    A removal cancels pending commits too, but not by a coordinator before Kafka 4: the key has then no
    offset after the removal, and any pending commit applies.
    """
    log_offset, is_old = numbers(rows["log_offset"]), flags(rows["is_old_removal"])
    replaced = np.zeros(number.size, np.bool_)
    replaced[:-1] = (number[1:] == number[:-1]) & (at[1:] == at[:-1])
    since_old_removal = number if not is_old.any() else np.cumsum(is_old) - is_old + number * (is_old.sum() + 1)
    applied: Mask = ~replaced & (latest_before(since_old_removal, log_offset) < log_offset)
    if is_old.any():
        is_removal = ~flags(rows["committed_offset"].is_valid()) & ~is_old
        applied &= latest_before(number, np.where(is_removal, log_offset, NOTHING)) < log_offset
    return applied


def _is_old_removal(records: pa.Table) -> pa.ChunkedArray:
    """Removals by the coordinator before that of Kafka 4: their batches have no sequence, those of the new one 0."""
    return pc.and_(records["is_tombstone"], pc.is_null(records["base_sequence"]))


def _is_cancelled(pending: pa.Table, effective: pa.Table) -> Mask:
    """Pending commits whose key was removed meanwhile: their marker does not restore them."""
    removals = effective.filter(pc.and_(effective["is_tombstone"], pc.invert(effective["is_old_removal"])))
    names = [*KEY, "log_offset"]
    both = pa.concat_tables([removals.select(names), pending.select(names)])
    number, log_offset = table_keys(both, KEY), numbers(both["log_offset"])
    newest_removal = np.full(number.max(initial=0) + 1, NOTHING)
    np.maximum.at(newest_removal, number[: removals.num_rows], log_offset[: removals.num_rows])
    cancelled: Mask = (newest_removal[number] > log_offset)[removals.num_rows :]
    return cancelled


def _last(last: pa.Table, effective: pa.Table, compared: CommitSteps, chunk: LogChunk) -> pa.Table:
    """The last record of each key, without removals that no later record depends on."""
    rows = pa.concat_tables([last, like(effective.select(LAST.names), LAST)])
    rows = rows.set_column(rows.schema.get_field_index(COUNT), COUNT, pa.array(compared.outside))
    rows = rows.take(pa.array(compared.last))
    is_remembered = pc.greater(rows["log_offset"], chunk.forgotten)
    return rows.filter(pc.or_(rows["committed_offset"].is_valid(), is_remembered)).combine_chunks()


def _without_doubtful(last: pa.Table, commits: Int64Array) -> pa.Table:
    """Without removals by the old coordinator that a later marker may have undone."""
    newest = int(commits[-1]) if commits.size else NOTHING
    return last.filter(pc.or_(pc.invert(last["is_old_removal"]), pc.greater(last["log_offset"], newest)))


def _commit_markers(records: pa.Table) -> Int64Array:
    """The log offsets of the markers that committed a transaction, in order."""
    is_commit = pc.fill_null(pc.equal(records["control_type"], "COMMIT"), fill_value=False)
    return np.sort(numbers(records["log_offset"].filter(is_commit)))


def _with_value(effective: pa.Table) -> pa.Table:
    """The effective records with the offset and times that are remembered; a removal has none."""
    value = effective["offset_commit"]
    named = {"committed_offset": "offset", "commit_ms": "commit_timestamp", "expire_ms": "expire_timestamp"}
    for name, field in named.items():
        effective = effective.append_column(
            name, pc.if_else(effective["is_tombstone"], None, pc.struct_field(value, field))
        )
    return with_outside_commits(effective.append_column("is_old_removal", _is_old_removal(effective)))


def _rows(effective: pa.Table, compared: CommitSteps, evidence: RemovalEvidence) -> pa.Table:
    """The rows of core.commits, in the order in which they took effect."""
    rows = effective if compared.applied.size == effective.num_rows else effective.take(pa.array(compared.applied))
    value, removals = fields(rows["offset_commit"]), explain_removals(rows, compared.before, evidence)
    computed = _history(rows, compared) | {
        "effective_at": instants(rows["effective_ms"]),
        "commit_at": instants(value["commit_timestamp"]),
        "expire_at": instants(value["expire_timestamp"]),
        "leader_epoch": pc.if_else(pc.greater_equal(value["leader_epoch"], 0), value["leader_epoch"], None),
        "topic_id": pc.if_else(pc.equal(value["topic_id"], NO_TOPIC_ID), None, value["topic_id"]),
        "metadata": value["metadata"],
        "cause": removals.cause,
        "idle_ms": removals.idle_ms,
        "removed_with_group": removals.with_group,
        "is_from_old_coordinator": pc.if_else(rows["is_tombstone"], rows["is_old_removal"], None),
        "producer_id": pc.if_else(rows["is_transactional"], rows["producer_id"], None),
        "actor": reattribute_programs(
            rows["actor"], compared.outside[compared.outside.size - effective.num_rows + compared.applied]
        ),
        "store_kind": words_of(np.zeros(rows.num_rows, np.int32), (KAFKA,)),
    }
    return pa.table({name: computed[name] if name in computed else rows[name] for name in OWN_COLUMNS})


def _history(rows: pa.Table, compared: CommitSteps) -> dict[str, pa.Array]:
    """How each commit compares with the previous one; `delta` is NULL where the difference overflows."""
    offset, previous = numbers(rows["committed_offset"]), compared.previous_offset
    is_removal, both = flags(rows["is_tombstone"]), compared.had_previous & ~flags(rows["is_tombstone"])
    delta = offset - previous
    is_far = both & ((delta < 0) != (offset < previous))
    kind = np.select(
        [is_removal, ~compared.is_known, ~compared.had_previous, offset > previous, offset < previous],
        [REMOVED, UNKNOWN, FIRST, ADVANCE, REWIND],
        REPEAT,
    )
    return {
        "kind": words_of(kind, KINDS),
        "previous_offset": or_null(previous, compared.had_previous),
        "is_previous_known": pa.array(compared.is_known),
        "is_effect_known": pa.array(numbers(rows["effective_whole_since"]) <= numbers(rows["log_offset"])),
        "delta": or_null(delta, both & ~is_far),
    }
