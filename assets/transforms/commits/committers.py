"""The actor of each commit, from the members and the state of its group when its record was written.

Put here the rules of attribution. A commit's record does not name a member, so the actor is the owner of the partition;
across a gap in the log the actor is unknown. Which member held which partition is in `holders`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assets.arrays.columns import flags, numbers
from assets.arrays.lookups import Keys, last_at
from assets.arrays.neighbours import NO_ROW, at_rows, holds
from assets.transforms.groups.holders import resolve_topic_ids
from assets.transforms.groups.member_counts import DEAD, EMPTY, STABLE, UNKNOWN, count_members
from assets.transforms.projection import WHOLE_SINCE
from assets.transforms.topic_names import NO_TOPIC_ID

if TYPE_CHECKING:
    from assets.arrays.neighbours import Mask
    from assets.transforms.groups.holders import MemberIndex
    from parsers.words import Int64Array

ACTORS: Final = ("owner", "former_owner", "simple_consumer", "admin", "transaction", "unknown")
OWNER, FORMER, SIMPLE, ADMIN, TRANSACTION, UNSURE = range(len(ACTORS))
ADMIN_MOST: Final = 2
"""At most so many commits without a leader epoch to an Empty group are an admin's; more are a program's."""
KEY: Final = ("group_id", "topic", "partition")


@dataclass(frozen=True, slots=True)
class CommitLookups:
    """Records of commits and markers, in the order of the log."""

    keys: pa.Table
    values: pa.ChunkedArray
    """The values of the commits."""
    at: Int64Array
    since: Int64Array
    """The log offset from which on there is no gap up to each record."""
    is_commit: Mask
    is_transactional: Mask
    batch: Int64Array

    @classmethod
    def of(cls, commits: pa.Table) -> CommitLookups:
        """From the commits and markers of a chunk."""
        keys = commits.select(KEY).unify_dictionaries().combine_chunks()
        is_commit = ~flags(commits["is_control"]) & ~flags(commits["is_tombstone"])
        places = numbers(commits["log_offset"]), numbers(commits[WHOLE_SINCE])
        batch = numbers(commits["batch_base_offset"])
        return cls(keys, commits["offset_commit"], *places, is_commit, flags(commits["is_transactional"]), batch)

    def part(self, low: int, high: int) -> CommitLookups:
        """The records from position `low` to before `high`."""
        columns = (self.keys, self.values)
        arrays = (self.at, self.since, self.is_commit, self.is_transactional, self.batch)
        sliced = [column.slice(low, high - low) for column in columns]
        return CommitLookups(*sliced, *(array[low:high] for array in arrays))


class Attribution(NamedTuple):
    """The actor of each of some commits, with the member's generation and version."""

    actor: Int64Array
    """Index in ACTORS; NO_ROW for a record that is no commit."""
    generation: Int64Array
    version: Int64Array
    """The row of the member's version."""
    is_described: Mask
    """Whether the client and host of the version still hold for certain."""


class _Holders(NamedTuple):
    """For each commit the last holder of its partition."""

    rows: pa.Table
    row: Int64Array
    owns: Mask
    """The holder still owns the partition."""
    gave_up: Mask
    """The holder gave the partition up, and no other member holds it."""


class _States(NamedTuple):
    """For each commit what follows from the state of its group."""

    actor: Int64Array
    generation: Int64Array
    has_members: Mask


def attribute_commits(lookups: CommitLookups, index: MemberIndex, names: pa.Table) -> Attribution:
    """Attribute each commit to the owner of its partition, else by the group's state, else to the former owner."""
    if not index.log.records.num_rows:
        return _attribute_without_groups(lookups)
    holders = _find_holders(lookups, index, resolve_topic_ids(index.holders, names))
    version = np.where(holders.owns, at_rows(holders.rows["version"].to_numpy(), holders.row), NO_ROW)
    actor, generation = (
        np.where(lookups.is_commit, OWNER, NO_ROW),
        at_rows(numbers(index.members["generation"]), version),
    )
    rest = np.flatnonzero(lookups.is_commit & ~holders.owns)
    states = _states(lookups, rest, index)
    actor[rest], generation[rest] = states.actor, states.generation
    late = rest[states.has_members & holders.gave_up[rest] & ~lookups.is_transactional[rest]]
    version[late] = index.current_versions(holders.rows.take(pa.array(holders.row[late])), lookups.at[late])
    actor[late] = np.where(version[late] == NO_ROW, UNSURE, FORMER)
    actor[lookups.is_commit & lookups.is_transactional] = TRANSACTION
    return Attribution(actor, generation, version, lookups.since <= at_rows(index.described_since, version))


def _attribute_without_groups(lookups: CommitLookups) -> Attribution:
    """Attribute commits where the log has no record of any group: to simple consumers or unknown."""
    actor = np.where((lookups.since == 0) & _reads(lookups, np.arange(lookups.at.size)), SIMPLE, UNSURE)
    actor[lookups.is_transactional] = TRANSACTION
    nothing = np.full(lookups.at.size, NO_ROW, np.int64)
    return Attribution(
        np.where(lookups.is_commit, actor, NO_ROW), nothing, nothing, np.zeros(lookups.at.size, np.bool_)
    )


def _find_holders(lookups: CommitLookups, index: MemberIndex, rows: pa.Table) -> _Holders:
    """The last holder of each record's partition at the record's log offset."""
    keys = Keys(rows, KEY)
    start, end, version = (rows[name].to_numpy() for name in ("start", "end", "version"))
    row = last_at(keys.own, start, keys.count, keys.find(lookups.keys), lookups.at)
    is_held, is_other, is_same = lookups.at < at_rows(end, row), *_compare_topic_ids(lookups, rows, row)
    is_sure = lookups.since <= at_rows(index.owns_since, at_rows(version, row))
    gave_up = (row != NO_ROW) & ~is_held & (lookups.since <= at_rows(start, row)) & is_same
    return _Holders(rows, row, lookups.is_commit & is_held & is_sure & ~is_other, gave_up)


def _compare_topic_ids(lookups: CommitLookups, rows: pa.Table, row: Int64Array) -> tuple[Mask, Mask]:
    """Where the topic ids of commit and holder differ under one name; and where both surely mean the same topic.

    A deleted topic's name may come again: a holder known by topic id may hold a later topic, not recorded by name.
    """
    has_id = holds(rows["topic_id"].is_valid().to_numpy(), row)
    if not has_id.any():
        return has_id, ~has_id
    topic_id = pc.struct_field(lookups.values, "topic_id")
    ids = Keys(rows, ["topic_id"])
    own = ids.find(pa.table({"topic_id": topic_id}))
    is_same = has_id & (own == at_rows(ids.own, row))
    has_topic_id = flags(pc.not_equal(topic_id, NO_TOPIC_ID))
    return has_id & has_topic_id & ~is_same, ~has_id | (has_topic_id & is_same)


def _states(lookups: CommitLookups, rest: Int64Array, index: MemberIndex) -> _States:
    """Attribute some commits by the state of their groups; a group without any record has no members.

    Only a client that fetched records knows a leader epoch, so a commit with one to an Empty group is not an admin's. A
    slow KIP-848 member that has left the group commits as a simple consumer does once the group is Empty: the log does
    not tell them apart, nor an admin from a client before 2.1 where the group has no record.
    """
    counts = count_members(index.log)
    groups = pa.table({"group_id": index.log.take("group_id", counts.row)})
    keys, place = Keys(groups, ["group_id"]), index.log.offset[counts.row]
    at, since = lookups.at[rest], lookups.since[rest]
    group = keys.find(lookups.keys.take(pa.array(rest))) if place.size else np.full(rest.size, NO_ROW)
    row = last_at(keys.own, place, keys.count, group, at)
    state, is_seen = at_rows(counts.state, row, DEAD), since <= at_rows(place, row)
    is_known = is_seen & (state != DEAD) & (state != UNKNOWN)
    has_no_group, is_empty = (since == 0) & (state == DEAD), is_known & (state == EMPTY)
    is_classic = holds(index.log.is_of("classic")[counts.row], row)
    is_read = _reads(lookups, rest)
    rules = (is_read & (has_no_group | (is_empty & is_classic)), is_empty & ~is_read)
    actor = np.select(rules, (SIMPLE, ADMIN), UNSURE)
    generation = np.where(is_known, at_rows(counts.generation, row), NO_ROW)
    return _States(actor, generation, is_known & (state >= STABLE))


def _reads(lookups: CommitLookups, rest: Int64Array) -> Mask:
    """Which of some commits come from a client that fetched: they, or others of their batch, have a leader epoch."""
    is_named = numbers(pc.struct_field(lookups.values, "leader_epoch")) >= 0
    is_reader: Mask = is_named[rest]
    unnamed = rest[~is_reader]
    if unnamed.size:
        is_near = np.isin(lookups.batch, np.unique(lookups.batch[unnamed]))
        requests = pa.table({"batch": lookups.batch, "group_id": lookups.keys["group_id"]})
        keys = Keys(requests.take(pa.array(np.flatnonzero(is_near & is_named))), requests.column_names)
        is_reader[~is_reader] = keys.find(requests.take(pa.array(unnamed))) != NO_ROW
    return is_reader
