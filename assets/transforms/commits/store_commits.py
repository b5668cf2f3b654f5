"""From the commits of a store outside Kafka to the same history of commits as from a partition of the offsets topic.

Put here what such a store tells otherwise than the offsets topic: which commits may be missing is known key by key, and
of members, retention and causes it knows nothing. How commits compare is in `commits`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assets.arrays.columns import flags, like, numbers, or_null
from assets.arrays.keys import table_keys
from assets.arrays.times import instants
from assets.catalog.core.commits import COMMITS
from assets.catalog.core.gaps import LOG_GAPS
from assets.catalog.raw.records import OFFSET_RECORDS
from assets.transforms.commits.attribution import ATTRIBUTED
from assets.transforms.commits.commits import KEY, READ, Commits
from assets.transforms.commits.committers import ACTORS, UNSURE
from assets.transforms.projection import WHOLE_SINCE
from assets.transforms.zookeeper.actors import attribute_store_commits
from assets.transforms.zookeeper.members import ZooKeeperMembers

if TYPE_CHECKING:
    from assets.arrays.columns import Mask
    from assets.transforms.projection import LogChunk, Tables
    from assets.transforms.zookeeper.actors import Actors
    from parsers.words import Int64Array

KEYS: Final = pa.schema(
    [
        *(("group_id", pa.string()), ("topic", pa.string()), ("partition", pa.int32())),
        *(("log_offset", pa.int64()), ("version", pa.int32()), ("is_removed", pa.bool_()), ("is_sampled", pa.bool_())),
        *((WHOLE_SINCE, pa.int64()),),
    ]
)
"""What is remembered of a key: its last commit, and since which position none of its commits is missing."""
NO_VERSION: Final = -1
VALUE: Final = OFFSET_RECORDS.schema.field("offset_commit").type
UNTOLD: Final = ("idle_ms", "removed_with_group", "is_from_old_coordinator")
"""Columns of core.commits about removals that only a group coordinator makes."""


class StoreCommits:
    """The projection of core.commits, and of its gaps, from the rows of raw.external_commits of one store."""

    tables: tuple[str, ...] = (COMMITS.full_name, LOG_GAPS.full_name, *ZooKeeperMembers.tables)

    def __init__(self, commits: Commits, keys: pa.Table, members: ZooKeeperMembers) -> None:
        """Begin with the history so far, the last commit of each key, and the members of groups."""
        self._commits, self._keys, self._members = commits, keys, members

    @classmethod
    def resume(cls, memory: Tables) -> StoreCommits:
        """Resume from a memory; from nothing at the beginning of the store."""
        return cls(Commits.resume(memory), memory.get("keys", KEYS.empty_table()), ZooKeeperMembers(memory))

    def replay(self, chunk: LogChunk) -> Tables:
        """Give the commits and removals, the positions before which others may be missing, and what members did."""
        rows = chunk.commits
        actors = attribute_store_commits(rows, self._members.replay(chunk))
        known = _known_commits(self._keys, rows)
        self._keys = known.keys
        records = _records(rows, known.since, actors)
        history = self._commits.replay(replace(chunk, commits=records))[COMMITS.full_name]
        return {
            COMMITS.full_name: _without_guesses(history, rows, actors),
            LOG_GAPS.full_name: _gaps(rows.filter(pa.array(known.is_gap))),
            **self._members.final_rows(),
        }

    def open_rows(self) -> Tables:
        """What is open of members; a commit stays in history as it is."""
        return self._members.open_rows()

    def memory(self) -> Tables:
        """What the history needs, and the last commit of each key."""
        return {**self._commits.memory(), "keys": self._keys, **self._members.memory()}


class _KnownCommits(NamedTuple):
    """For each commit how far back the commits of its key are known."""

    since: Int64Array
    """The position since which no commit of the key is missing: 0 where none ever was."""
    is_gap: Mask
    """Whether one may be missing directly before it."""
    keys: pa.Table


def _known_commits(keys: pa.Table, rows: pa.Table) -> _KnownCommits:
    """Compare each commit with the one before it of its key, which may be a remembered one."""
    own = rows.select(["group_id", "topic", "partition", "log_offset", "version"])
    own = own.append_column("is_removed", pc.is_null(rows["committed_offset"]))
    own = own.append_column("is_sampled", rows["is_sampled"])
    both = pa.concat_tables([keys, like(own.append_column(WHOLE_SINCE, pa.nulls(own.num_rows, pa.int64())), KEYS)])
    number, is_new = table_keys(both, KEY), np.arange(both.num_rows) >= keys.num_rows
    order = np.argsort(number, kind="stable")
    is_first = np.ones(order.size, np.bool_)
    is_first[1:] = number[order][1:] != number[order][:-1]
    is_gap, since = np.zeros(order.size, np.bool_), np.empty(order.size, np.int64)
    is_gap[order] = _is_gap(both.take(pa.array(order)), is_first) & is_new[order]
    since[order] = _since(both, is_gap, is_first, order)
    both = both.set_column(both.num_columns - 1, WHOLE_SINCE, pa.array(since))
    last = both.take(pa.array(order[np.append(is_first, values=True)[1:]]))
    return _KnownCommits(since[is_new], is_gap[is_new], last.filter(_is_asked_for(last)).combine_chunks())


def _is_gap(rows: pa.Table, is_first: Mask) -> Mask:
    """Before which rows, key by key in order, commits of the key may be missing.

    Where changes are counted, none is missing behind the change before, nor before the first one of a key that is new
    or was removed. Nobody removes what was never there.
    """
    version, is_removed = numbers(rows["version"]), flags(rows["is_removed"])
    was_there = np.append(False, ~is_removed[:-1])[: is_removed.size] & ~is_first
    before = np.append(NO_VERSION, version[:-1])[: version.size]
    is_next = np.where(was_there, version == before + 1, version == 0)
    is_told = np.where(version == NO_VERSION, ~flags(rows["is_sampled"]), is_next)
    gap: Mask = np.where(is_removed, ~is_told | ~was_there, ~is_told)
    return gap


def _since(rows: pa.Table, is_gap: Mask, is_first: Mask, order: Int64Array) -> Int64Array:
    """Per row in order the position since which its key has no gap: what was before a creation does not count."""
    starts = is_gap[order] | is_first | (numbers(rows["version"])[order] == 0)
    known = np.where(is_gap, np.maximum(numbers(rows["log_offset"]), 1), np.maximum(numbers(rows[WHOLE_SINCE]), 0))
    since: Int64Array = known[order][np.maximum.accumulate(np.where(starts, np.arange(order.size), 0))]
    return since


def _is_asked_for(last: pa.Table) -> pa.ChunkedArray:
    """Keys that a later commit depends on: a removed one without any gap is like one that never was."""
    return pc.or_(pc.invert(last["is_removed"]), pc.greater(last[WHOLE_SINCE], 0))


def _records(rows: pa.Table, since: Int64Array, actors: Actors) -> pa.Table:
    """The commits as records of the offsets topic that say nothing but an offset, a text and a time."""
    count, is_removal = rows.num_rows, pc.is_null(rows["committed_offset"]).combine_chunks()
    known = {
        "batch_base_offset": pc.coalesce(rows["batch_base_offset"], rows["log_offset"]),
        "base_sequence": pa.repeat(pa.scalar(0, pa.int32()), count),
        "is_transactional": pa.repeat(pa.scalar(value=False), count),
        "is_control": pa.repeat(pa.scalar(value=False), count),
        "is_tombstone": is_removal,
        "offset_commit": _values(rows, is_removal),
        WHOLE_SINCE: pa.array(since),
        "actor": pa.DictionaryArray.from_arrays(
            pa.array(actors.actor.astype(np.int32), mask=is_removal.to_numpy(zero_copy_only=False)), pa.array(ACTORS)
        ),
        "member_id": pc.if_else(is_removal, None, actors.member_id).dictionary_encode(),
    }
    columns = {name: rows[name] for name in (*KEY, "log_offset", "timestamp_ms")} | known
    return pa.table({name: columns[name] if name in columns else _nothing(name, count) for name in READ})


def _nothing(name: str, count: int) -> pa.Array:
    """A column of which a store knows nothing."""
    table = COMMITS if name in ATTRIBUTED else OFFSET_RECORDS
    return pa.nulls(count, table.schema.field(name).type)


def _values(rows: pa.Table, is_removal: pa.Array) -> pa.StructArray:
    """The values of the commits, NULL for a removal."""
    count = rows.num_rows
    known = {
        "offset": rows["committed_offset"].combine_chunks(),
        "metadata": rows["metadata"].combine_chunks(),
        "commit_timestamp": pc.fill_null(rows["timestamp_ms"], -1).combine_chunks(),
    }
    columns = [known[field.name] if field.name in known else pa.nulls(count, field.type) for field in VALUE]
    return pa.StructArray.from_arrays(columns, fields=[*VALUE], mask=is_removal)


def _without_guesses(history: pa.Table, rows: pa.Table, actors: Actors) -> pa.Table:
    """The history without what only a group coordinator's records would show, and with the kind of the store."""
    is_removal = pc.equal(history["kind"].cast(pa.string()), "removed")
    known = {
        **{name: pa.nulls(history.num_rows, COMMITS.schema.field(name).type) for name in UNTOLD},
        "cause": or_null(np.full(history.num_rows, "unknown"), flags(is_removal)),
        "is_effect_known": pa.repeat(pa.scalar(value=True), history.num_rows),
        "store_kind": pa.repeat(rows["store_kind"][0].cast(pa.string()) if rows.num_rows else "", history.num_rows),
        "actor": _actors(history, rows, actors),
    }
    return pa.table({name: known.get(name, history[name]) for name in history.column_names})


def _actors(history: pa.Table, rows: pa.Table, actors: Actors) -> pa.ChunkedArray:
    """The actors; unknown where a member that was given up may have read on."""
    doubtful = rows["log_offset"].filter(pa.array(actors.may_read_on))
    is_ahead = pc.invert(pc.is_in(history["kind"].cast(pa.string()), pa.array(["rewind", "removed"])))
    is_doubtful = pc.and_(pc.is_in(history["log_offset"], doubtful.combine_chunks()), is_ahead)
    return pc.if_else(is_doubtful, ACTORS[UNSURE], history["actor"].cast(pa.string()))


def _gaps(rows: pa.Table) -> pa.Table:
    """The rows of core.log_gaps: the position before each batch that has such a commit, since an unknown time."""
    bases = pc.coalesce(rows["batch_base_offset"], rows["log_offset"]).to_numpy()
    base, first = np.unique(bases, return_index=True)
    gaps = {
        "from_log_offset": pa.array(base - 1),
        "to_log_offset": pa.array(base),
        "from_at": pa.nulls(base.size, LOG_GAPS.schema.field("from_at").type),
        "to_at": instants(rows["timestamp_ms"]).take(pa.array(first)),
        "is_damage": pa.repeat(pa.scalar(value=False), base.size),
    }
    return pa.table(gaps)
