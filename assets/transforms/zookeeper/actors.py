"""Who made each commit in ZooKeeper: the owner of the partition, where it was made in the owner's session.

Put here the rules. Anybody can set any node at any time, so that a commit while a group has members is no member's
unless its session says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assets.arrays.columns import flags
from assets.arrays.lookups import Keys, last_at
from assets.arrays.neighbours import NO_ROW, at_rows, holds, take_rows
from assets.transforms.commits.committers import ADMIN, KEY, OWNER, UNSURE
from assets.transforms.groups.partition_claims import FAR
from assets.transforms.zookeeper.coverage import NO_CHAIN
from assets.transforms.zookeeper.group_states import EMPTY

if TYPE_CHECKING:
    from assets.arrays.columns import Mask
    from assets.transforms.zookeeper.members import MemberFacts
    from parsers.words import Int64Array

_OWNERS: Final = pa.schema(
    [
        *(("group_id", pa.string()), ("topic", pa.string()), ("partition", pa.int32()), ("member_id", pa.string())),
        *(("session_id", pa.int64()), ("start", pa.int64()), ("end", pa.int64()), ("chain", pa.int64())),
    ]
)
_STATES: Final = pa.schema(
    [
        *(("group_id", pa.string()), ("start", pa.int64()), ("is_empty", pa.bool_()), ("has_expired", pa.bool_())),
        ("chain", pa.int64()),
    ]
)


class Actors(NamedTuple):
    """The actor of each commit, by its number in ACTORS, and its consumer."""

    actor: Int64Array
    member_id: pa.Array
    may_read_on: Mask
    """Whether it may be of a member whose session expired, and that reads on: if it does not go back."""


def attribute_store_commits(rows: pa.Table, facts: MemberFacts) -> Actors:
    """Attribute commits of raw.external_commits: to the owner, to an admin in an Empty group, or to nobody known."""
    at = rows["log_offset"].to_numpy()
    chain = facts.coverage.chains(at)
    owner = _owner_rows(facts)
    row = _last(owner, KEY, rows, at)
    is_owned = _is_known(owner, row, chain) & (at < at_rows(owner["end"].to_numpy(), row))
    is_own = is_owned & flags(pc.equal(rows["session_id"], take_rows(owner["session_id"], row)))
    states = _state_rows(facts)
    state = _last(states, ["group_id"], rows, at)
    is_empty = _is_known(states, state, chain) & holds(flags(states["is_empty"]), state)
    actor = np.where(is_own, OWNER, np.where(is_empty, ADMIN, UNSURE))
    member_id = take_rows(owner["member_id"], np.where(is_own, row, NO_ROW))
    return Actors(actor, member_id, is_empty & holds(flags(states["has_expired"]), state))


def _owner_rows(facts: MemberFacts) -> pa.Table:
    """The owners of partitions, each with the chain of transactions that it was seen in first."""
    rows = [
        {
            **{name: getattr(life.node, name) for name in (*KEY, "member_id", "session_id")},
            "start": life.node.log_offset,
            "end": FAR if life.end is None else life.end,
            "chain": facts.coverage.chain_from(life.node.log_offset),
        }
        for life in facts.owners
    ]
    return pa.Table.from_pylist(rows, _OWNERS)


def _state_rows(facts: MemberFacts) -> pa.Table:
    rows = [
        {
            "group_id": one.group_id,
            "start": one.log_offset,
            "is_empty": one.state == EMPTY,
            "has_expired": one.has_expired,
            "chain": facts.coverage.chain_from(one.log_offset),
        }
        for one in facts.states
    ]
    return pa.Table.from_pylist(rows, _STATES)


def _last(spans: pa.Table, key: list[str] | tuple[str, ...], rows: pa.Table, at: Int64Array) -> Int64Array:
    """For each commit the last row with its key that is not behind it; NO_ROW without one."""
    if not spans.num_rows:
        return np.full(at.size, NO_ROW)
    keys = Keys(spans, key)
    return last_at(keys.own, spans["start"].to_numpy(), keys.count, keys.find(rows), at)


def _is_known(spans: pa.Table, row: Int64Array, chain: Int64Array) -> Mask:
    """Whether all transactions between a commit and the row that it has were read."""
    known: Mask = (row != NO_ROW) & (chain != NO_CHAIN) & (at_rows(spans["chain"].to_numpy(), row) == chain)
    return known
