"""Who held a partition at each place in the log, as rows that commits can be looked up in.

Put here those who hold one, those who gave one up and are members still, and what their claims rest on. Who of them
stood behind a commit is told in `committers`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assets.arrays.lookups import Keys, last_at
from assets.arrays.neighbours import NOBODY, at_rows, taken
from assets.transforms.groups.group_kinds import Says
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
"""Who held what, between which log offsets, by which version of the member: the row of core.members."""
RELEASED: Final = pa.schema([field for field in HOLDERS if field.name != "version"])
"""What is remembered of those who gave up a partition."""


@dataclass(frozen=True)
class Standing:
    """What is known of members around some records: from before the first of them to behind the last."""

    log: GroupLog
    members: pa.Table
    """Their versions, as core.members has them."""
    holders: pa.Table
    known_to: int
    """What was told before this log offset is there as far as it was remembered."""

    @classmethod
    def told(cls, log: GroupLog, members: pa.Table, held: pa.Table, released: pa.Table, known_to: int) -> Standing:
        """Put those together who hold and who are remembered to have held."""
        remembered = released.append_column("version", pa.repeat(NOBODY, released.num_rows))
        return cls(log, members, pa.concat_tables([held, remembered]), known_to)

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
        """By row of the log: the oldest record by which a version that begins there owns, and is described."""
        found = versions(self.log)
        topology = self.log.last_of_group(Says.TOPOLOGY)[found.row]
        parts = [np.arange(self.log.offset.size) for _ in range(2)]
        parts[0][found.start] = _older(found.current, np.where(topology == NOBODY, found.current, topology))
        parts[1][found.start] = _older(parts[0][found.start], found.metadata)
        return parts[0], parts[1]

    @cached_property
    def _row(self) -> Int64Array:
        row: Int64Array = np.searchsorted(self.log.offset, self.start)
        return row

    @cached_property
    def owns_since(self) -> Int64Array:
        """The log offset of the oldest record by which a version owns what it does; a hole behind it may end that."""
        return at_rows(self.log.offset, self._parts[0][self._row])

    @cached_property
    def described_since(self) -> Int64Array:
        """The same for what else is known of the member."""
        return at_rows(self.log.offset, self._parts[1][self._row])

    @cached_property
    def member(self) -> Keys:
        """The members, numbered."""
        return Keys(self.members, MEMBER)

    @cached_property
    def life(self) -> Int64Array:
        """Where the first of the versions begins that lead to each without a break."""
        order = np.lexsort((self.start, self.member.own))
        own, start, end = self.member.own[order], self.start[order], self.end[order]
        goes_on = np.zeros(order.size, np.bool_)
        goes_on[1:] = (own[1:] == own[:-1]) & (start[1:] == end[:-1])
        first = np.maximum.accumulate(np.where(goes_on, 0, np.arange(order.size)))
        life = np.empty(order.size, np.int64)
        life[order] = start[first]
        return life

    def still(self, holders: pa.Table, at: Int64Array) -> Int64Array:
        """The version at a log offset of each who held something, if it was a member all the time since."""
        asked = self.member.find(holders)
        version = last_at(self.member.own, self.start, self.member.count, asked, at)
        until = np.maximum(holders["end"].to_numpy(), self.known_to - 1)
        is_member = (at < at_rows(self.end, version)) & (at_rows(self.life, version) <= until)
        return np.where(is_member, version, NOBODY)

    def released(self, known_to: int) -> pa.Table:
        """Who held a partition last before a log offset, gave it up, and is a member there: all that is asked later."""
        if not self.holders.num_rows:
            return RELEASED.empty_table()
        places = Keys(self.holders, PLACE)
        start = self.holders["start"].to_numpy()
        everywhere = np.arange(places.count)
        before = np.full(places.count, known_to - 1)
        last = last_at(places.own, start, places.count, everywhere, before)
        given_up = self.holders.take(pa.array(last[last != NOBODY]))
        given_up = given_up.filter(pc.less(given_up["end"], known_to))
        is_member = self.still(given_up, np.full(given_up.num_rows, known_to - 1)) != NOBODY
        return given_up.filter(pa.array(is_member)).select(RELEASED.names).combine_chunks()


def held(claimed: pa.Table, found: Claims) -> pa.Table:
    """The rows of what versions of members claim."""
    rows = {name: taken(claimed[name], found.row) for name in OWNER}
    places = {"start": found.start, "end": found.end, "version": found.version}
    return pa.table({**rows, **places}).cast(HOLDERS)


def by_topic(holders: pa.Table, names: pa.Table) -> pa.Table:
    """The holders by the names of their topics: of those that have an id alone from where a record says its name."""
    is_named = pc.is_valid(holders["topic"])
    named, others = holders.filter(is_named), holders.filter(pc.invert(is_named))
    if not others.num_rows or not names.num_rows:
        return named
    said = names.select(["topic_id", "topic", "log_offset"])
    found = others.drop_columns(["topic"]).join(said, "topic_id", join_type="inner")
    told = pc.max_element_wise(found["start"], found["log_offset"])
    found = found.set_column(found.column_names.index("start"), "start", told)
    found = found.filter(pc.less(found["start"], found["end"]))
    return pa.concat_tables([named, found.select(HOLDERS.names)])


def _older(one: Int64Array, other: Int64Array) -> Int64Array:
    """The earlier of two rows; without one of them there is none."""
    return np.where((one == NOBODY) | (other == NOBODY), NOBODY, np.minimum(one, other))
