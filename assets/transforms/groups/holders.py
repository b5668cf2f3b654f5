"""The holders of partitions at each log offset, as rows to look commits up in.

Put here current holders, former holders that are still members, and the records that their claims depend on. The
attribution of commits to them is in `committers`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assets.arrays.lookups import Keys, last_at
from assets.arrays.neighbours import NO_ROW, at_rows, take_rows
from assets.transforms.groups.group_kinds import RecordKind
from assets.transforms.groups.member_versions import versions
from assets.transforms.groups.partition_claims import FAR, OWNER

if TYPE_CHECKING:
    from assets.transforms.groups.group_log import GroupLog
    from assets.transforms.groups.partition_claims import Claims
    from parsers.words import Int64Array

PLACE: Final = OWNER[:-1]
MEMBER: Final = ("group_id", "group_type", "member_id")
HOLDERS: Final = pa.schema(
    [
        *((name, pa.int32() if name == "partition" else pa.string()) for name in OWNER),
        *((name, pa.int64()) for name in ("start", "end", "version")),
    ]
)
"""Which member held which partition, between which log offsets; `version` is the row of core.members."""
RELEASED: Final = pa.schema([field for field in HOLDERS if field.name != "version"])
"""What is remembered of members that gave up a partition."""


@dataclass(frozen=True)
class MemberIndex:
    """Versions of members and holders of partitions, from before the first of some records to after the last."""

    log: GroupLog
    members: pa.Table
    """Their versions, as core.members has them."""
    holders: pa.Table
    known_to: int
    """Records before this log offset are here only as far as they were remembered."""

    @classmethod
    def build(
        cls, log: GroupLog, members: pa.Table, holders: pa.Table, released: pa.Table, known_to: int
    ) -> MemberIndex:
        """Combine current holders with remembered former ones."""
        earlier = released.append_column("version", pa.repeat(NO_ROW, released.num_rows))
        return cls(log, members, pa.concat_tables([holders, earlier]), known_to)

    @cached_property
    def start(self) -> Int64Array:
        """Where each version of a member begins."""
        starts: Int64Array = self.members["log_offset"].to_numpy()
        return starts

    @cached_property
    def end(self) -> Int64Array:
        """Where it ends."""
        ends: Int64Array = self.members["to_log_offset"].fill_null(FAR).to_numpy()
        return ends

    @cached_property
    def _parts(self) -> tuple[Int64Array, Int64Array]:
        """By row of the log: the oldest record that ownership, or description, of a version starting there rests on."""
        history = versions(self.log)
        topology = self.log.last_of_group(RecordKind.TOPOLOGY)[history.row]
        parts = [np.arange(self.log.offset.size) for _ in range(2)]
        parts[0][history.start] = _older(history.current, np.where(topology == NO_ROW, history.current, topology))
        parts[1][history.start] = _older(parts[0][history.start], history.metadata)
        return parts[0], parts[1]

    @cached_property
    def _row(self) -> Int64Array:
        row: Int64Array = np.searchsorted(self.log.offset, self.start)
        return row

    @cached_property
    def owns_since(self) -> Int64Array:
        """The log offset of the oldest record that a version's ownership depends on; a gap after it may end that."""
        return at_rows(self.log.offset, self._parts[0][self._row])

    @cached_property
    def described_since(self) -> Int64Array:
        """The same for the description of the member: client, host, instance."""
        return at_rows(self.log.offset, self._parts[1][self._row])

    @cached_property
    def member(self) -> Keys:
        """The members, numbered."""
        return Keys(self.members, MEMBER)

    @cached_property
    def life(self) -> Int64Array:
        """Where the unbroken series of versions that each version belongs to begins."""
        order = np.lexsort((self.start, self.member.own))
        own, start, end = self.member.own[order], self.start[order], self.end[order]
        goes_on = np.zeros(order.size, np.bool_)
        goes_on[1:] = (own[1:] == own[:-1]) & (start[1:] == end[:-1])
        first = np.maximum.accumulate(np.where(goes_on, 0, np.arange(order.size)))
        life = np.empty(order.size, np.int64)
        life[order] = start[first]
        return life

    def current_versions(self, holders: pa.Table, at: Int64Array) -> Int64Array:
        """The version of each holder at a log offset, if it was a member all the time since; NO_ROW otherwise."""
        member = self.member.find(holders)
        version = last_at(self.member.own, self.start, self.member.count, member, at)
        until = np.maximum(holders["end"].to_numpy(), self.known_to - 1)
        is_member = (at < at_rows(self.end, version)) & (at_rows(self.life, version) <= until)
        return np.where(is_member, version, NO_ROW)

    def released_partitions(self, known_to: int) -> pa.Table:
        """The last holders before a log offset that gave their partition up and are still members there."""
        if not self.holders.num_rows:
            return RELEASED.empty_table()
        places = Keys(self.holders, PLACE)
        start = self.holders["start"].to_numpy()
        everywhere = np.arange(places.count)
        before = np.full(places.count, known_to - 1)
        last = last_at(places.own, start, places.count, everywhere, before)
        given_up = self.holders.take(pa.array(last[last != NO_ROW]))
        given_up = given_up.filter(pc.less(given_up["end"], known_to))
        is_member = self.current_versions(given_up, np.full(given_up.num_rows, known_to - 1)) != NO_ROW
        return given_up.filter(pa.array(is_member)).select(RELEASED.names).combine_chunks()


def holder_rows(claimed: pa.Table, claims: Claims) -> pa.Table:
    """The claims of members' versions, as rows of holders."""
    rows = {name: take_rows(claimed[name], claims.row) for name in OWNER}
    places = {"start": claims.start, "end": claims.end, "version": claims.version}
    return pa.table({**rows, **places}).cast(HOLDERS)


def resolve_topic_ids(holders: pa.Table, names: pa.Table) -> pa.Table:
    """The holders with topic names; a holder with a topic id alone counts from the record that names the id."""
    is_named = pc.is_valid(holders["topic"])
    named, others = holders.filter(is_named), holders.filter(pc.invert(is_named))
    if not others.num_rows or not names.num_rows:
        return named
    ids_and_names = names.select(["topic_id", "topic", "log_offset"])
    resolved = others.drop_columns(["topic"]).join(ids_and_names, "topic_id", join_type="inner")
    start = pc.max_element_wise(resolved["start"], resolved["log_offset"])
    resolved = resolved.set_column(resolved.column_names.index("start"), "start", start)
    resolved = resolved.filter(pc.less(resolved["start"], resolved["end"]))
    return pa.concat_tables([named, resolved.select(HOLDERS.names)])


def _older(one: Int64Array, other: Int64Array) -> Int64Array:
    """The earlier of two rows; NO_ROW if either is missing."""
    return np.where((one == NO_ROW) | (other == NO_ROW), NO_ROW, np.minimum(one, other))
