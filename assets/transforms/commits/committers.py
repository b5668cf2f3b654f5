"""Who stood behind each commit when its record was written: what the members and the state of its group then tell.

Put here what may be concluded of a commit. A record does not name the member, so this is who owned the partition; over
a hole in the log nothing is concluded. Who held what is told in `holders`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assets.arrays.columns import flags, numbers
from assets.arrays.lookups import Keys, last_at
from assets.arrays.neighbours import NOBODY, at_rows, holds
from assets.transforms.groups.holders import by_topic
from assets.transforms.groups.member_counts import DEAD, EMPTY, STABLE, UNKNOWN, census
from assets.transforms.projection import WHOLE_SINCE
from assets.transforms.topic_names import NO_TOPIC_ID

if TYPE_CHECKING:
    from assets.arrays.neighbours import Mask
    from assets.transforms.groups.holders import Standing
    from parsers.words import Int64Array

BY: Final = ("owner", "former_owner", "simple_consumer", "admin", "transaction", "unknown")
OWNER, FORMER, SIMPLE, ADMIN, TRANSACTION, UNSURE = range(len(BY))
ADMIN_MOST: Final = 2
"""So many commits without an epoch an admin may make while a group is Empty; a program makes more."""
KEY: Final = ("group_id", "topic", "partition")


@dataclass(frozen=True, slots=True)
class Asks:
    """Records of commits and markers, in the order of the log."""

    keys: pa.Table
    values: pa.ChunkedArray
    """What the commits say."""
    at: Int64Array
    since: Int64Array
    """From where up to each every record was seen."""
    is_commit: Mask
    is_transactional: Mask
    batch: Int64Array

    @classmethod
    def of(cls, commits: pa.Table) -> Asks:
        """Take them out of a stretch."""
        keys = commits.select(KEY).unify_dictionaries().combine_chunks()
        is_commit = ~flags(commits["is_control"]) & ~flags(commits["is_tombstone"])
        places = numbers(commits["log_offset"]), numbers(commits[WHOLE_SINCE])
        batch = numbers(commits["batch_base_offset"])
        return cls(keys, commits["offset_commit"], *places, is_commit, flags(commits["is_transactional"]), batch)

    def part(self, low: int, high: int) -> Asks:
        """Those from one to before another."""
        columns = (self.keys, self.values)
        arrays = (self.at, self.since, self.is_commit, self.is_transactional, self.batch)
        sliced = [column.slice(low, high - low) for column in columns]
        return Asks(*sliced, *(array[low:high] for array in arrays))


class Found(NamedTuple):
    """What was found for each of some commits."""

    by: Int64Array
    """The number of a word of BY; NOBODY for what is no commit."""
    generation: Int64Array
    version: Int64Array
    """The row of the member's version."""
    is_described: Mask
    """Whether what the version says of client and host is known to hold."""


class _Holders(NamedTuple):
    """For each commit who held the partition last."""

    rows: pa.Table
    row: Int64Array
    owns: Mask
    """It holds it still, for all that is known."""
    gave_up: Mask
    """It does not, and nobody else has it."""


class _States(NamedTuple):
    """For each commit the state of its group."""

    by: Int64Array
    generation: Int64Array
    has_members: Mask


def judged(asks: Asks, standing: Standing, names: pa.Table) -> Found:
    """The first that is known of each commit: who owned, in which state the group was, who owned before."""
    if not standing.log.records.num_rows:
        return _by_nobody_known(asks)
    held = _held(asks, standing, by_topic(standing.holders, names))
    version = np.where(held.owns, at_rows(held.rows["version"].to_numpy(), held.row), NOBODY)
    by, generation = np.where(asks.is_commit, OWNER, NOBODY), at_rows(numbers(standing.members["generation"]), version)
    rest = np.flatnonzero(asks.is_commit & ~held.owns)
    states = _states(asks, rest, standing)
    by[rest], generation[rest] = states.by, states.generation
    late = rest[states.has_members & held.gave_up[rest] & ~asks.is_transactional[rest]]
    version[late] = standing.still(held.rows.take(pa.array(held.row[late])), asks.at[late])
    by[late] = np.where(version[late] == NOBODY, UNSURE, FORMER)
    by[asks.is_commit & asks.is_transactional] = TRANSACTION
    return Found(by, generation, version, asks.since <= at_rows(standing.described_since, version))


def _by_nobody_known(asks: Asks) -> Found:
    """What is known where no record of any group is: mostly that there was none, and that is all."""
    by = np.where((asks.since == 0) & _reads(asks, np.arange(asks.at.size)), SIMPLE, UNSURE)
    by[asks.is_transactional] = TRANSACTION
    nothing = np.full(asks.at.size, NOBODY, np.int64)
    return Found(np.where(asks.is_commit, by, NOBODY), nothing, nothing, np.zeros(asks.at.size, np.bool_))


def _held(asks: Asks, standing: Standing, rows: pa.Table) -> _Holders:
    """Who held what by the place of each record in the log."""
    keys = Keys(rows, KEY)
    start, end, version = (rows[name].to_numpy() for name in ("start", "end", "version"))
    row = last_at(keys.own, start, keys.count, keys.find(asks.keys), asks.at)
    is_held, is_other, is_same = asks.at < at_rows(end, row), *_by_id(asks, rows, row)
    is_sure = asks.since <= at_rows(standing.owns_since, at_rows(version, row))
    gave_up = (row != NOBODY) & ~is_held & (asks.since <= at_rows(start, row)) & is_same
    return _Holders(rows, row, asks.is_commit & is_held & is_sure & ~is_other, gave_up)


def _by_id(asks: Asks, rows: pa.Table, row: Int64Array) -> tuple[Mask, Mask]:
    """Where commit and holder name different topics of one name; and where they surely mean the same one.

    A name is a topic's until it is deleted: who holds one by its id may hold a later one, of which no name was told.
    """
    has_id = holds(rows["topic_id"].is_valid().to_numpy(), row)
    if not has_id.any():
        return has_id, ~has_id
    said = pc.struct_field(asks.values, "topic_id")
    ids = Keys(rows, ["topic_id"])
    own = ids.find(pa.table({"topic_id": said}))
    is_same = has_id & (own == at_rows(ids.own, row))
    is_said = flags(pc.not_equal(said, NO_TOPIC_ID))
    return has_id & is_said & ~is_same, ~has_id | (is_said & is_same)


def _states(asks: Asks, rest: Int64Array, standing: Standing) -> _States:
    """In which state the groups of some commits were: a group of which nothing was ever written has no members.

    Only who reads knows a leader epoch, so a request that names one without members is no admin's. A member of KIP-848
    that was too slow and left commits what it read as a simple consumer does, once the group is empty: nobody can tell
    them apart, nor an admin from a client before 2.1 where no group was ever written of.
    """
    found = census(standing.log)
    groups = pa.table({"group_id": standing.log.take("group_id", found.row)})
    keys, place = Keys(groups, ["group_id"]), standing.log.offset[found.row]
    at, since = asks.at[rest], asks.since[rest]
    asked = keys.find(asks.keys.take(pa.array(rest))) if place.size else np.full(rest.size, NOBODY)
    row = last_at(keys.own, place, keys.count, asked, at)
    state, is_seen = at_rows(found.state, row, DEAD), since <= at_rows(place, row)
    is_known = is_seen & (state != DEAD) & (state != UNKNOWN)
    nobody, is_empty = (since == 0) & (state == DEAD), is_known & (state == EMPTY)
    is_classic = holds(standing.log.is_of("classic")[found.row], row)
    is_read = _reads(asks, rest)
    rules = (is_read & (nobody | (is_empty & is_classic)), is_empty & ~is_read)
    by = np.select(rules, (SIMPLE, ADMIN), UNSURE)
    generation = np.where(is_known, at_rows(found.generation, row), NOBODY)
    return _States(by, generation, is_known & (state >= STABLE))


def _reads(asks: Asks, rest: Int64Array) -> Mask:
    """Which of some commits were asked for by who names a leader epoch, there or for another partition in the batch."""
    is_named = numbers(pc.struct_field(asks.values, "leader_epoch")) >= 0
    found: Mask = is_named[rest]
    silent = rest[~found]
    if silent.size:
        is_near = np.isin(asks.batch, np.unique(asks.batch[silent]))
        requests = pa.table({"batch": asks.batch, "group_id": asks.keys["group_id"]})
        keys = Keys(requests.take(pa.array(np.flatnonzero(is_near & is_named))), requests.column_names)
        found[~found] = keys.find(requests.take(pa.array(silent))) != NOBODY
    return found
