"""The projection of what coordinators wrote about groups: generations, members, states and owners.

Put here how those tables are made chunk by chunk, and what has to be remembered for it. The columns of each belong in
its own module.
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
from assets.transforms.groups.holders import RELEASED, MemberIndex, holder_rows
from assets.transforms.groups.members import members
from assets.transforms.groups.opened_pieces import piece_cuts
from assets.transforms.groups.ownership import ownership
from assets.transforms.groups.partition_claims import FAR, claimed_partitions, claims
from assets.transforms.groups.retained_records import retained_records
from assets.transforms.groups.subscriptions import assignments, subscriptions
from assets.transforms.projection import WHOLE_SINCE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assets.transforms.commits.attribution import CommitAttribution
    from assets.transforms.projection import LogChunk, Tables

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
"""The columns of a record that are remembered."""
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
"""Tables whose rows depend on records that may be forgotten before the row ends."""
GAVE_UP: Final = "released"
_NO_RECORDS: Final = SCHEMA.empty_table()
_NO_ROWS: Final = {name: own_schema(TABLES[name]).empty_table() for name in ENDS}
EVENTS: Final = {"Removed", "Converted", "Dead"}
"""States that nothing can end: such a row is final with its record."""


class Groups:
    """The state of the groups of one partition, up to a log offset.

    It remembers the records that are still valid, as a coordinator would, and those of the last batch: one request
    writes one batch, so no row is final before the next batch begins.
    """

    tables: tuple[str, ...] = tuple(ENDS)

    def __init__(self, records: pa.Table, rows: Tables, released: pa.Table, known_to: int, whole_since: int) -> None:
        """Begin with the remembered records and rows, the last batch, and from where on the log has no gap."""
        self._records = records
        self._rows = rows
        self._released = released
        self._known_to = known_to
        self._whole_since = whole_since

    @classmethod
    def resume(cls, memory: Tables) -> Groups:
        """Resume from a memory; from nothing at the beginning of the log."""
        if not memory:
            rows = {name: _NO_ROWS[name] for name in REMEMBERED}
            return cls(_NO_RECORDS, rows, RELEASED.empty_table(), 0, 0)
        place = memory["place"].to_pylist()[0]
        rows = {name: memory[name] for name in REMEMBERED}
        return cls(memory["records"], rows, memory[GAVE_UP], place["known_to"], place["whole_since"])

    def memory(self) -> Tables:
        """The records that are still valid, the rows that depend on others, and the log position."""
        place = pa.table({"known_to": [self._known_to], "whole_since": [self._whole_since]})
        return {"records": self._records, **self._rows, GAVE_UP: self._released, "place": place}

    def replay(self, chunk: LogChunk, attribution: CommitAttribution) -> Tables:
        """Give the rows that ended before the last batch, piece by piece: a record may hold thousands of members.

        On the way `attribution` names the actors of the chunk's commits.
        """
        *pieces, last = _pieces(chunk.groups)
        row_batches = [self._replay(piece, attribution) for piece in pieces]
        self._records = pa.concat_tables([self._records, _retained_columns(last)])
        self._whole_since = chunk.whole_since
        batches = [pc.max(table["batch_base_offset"]).as_py() for table in (chunk.commits, chunk.groups)]
        known_to = max(batch for batch in (self._known_to, *batches) if batch is not None)
        row_batches.append(self._read_up_to(known_to, attribution, FAR))
        return {name: pa.concat_tables([rows[name] for rows in row_batches]) for name in self.tables}

    def _replay(self, piece: pa.Table, attribution: CommitAttribution) -> Tables:
        self._records = pa.concat_tables([self._records, _retained_columns(piece)])
        self._whole_since = pc.max(piece[WHOLE_SINCE]).as_py()
        known_to = pc.max(piece["batch_base_offset"]).as_py()
        return self._read_up_to(known_to, attribution, known_to)

    def _read_up_to(self, known_to: int, attribution: CommitAttribution, attributed_to: int) -> Tables:
        """Give the rows that ended before this batch, and forget records that no row depends on any more."""
        index, rows = self._derive_rows()
        attribution.attribute_up_to(index, attributed_to)
        since, self._known_to = self._known_to, known_to
        self._rows = {name: _retained_rows(rows[name], name, known_to) for name in REMEMBERED}
        self._released = index.released_partitions(known_to)
        self._records = retained_records(index.log, known_to)
        return {name: table.filter(_ended_between(table, name, since, known_to)) for name, table in rows.items()}

    def open_rows(self) -> Tables:
        """Give the open rows, which later records may still end."""
        _, rows = self._derive_rows()
        return {name: table.filter(_ended_between(table, name, self._known_to)) for name, table in rows.items()}

    def _derive_rows(self) -> tuple[MemberIndex, Tables]:
        """All rows that follow from the records, and the index of members and holders."""
        log = GroupLog(self._records, self._whole_since)
        if not self._records.num_rows:
            return MemberIndex(log, _NO_ROWS["core.members"], self._released, self._known_to), _NO_ROWS
        member_rows = members(log)
        claimed, remembered = claimed_partitions(member_rows), self._rows["core.ownership"]
        owner_claims = claims(member_rows, claimed, remembered, self._known_to)
        index = MemberIndex.build(log, member_rows, holder_rows(claimed, owner_claims), self._released, self._known_to)
        return index, {
            "core.generations": generations(log, self._rows["core.generations"]),
            "core.members": member_rows,
            "internal.recorded_group_states": recorded_states(log),
            "core.subscriptions": subscriptions(log, member_rows),
            "core.assignments": assignments(member_rows),
            "core.ownership": ownership(log, member_rows, claimed, owner_claims, remembered),
        }


def _pieces(groups: pa.Table) -> Iterator[pa.Table]:
    """The records in pieces that can be opened at a time; at least one piece, even without records."""
    for low, high in pairwise([0, *piece_cuts(groups), groups.num_rows]):
        yield groups.slice(low, high - low)


def _retained_rows(rows: pa.Table, name: str, known_to: int) -> pa.Table:
    """The rows that began before the last batch and may still end."""
    began = rows["log_offset"].to_numpy() < known_to
    return rows.filter(pa.array(began & _ended_between(rows, name, known_to).to_numpy(zero_copy_only=False)))


def _retained_columns(groups: pa.Table) -> pa.Table:
    """The readable records, in the columns that are remembered."""
    if not groups.num_rows:
        return _NO_RECORDS
    records = readable(groups)
    columns = [records[name] if name != BORN else pa.nulls(records.num_rows, pa.int64()) for name in SCHEMA.names]
    return pa.Table.from_arrays(columns, SCHEMA.names).cast(SCHEMA)


def _ended_between(rows: pa.Table, name: str, low: int, high: int | None = None) -> pa.Array:
    """Which rows ended from one log offset on and before another; an open row ends at `FAR`."""
    end = rows[ENDS[name]].fill_null(FAR).to_numpy()
    if "state" in rows.column_names:
        is_event = pc.is_in(rows["state"], pa.array(sorted(EVENTS))).to_numpy()
        end = np.where(is_event, rows["log_offset"].to_numpy(), end)
    return pa.array((end >= low) & (end < high) if high is not None else end >= low)
