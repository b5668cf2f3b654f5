"""The claims of what a group read again, or never read: ranges of offsets, how sure that is, and why.

Put columns here of claims about offsets. What groups did otherwise stands in the other modules of the room.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from assets.catalog.columns import CLUSTER, GROUP_ID, LOG_PARTITION, PARTITION, TOPIC
from assets.catalog.table import TIMESTAMP, Column, Interval, Origin, Table

if TYPE_CHECKING:
    from collections.abc import Mapping

CLAIM: Final = ("cluster", "log_partition", "log_offset", "group_id", "topic", "partition", "kind")
"""What tells one claim from another: one record may hand over many partitions."""


@dataclass(frozen=True, slots=True)
class Wording:
    """What the columns that all claims share say in a table of one kind of them."""

    happened: str
    """What the offsets were: read again."""
    kinds: Mapping[str, str]
    from_offset: str
    to_offset: str
    possible_to: str
    from_time: str
    occurred_at: str
    detected_at: str
    to_time: str
    causes: Mapping[str, str]
    actor: str
    log_offset: str

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of the table, in order."""
        return (
            *(
                CLUSTER,
                GROUP_ID,
                TOPIC,
                PARTITION,
                Column("kind", pa.string(), "How it came about.", values=self.kinds, required=True),
            ),
            *self._ranges,
            *self._records,
            *self._times,
            *self._story,
            LOG_PARTITION,
            Column("log_offset", pa.int64(), self.log_offset, required=True),
            Column(
                "evidence", pa.list_(pa.int64()), "Log offsets of all records it rests on, in order.", required=True
            ),
        )

    @property
    def _ranges(self) -> tuple[Column, ...]:
        was = self.happened
        return (
            Column("from_offset", pa.int64(), self.from_offset),
            Column("to_offset", pa.int64(), self.to_offset),
            Column("possible_from", pa.int64(), f"First offset that may have been {was}.", required=True),
            Column("possible_to", pa.int64(), self.possible_to),
            Column("certain_from", pa.int64(), f"First offset surely {was}; NULL while none is sure."),
            Column("certain_to", pa.int64(), f"End (half-open) of what was surely {was}; NULL while none is sure."),
            Column("estimate_from", pa.int64(), f"First offset probably {was}; NULL without an estimate."),
            Column(
                "estimate_to",
                pa.int64(),
                f"End (half-open) of what was probably {was}, estimate_from where probably none was; NULL without an "
                "estimate.",
            ),
        )

    @property
    def _records(self) -> tuple[Column, ...]:
        return (
            Column("records_possible", pa.int64(), _RECORDS.format(range="possible_from and possible_to")),
            Column("records_certain", pa.int64(), _RECORDS.format(range="certain_from and certain_to")),
            Column(
                "bytes",
                pa.int64(),
                "Size of the batches that hold the records of the possible range, as on disk; NULL without data "
                "segments.",
            ),
            Column("first_record_at", TIMESTAMP, "Timestamp of the first of these batches; NULL without segments."),
            Column(
                "last_record_at", TIMESTAMP, "Largest timestamp of the last of these batches; NULL without segments."
            ),
        )

    @property
    def _times(self) -> tuple[Column, ...]:
        return (
            Column("from_time", TIMESTAMP, self.from_time),
            Column("occurred_at", TIMESTAMP, self.occurred_at),
            Column("detected_at", TIMESTAMP, self.detected_at),
            Column("to_time", TIMESTAMP, self.to_time),
        )

    @property
    def _story(self) -> tuple[Column, ...]:
        return (
            Column("cause", pa.string(), "Why it happened.", values=self.causes, required=True),
            Column("actor", pa.string(), self.actor, values=_ACTORS, required=True),
            Column("member_id", pa.string(), "Member id of that member; NULL when it was none, or it is not known."),
            Column("client_id", pa.string(), "client.id of that member; NULL when it was none, or it is not known."),
            Column("client_host", pa.string(), "Where that member connects from; NULL when it was none, or not known."),
            Column("generation_before", pa.int32(), "Generation of the group before it; NULL when unknown."),
            Column("generation_after", pa.int32(), "Generation of the group when it happened; NULL when unknown."),
            Column("certainty", pa.string(), "How sure it is.", values=_CERTAINTIES, required=True),
        )


_RECORDS: Final = (
    "Records between {range}, without markers, aborted data and what compaction took; NULL without data segments, or "
    "where these don't tell."
)

_CERTAINTIES: Final = {
    "proven": "the certain range is not empty",
    "likely": "it is empty and the estimate is not, from records that name both ends",
    "possible": "not excluded, and nothing says that it happened",
}
_ACTORS: Final = {
    "admin": "an admin, while the group had no members",
    "owner": "the member that owned the partition",
    "former_owner": "a member that owned it last",
    "simple_consumer": "a client that assigns partitions to itself",
    "transaction": "a producer, through a transaction",
    "unknown": "not known",
}
_REMOVALS: Final = {
    "expired": "the offset had been removed when its retention was over",
    "group_deleted": "the offset had been removed with the group",
    "offsets_deleted": "somebody had deleted offsets of the group",
    "offsets_removed": "the offset had been removed for a cause that is not known",
}
_REPLAY: Final = Wording(
    happened="read again",
    kinds={
        "set_back": "a lower offset was committed",
        "handed_over": "another member began at what stood committed",
        "reassigned_to_same_member": "an eager rebalance let the same member begin there",
        "restarted_at_earliest": "the offset had been removed",
        "truncated": "the log lost its end, and what is before it may be read again",
    },
    from_offset="Beginning that a record names: the lower commit, or what stood at a hand-over; else NULL.",
    to_offset="Offset before which it had already committed (half-open); NULL where no record names one.",
    possible_to="End (half-open): from here on nothing was read again by this; NULL where nothing tells.",
    from_time="When what stood before was committed; for a member that had committed nothing, when it came to own it.",
    occurred_at="When the lower commit, or the first after a removal, took effect; or when the next member owned it.",
    detected_at="When the log first showed it.",
    to_time="When the group had committed past it again; NULL while it has not.",
    causes={
        "admin_reset": "an admin committed a lower offset",
        "rebalance": "the group gave its partitions out anew",
        "member_leave": "the owner left",
        "member_crash": "the owner expired",
        "member_left_or_crashed": "nothing tells which",
        "static_member_replaced": "its instance came back as another member",
        "group_converted": "the group became another kind of group",
        "group_removed": "the group was removed and came back",
        "late_commit_of_former_owner": "a member committed that owned the partition no longer",
        "truncation": "the log lost its end",
        **_REMOVALS,
        "unknown": "the log does not show it",
    },
    actor="Who stood behind the commit; at a hand-over the former owner, whose last records may be read again.",
    log_offset="Log offset of the commit, or of the record by which the next member came to own it.",
)

_PACE: Final = (
    Column(
        "step",
        pa.int64(),
        "Offsets that the former owner committed at once, by its last ten commits; NULL of fewer than two, and where "
        "none was replaced.",
        minimum=0,
    ),
    Column(
        "is_ordinary",
        pa.bool_(),
        "Whether the owner went on committing at its pace until it stopped, so that no more than what lies between two "
        "of its commits was probably read again: what at-least-once means.",
        required=True,
    ),
)

REPLAYS: Final = Table(
    "mart",
    "replays",
    "Offsets that a group read again, for certain or perhaps: it was set back, or a partition changed hands.",
    CLAIM,
    (*_REPLAY.columns, *_PACE),
    origin=Origin.TRANSFORM,
    intervals=(
        Interval("certain_from", "certain_to"),
        Interval("possible_from", "possible_to"),
        Interval("from_offset", "to_offset"),
        Interval("estimate_from", "estimate_to", can_be_empty=True),
    ),
)

_SKIP: Final = Wording(
    happened="passed over unread",
    kinds={
        "set_forward": "a higher offset was committed while the group had no members",
        "skipped_ahead": "a member was told to go on farther ahead",
        "restarted_at_latest": "its offset was removed, and the next commit is higher",
        "overtaken_by_log_start": "it went on where the log began, or at its end, since what it had committed was gone",
        "below_log_start": "the log began after what it committed last, and it has not come back",
    },
    from_offset="Offset that stood before, or that had been removed.",
    to_offset="Offset that was committed next; NULL where the group was left behind.",
    possible_to="End (half-open): from here on nothing was passed over by this.",
    from_time="When what stood before was committed or removed.",
    occurred_at="When the commit took effect that went past them. Of a group below the log start a bound: not before "
    "it had come so far, nor before the newest known batch that was lost was written.",
    detected_at="When it could be known first: the same.",
    to_time="Until when it may have happened: the same; NULL of a group that was left behind.",
    causes={
        "admin_reset": "an admin committed a higher offset",
        "seek": "a member went on farther ahead",
        "retention": "records were old enough for it",
        "records_deleted": "the log begins within a segment, as retention never leaves it",
        **_REMOVALS,
        "unknown": "the log does not show it",
    },
    actor="Who made the commit at log_offset.",
    log_offset="Log offset of the commit that went past them; of what stands, where the group was left behind.",
)

SKIPS: Final = Table(
    "mart",
    "skips",
    "Offsets that a group went past without reading them: what commits, removals, states and log starts tell of it.",
    CLAIM,
    _SKIP.columns,
    intervals=(Interval("certain_from", "certain_to"), Interval("possible_from", "possible_to")),
)

TABLES: Final = (REPLAYS, SKIPS)
