"""The cause of each removal of an offset, as far as the log shows it.

Put here the evidence and what may be concluded from it. What a removal does to its key belongs in `commits`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assets.arrays.columns import flags, like, numbers, words_of
from assets.arrays.keys import last_before, table_keys
from assets.arrays.times import LAST_MS
from assets.transforms import projection

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assets.arrays.columns import Mask
    from assets.transforms.projection import LogChunk
    from parsers.words import Int64Array

CAUSES: Final = ("expired", "group_deleted", "offsets_deleted", "topic_deleted", "old_coordinator_cleanup", "unknown")
EXPIRED, GROUP_DELETED, OFFSETS_DELETED, TOPIC_DELETED, OLD_CLEANUP, UNKNOWN = range(len(CAUSES))
LONGEST_DEFAULT_MS: Final = 7 * 86_400_000
"""Kafka's default retention since 2.0, and the longest: an offset idle for so long was about to expire."""
SHORTEST_MS: Final = 60_000
"""The shortest retention that a broker accepts: a younger offset did not expire."""
GROUP_TYPES: Final = pa.array([2, 3, 11, 17], pa.int16())
"""Records of a group as a whole: classic, consumer, share, streams. Their removal ends the group."""
NEVER: Final = -1
GROUP: Final = pa.schema([("group_id", pa.string())])
IN_BATCH: Final = pa.schema([("batch_base_offset", pa.int64()), ("group_id", pa.string())])
STATES: Final = pa.schema(
    [
        *(("group_id", pa.string()), ("log_offset", pa.int64())),
        *(("empty_since_ms", pa.int64()), ("is_gone", pa.bool_())),
    ]
)
"""State of a group: its last record, and since when it is Empty if its offsets' retention counts from then."""


class RemovalColumns(NamedTuple):
    """The columns of core.commits about removals; NULL for commits."""

    cause: pa.Array
    idle_ms: pa.Array
    with_group: pa.Array


class RemovalEvidence(NamedTuple):
    """The evidence for the causes of the removals in a chunk."""

    last: pa.Table
    """The last record of each key before the chunk."""
    states: pa.Table
    """The states of groups, from before the chunk to its end."""
    groups: pa.Table
    """The chunk's records of groups."""


def explain_removals(rows: pa.Table, before: pa.Table, evidence: RemovalEvidence) -> RemovalColumns:
    """The cause of each removal among effective rows; `before` has the previous commit of each row."""
    is_removal = flags(rows["is_tombstone"])
    if not is_removal.any():
        return RemovalColumns(*(pa.nulls(rows.num_rows, kind) for kind in (pa.string(), pa.int64(), pa.bool_())))
    at = np.flatnonzero(is_removal)
    removals, previous = rows.take(pa.array(at)), before.take(pa.array(at))
    remaining = [_count_remaining(rows, before, evidence.last, name)[at] for name in ("topic", "group_id")]
    idle_ms, with_group = _idle_ms(removals, previous, evidence.states), _with_group(removals, evidence.groups)
    spread = np.zeros(rows.num_rows, np.int64)
    spread[at] = np.arange(at.size)
    where = pa.array(spread, mask=~is_removal)
    cause = _cause(removals, previous, idle_ms, with_group, remaining)
    known = pa.array(idle_ms, mask=idle_ms == NEVER)
    company = pa.array(with_group, mask=~with_group & ~_is_whole(removals))
    return RemovalColumns(words_of(cause, CAUSES).take(where), known.take(where), company.take(where))


def states_after(states: pa.Table, groups: pa.Table) -> pa.Table:
    """The remembered states of groups, and those that the records of a chunk report, in the order of the log."""
    value = groups["group_metadata"].combine_chunks()
    members = pc.fill_null(pc.list_value_length(value.field("members")), 0)
    is_typed = pc.not_equal(value.field("protocol_type"), "")
    is_empty = pc.fill_null(pc.and_(pc.and_(value.is_valid(), pc.equal(members, 0)), is_typed), fill_value=False)
    since_ms = value.field("current_state_timestamp")
    since_ms = pc.if_else(pc.and_(is_empty, pc.greater_equal(since_ms, 0)), since_ms, None)
    is_gone = pc.and_(groups["is_tombstone"], pc.is_in(groups["record_type"], GROUP_TYPES))
    columns = [groups["group_id"], groups["log_offset"], since_ms, is_gone]
    changes = pa.table(columns, names=STATES.names).filter(groups["group_id"].is_valid())
    return pa.concat_tables([states, like(changes, STATES)])


def retain_group_states(states: pa.Table, chunk: LogChunk) -> pa.Table:
    """The last state of each group, without removed groups that no later record depends on."""
    newest = states.group_by("group_id", use_threads=False).aggregate([("log_offset", "max")])["log_offset_max"]
    is_asked_for = pc.or_(pc.invert(states["is_gone"]), pc.greater(states["log_offset"], chunk.forgotten))
    return states.filter(
        pc.and_(pc.is_in(states["log_offset"], newest.combine_chunks()), is_asked_for)
    ).combine_chunks()


def _cause(
    removals: pa.Table, previous: pa.Table, idle_ms: Int64Array, with_group: Mask, remaining: Sequence[Int64Array]
) -> Int64Array:
    """The first cause that alone fits the evidence.

    The old coordinator cleaned a group away as soon as it had no offsets left and no members, whether the group, its
    offsets or its topics were deleted: all of it looks the same.
    """
    time_ms, is_old = numbers(removals["effective_ms"]), flags(removals["is_old_removal"])
    commit_ms, expire_ms = numbers(previous["commit_ms"]), numbers(previous["expire_ms"])
    is_known = _is_time(previous["commit_ms"])
    is_expired = is_known & (((expire_ms >= 0) & (expire_ms <= time_ms)) | (idle_ms >= LONGEST_DEFAULT_MS))
    is_young = is_known & (time_ms - commit_ms < SHORTEST_MS) | ((idle_ms >= 0) & (idle_ms < SHORTEST_MS))
    is_alone = ~with_group & _is_whole(removals)
    of_topic, of_group = remaining
    return np.select(
        [
            is_expired,
            is_young & with_group & ~is_old,
            is_young & is_old & (with_group | (is_alone & (of_group == 0))),
            is_alone & _is_topics(removals, is_young),
            is_alone & is_young & (of_topic > 0),
        ],
        [EXPIRED, GROUP_DELETED, OLD_CLEANUP, TOPIC_DELETED, OFFSETS_DELETED],
        UNKNOWN,
    )


def _idle_ms(removals: pa.Table, previous: pa.Table, states: pa.Table) -> Int64Array:
    """How long the offset had been idle by the broker's count; -1 where a gap may hide the start of the count."""
    groups = pa.concat_tables([states.select(["group_id"]), like(removals.select(["group_id"]), GROUP)])
    log_offset, since = numbers(removals["log_offset"]), numbers(removals["effective_whole_since"])
    places = np.concatenate([numbers(states["log_offset"]), log_offset])
    state = last_before(table_keys(groups, ["group_id"]), places, states.num_rows)
    has_state, at = state != NEVER, np.append(numbers(states["log_offset"]), NEVER)[state]
    is_near = log_offset - at <= projection.REMEMBERED_OFFSETS
    is_sure = (since == 0) | (
        has_state & (at >= since) & (is_near | ~np.append(flags(states["is_gone"]), values=True)[state])
    )
    empty_ms = np.append(numbers(states["empty_since_ms"]), NEVER)[state]
    base_ms = np.where(empty_ms >= 0, empty_ms, numbers(previous["commit_ms"]))
    idle_ms = numbers(removals["effective_ms"]) - base_ms
    known = is_sure & _is_time(previous["commit_ms"]) & (base_ms >= 0) & (base_ms <= LAST_MS) & (idle_ms >= 0)
    return np.where(known, idle_ms, NEVER)


def _is_time(milliseconds: pa.ChunkedArray) -> Mask:
    """Where the number is a valid time: a client may send any number."""
    return flags(pc.and_(pc.greater_equal(milliseconds, 0), pc.less_equal(milliseconds, LAST_MS)))


def _with_group(removals: pa.Table, groups: pa.Table) -> Mask:
    """Whether the group itself was removed in the same batch."""
    ends = groups.filter(pc.and_(groups["is_tombstone"], pc.is_in(groups["record_type"], GROUP_TYPES)))
    both = pa.concat_tables([like(table.select(IN_BATCH.names), IN_BATCH) for table in (ends, removals)])
    number = table_keys(both, IN_BATCH.names)
    with_group: Mask = np.isin(number[ends.num_rows :], number[: ends.num_rows])
    return with_group


def _is_whole(removals: pa.Table) -> Mask:
    """Whether the batch still has all its records.

    The cleaner gives a batch with removals a delete horizon when it writes it anew. It did not before Kafka 3.1: of
    batches of the coordinator of that time it is only believed where nothing is missing before them either.
    """
    is_untouched = ~flags(removals["delete_horizon_ms"].is_valid())
    whole: Mask = is_untouched & (
        ~flags(removals["is_old_removal"]) | (numbers(removals["effective_whole_since"]) == 0)
    )
    return whole


def _is_topics(removals: pa.Table, is_young: Mask) -> Mask:
    """Whether several groups lost the topic in one batch, and at least one of them too early to have expired."""
    topic, pair = (
        table_keys(removals, ["batch_base_offset", "topic"]),
        table_keys(removals, ["batch_base_offset", "topic", "group_id"]),
    )
    groups = np.bincount(topic[np.unique(pair, return_index=True)[1]], minlength=topic.max() + 1)
    young = np.bincount(topic, weights=is_young, minlength=topic.max() + 1)
    is_topics: Mask = (groups[topic] > 1) & (young[topic] > 0)
    return is_topics


def _count_remaining(rows: pa.Table, before: pa.Table, last: pa.Table, name: str) -> Int64Array:
    """How many offsets of the same topic, or group, remained after the batch of each row."""
    last_offsets = last.filter(last["committed_offset"].is_valid()).select([name])
    number = table_keys(pa.concat_tables([like(last_offsets, rows.select([name]).schema), rows.select([name])]), [name])
    count = np.bincount(number, minlength=number.max() + 1) * 0
    np.add.at(count, number[: last_offsets.num_rows], 1)
    number = number[last_offsets.num_rows :]
    has_offset, had_offset = ~flags(rows["is_tombstone"]), flags(before["had_offset"])
    order = np.argsort(number, kind="stable")
    steps = np.cumsum((has_offset.astype(np.int64) - had_offset)[order])
    begins = np.flatnonzero(np.append(np.ones(1, np.bool_), number[order][1:] != number[order][:-1]))
    earlier = np.concatenate([[0], steps])[begins]
    after = steps - np.repeat(earlier, np.diff(np.append(begins, order.size))) + count[number[order]]
    batch = numbers(rows["batch_base_offset"])[order]
    ends = np.append((batch[1:] != batch[:-1]) | (number[order][1:] != number[order][:-1]), values=True)
    at_end = np.flatnonzero(ends)[np.searchsorted(np.flatnonzero(ends), np.arange(order.size))]
    remaining = np.empty(order.size, np.int64)
    remaining[order] = after[at_end]
    return remaining
