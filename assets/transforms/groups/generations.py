"""The generations and epochs that coordinators wrote, and the states of groups.

Put here what concerns a group as a whole. What changed from one generation to the next is an answer, and belongs in
`assets.models`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assets.arrays.columns import or_null
from assets.arrays.neighbours import NO_ROW, at_rows, following, take_rows
from assets.catalog.core.groups import GENERATIONS
from assets.catalog.internal.recorded_group_states import RECORDED_GROUP_STATES
from assets.transforms.groups.group_kinds import GROUP_TYPES, RecordKind
from assets.transforms.groups.group_log import timestamps
from assets.transforms.groups.group_rows import fill_columns, of_log, validity
from assets.transforms.groups.member_counts import DEAD, EMPTY, STABLE, STATES, UNKNOWN, count_members, listed_members

if TYPE_CHECKING:
    from assets.transforms.groups.group_log import GroupLog
    from parsers.words import Int64Array

REMOVED, CONVERTED = len(STATES), len(STATES) + 1
WORDS: Final = pa.array([*STATES, "Removed", "Converted"])
INT32: Final = pa.int32()
THEN: Final = ("generation_before", "state", "member_count")
"""Columns that depend on other records, which may be forgotten before the row ends."""


def generations(log: GroupLog, remembered: pa.Table) -> pa.Table:
    """One row per record about a group as a whole, in the order of the log; some columns come from memory."""
    row = np.flatnonzero(log.is_state)
    value = take_rows(log.values(RecordKind.GROUP, "classic"), row)
    count, state = _counts_and_states(log, row)
    columns = {
        "generation": _numbers(log.generation[row]),
        "generation_before": _numbers(_generation_before(log)[row]),
        "state": _words(state),
        "protocol_type": _protocol_type(log, row, pc.struct_field(value, "protocol_type")),
        "protocol": pc.struct_field(value, "protocol"),
        "leader": pc.struct_field(value, "leader"),
        "member_count": _numbers(count),
        "state_at": timestamps(pc.struct_field(value, "current_state_timestamp")),
        "log_leader_epoch": log.take("log_leader_epoch", row),
    }
    end = np.where(log.is_value[row], log.next_of_group[row], NO_ROW)
    times = validity(log, row, end)
    is_gap_free = pc.or_(times["is_gap_free"], pa.array(~log.is_value[row]))
    rows = fill_columns(GENERATIONS, of_log(log, row) | times | columns | {"is_gap_free": is_gap_free})
    return _recall(rows, remembered)


def _recall(rows: pa.Table, remembered: pa.Table) -> pa.Table:
    """The rows, with remembered values of the columns `THEN`."""
    place = pc.index_in(rows["log_offset"], remembered["log_offset"].combine_chunks())
    for name in THEN:
        values = pc.if_else(pc.is_valid(place), remembered[name].take(place), rows[name])
        rows = rows.set_column(rows.column_names.index(name), name, values)
    return rows


def recorded_states(log: GroupLog) -> pa.Table:
    """One row per group and batch, in the order of the log."""
    counts = count_members(log)
    is_counted = np.zeros(log.offset.size, np.bool_)
    is_counted[counts.row] = True
    end = np.where(counts.state == DEAD, NO_ROW, following(log.group, is_counted)[counts.row])
    times = validity(log, counts.row, end)
    is_known = pa.array(counts.state != UNKNOWN)
    columns = {
        "state": _words(counts.state),
        "generation": _numbers(counts.generation),
        "assignment_epoch": _numbers(counts.assignment_epoch),
        "member_count": _numbers(counts.member_count),
        "is_gap_free": pc.or_(pc.and_(times["is_gap_free"], is_known), pa.array(counts.state == DEAD)),
    }
    return fill_columns(RECORDED_GROUP_STATES, of_log(log, counts.row) | times | columns)


def _counts_and_states(log: GroupLog, row: Int64Array) -> tuple[Int64Array, Int64Array]:
    """Member count and state: from the record itself in a classic group, else as of the end of its batch."""
    counts = count_members(log)
    is_counted = np.zeros(log.offset.size, np.bool_)
    is_counted[counts.row] = True
    counted_at = np.where(is_counted, np.arange(is_counted.size), following(log.kind_of_group, is_counted))[row]
    place = np.searchsorted(counts.row, counted_at)
    is_classic = log.is_of("classic")[row]
    listed = listed_members(log)[row]
    count = np.where(is_classic, listed, at_rows(counts.member_count, np.where(counted_at == NO_ROW, NO_ROW, place)))
    state = np.where(
        is_classic, np.where(listed > 0, STABLE, EMPTY), at_rows(counts.state, place % (counts.row.size + 1))
    )
    ends = np.where(log.is_converted[row], CONVERTED, REMOVED)
    return np.where(log.is_value[row], count, NO_ROW), np.where(log.is_value[row], state, ends)


def _generation_before(log: GroupLog) -> Int64Array:
    """The previous generation in the same life of the group, if no gap lies between."""
    last = np.where(log.is_value, log.state_before, NO_ROW)
    return np.where(at_rows(log.offset, last) >= log.since, at_rows(log.generation, last), NO_ROW)


def _protocol_type(log: GroupLog, row: Int64Array, of_classic: pa.Array) -> pa.Array:
    """A classic group's own protocol type; each other kind has one."""
    recorded = pc.if_else(pc.equal(of_classic, ""), pa.scalar(None, pa.string()), of_classic)
    own = pa.array([None, *GROUP_TYPES[1:]]).take(pa.array(log.group_type[row]))
    return pc.if_else(pa.array(log.is_value[row]), pc.coalesce(recorded, own), pa.scalar(None, pa.string()))


def _words(state: Int64Array) -> pa.Array:
    return take_rows(WORDS, state)


def _numbers(values: Int64Array) -> pa.Array:
    return or_null(values, values != NO_ROW, INT32)
