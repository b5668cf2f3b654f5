"""The subject that keeps what coordinators wrote about groups: generations, members, states and owners.

Put here how those tables are made stretch by stretch, and what has to be remembered for it. What each of them says
belongs in its own module.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assets.catalog import TABLES
from assets.catalog.raw.records import OFFSET_RECORDS
from assets.transforms.groups.generations import generations, recorded_states
from assets.transforms.groups.group_kinds import COLUMN_OF, KINDS
from assets.transforms.groups.group_log import BORN, GroupLog, readable
from assets.transforms.groups.group_rows import own_schema
from assets.transforms.groups.holders import RELEASED, Standing, held
from assets.transforms.groups.members import members
from assets.transforms.groups.ownership import ownership
from assets.transforms.groups.partition_claims import FAR, claims, named
from assets.transforms.groups.retained_records import living
from assets.transforms.groups.subscriptions import assignments, subscriptions
from assets.transforms.projection import WHOLE_SINCE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assets.transforms.commits.attribution import Identifying
    from assets.transforms.projection import Stretch, Tables

COLUMNS: Final = (
    "log_offset",
    "batch_base_offset",
    "log_leader_epoch",
    "timestamp_ms",
    "record_type",
    "is_tombstone",
    "group_id",
    "member_id",
    "regular_expression",
    *dict.fromkeys(COLUMN_OF[number] for number in KINDS),
)
"""What is kept of a record."""
SCHEMA: Final = pa.schema(
    [
        *(OFFSET_RECORDS.schema.field(name).with_nullable(nullable=True) for name in COLUMNS),
        pa.field(WHOLE_SINCE, pa.int64()),
        pa.field(BORN, pa.int64()),
    ]
)
ENDS: Final = {
    "core.generations": "to_log_offset",
    "core.members": "to_log_offset",
    "internal.recorded_group_states": "to_log_offset",
    "core.subscriptions": "to_log_offset",
    "core.assignments": "to_log_offset",
    "core.ownership": "until_log_offset",
}
"""The tables, and the column of each that says which record ended a row."""
REMEMBERED: Final = ("core.generations", "core.ownership")
"""Tables whose rows rest on records that may be gone when the row ends."""
GAVE_UP: Final = "released"
PIECE_BYTES: Final = 8 << 20
"""So much of what records say is opened at a time; opened it takes some fifty times as much."""
RECORD_BYTES: Final = 100
"""What a record takes besides its value."""
_NO_RECORDS: Final = SCHEMA.empty_table()
_NO_ROWS: Final = {name: own_schema(TABLES[name]).empty_table() for name in ENDS}
EVENTS: Final = {"Removed", "Converted", "Dead"}
"""States that nothing can end: such a row is told when its record is, and stands for itself."""


class Groups:
    """What is known of the groups of one partition, up to some place in its log.

    It remembers the records that still hold, as a coordinator would, and those of the last batch: what one request
    changed is in one batch, so no row is final before the next batch has begun.
    """

    tables: tuple[str, ...] = tuple(ENDS)

    def __init__(self, records: pa.Table, rows: Tables, released: pa.Table, known_to: int, whole_since: int) -> None:
        """Begin with what is remembered, the last batch, and from where on the log was seen without a hole."""
        self._records = records
        self._rows = rows
        self._released = released
        self._known_to = known_to
        self._whole_since = whole_since

    @classmethod
    def resumed(cls, memory: Tables) -> Groups:
        """Go on from a memory; from nothing at the beginning of the log."""
        if not memory:
            rows = {name: _NO_ROWS[name] for name in REMEMBERED}
            return cls(_NO_RECORDS, rows, RELEASED.empty_table(), 0, 0)
        place = memory["place"].to_pylist()[0]
        rows = {name: memory[name] for name in REMEMBERED}
        return cls(memory["records"], rows, memory[GAVE_UP], place["known_to"], place["whole_since"])

    def memory(self) -> Tables:
        """The records that still hold, the rows that rest on others, and the place in the log."""
        place = pa.table({"known_to": [self._known_to], "whole_since": [self._whole_since]})
        return {"records": self._records, **self._rows, GAVE_UP: self._released, "place": place}

    def replay(self, stretch: Stretch, asking: Identifying) -> Tables:
        """Give the rows that ended before the last batch, piece by piece: a record may hold thousands of members.

        The commits of the stretch are asking who stood behind them.
        """
        *pieces, last = _pieces(stretch.groups)
        told = [self._replay(piece, asking) for piece in pieces]
        self._records = pa.concat_tables([self._records, _kept(last)])
        self._whole_since = stretch.whole_since
        batches = [pc.max(table["batch_base_offset"]).as_py() for table in (stretch.commits, stretch.groups)]
        known_to = max(batch for batch in (self._known_to, *batches) if batch is not None)
        told.append(self._read_up_to(known_to, asking, FAR))
        return {name: pa.concat_tables([rows[name] for rows in told]) for name in self.tables}

    def _replay(self, piece: pa.Table, asking: Identifying) -> Tables:
        self._records = pa.concat_tables([self._records, _kept(piece)])
        self._whole_since = pc.max(piece[WHOLE_SINCE]).as_py()
        known_to = pc.max(piece["batch_base_offset"]).as_py()
        return self._read_up_to(known_to, asking, known_to)

    def _read_up_to(self, known_to: int, asking: Identifying, asked_to: int) -> Tables:
        """Give the rows that ended before this batch, and forget what nothing rests on any more."""
        standing, rows = self._told()
        asking.ask(standing, asked_to)
        since, self._known_to = self._known_to, known_to
        self._rows = {name: _remembered(rows[name], name, known_to) for name in REMEMBERED}
        self._released = standing.released(known_to)
        self._records = living(standing.log, known_to)
        return {name: table.filter(_ended(table, name, since, known_to)) for name, table in rows.items()}

    def standing(self) -> Tables:
        """Give the rows that later records may still end."""
        _, rows = self._told()
        return {name: table.filter(_ended(table, name, self._known_to)) for name, table in rows.items()}

    def _told(self) -> tuple[Standing, Tables]:
        """All rows that follow from the records, and who held what."""
        log = GroupLog(self._records, self._whole_since)
        if not self._records.num_rows:
            return Standing(log, _NO_ROWS["core.members"], self._released, self._known_to), _NO_ROWS
        found = members(log)
        claimed, remembered = named(found), self._rows["core.ownership"]
        claim = claims(found, claimed, remembered, self._known_to)
        standing = Standing.told(log, found, held(claimed, claim), self._released, self._known_to)
        return standing, {
            "core.generations": generations(log, self._rows["core.generations"]),
            "core.members": found,
            "internal.recorded_group_states": recorded_states(log),
            "core.subscriptions": subscriptions(log, found),
            "core.assignments": assignments(found),
            "core.ownership": ownership(log, found, claimed, claim, remembered),
        }


def _pieces(groups: pa.Table) -> Iterator[pa.Table]:
    """The records, about so many bytes at a time; one piece even of none."""
    sizes = groups["value_bytes"].cast(pa.int64()).fill_null(0).to_numpy() + RECORD_BYTES
    cuts = np.flatnonzero(np.diff(np.cumsum(sizes) // PIECE_BYTES)) + 1
    for low, high in pairwise([0, *cuts.tolist(), groups.num_rows]):
        yield groups.slice(low, high - low)


def _remembered(rows: pa.Table, name: str, known_to: int) -> pa.Table:
    """Of the rows that began before the last batch those that may still end."""
    began = rows["log_offset"].to_numpy() < known_to
    return rows.filter(pa.array(began & _ended(rows, name, known_to).to_numpy(zero_copy_only=False)))


def _kept(groups: pa.Table) -> pa.Table:
    """The records as they are remembered."""
    if not groups.num_rows:
        return _NO_RECORDS
    found = readable(groups)
    columns = [found[name] if name != BORN else pa.nulls(found.num_rows, pa.int64()) for name in SCHEMA.names]
    return pa.Table.from_arrays(columns, SCHEMA.names).cast(SCHEMA)


def _ended(rows: pa.Table, name: str, low: int, high: int | None = None) -> pa.Array:
    """Which rows ended from one log offset on and before another; what has no end ends last of all."""
    end = rows[ENDS[name]].fill_null(FAR).to_numpy()
    if "state" in rows.column_names:
        is_event = pc.is_in(rows["state"], pa.array(sorted(EVENTS))).to_numpy()
        end = np.where(is_event, rows["log_offset"].to_numpy(), end)
    return pa.array((end >= low) & (end < high) if high is not None else end >= low)
