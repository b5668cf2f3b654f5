"""What a replay of the offsets topic is made of: stretches of one partition's log, and subjects that are told them.

Put here what the replay and its subjects agree on. What a subject makes of a stretch belongs in a module of its own,
how stretches are read and rows are kept in `assets.reconstruct`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Mapping

    Tables = Mapping[str, pa.Table]

WHOLE_SINCE: Final = "whole_since"
"""Column beside those of raw.offset_records: from this log offset up to the record's own every record was seen.

So what an earlier record said still holds at this one for certain if that record's offset is not below it, and that
there was nothing before is certain only where it is 0.
"""

GAPS: Final = pa.schema(
    [
        *(("from_log_offset", pa.int64()), ("to_log_offset", pa.int64())),
        *(("from_ms", pa.int64()), ("to_ms", pa.int64()), ("is_damage", pa.bool_())),
    ]
)
"""Log offsets of which nothing is known, between the times of the records before and behind them.

The one before is not told where it is of a stretch before.
"""

LAST_COMMIT_TYPE: Final = 1
"""Record types up to here are offset commits; those above are about groups and members."""

UNUSABLE: Final = pa.schema(
    [
        *(("log_offset", pa.int64()), ("timestamp_ms", pa.int64()), ("record_type", pa.int16())),
        *((name, pa.string()) for name in ("group_id", "reason", "expected", "found")),
    ]
)
"""Records that break what is assumed of every record (`assets.transforms.assumptions`), in the order of the log."""

REMEMBERED_OFFSETS: Final = 1 << 24
"""Behind a hole what is over is remembered for so many offsets: or all that ever ended would be, and for ever."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of one partition's log, in whole batches and in order, right behind the stretch before it.

    Both tables have the columns of raw.offset_records and `WHOLE_SINCE`; no record is in both. The rare columns of
    raw.offset_records are in `groups` alone: they are NULL for what is in `commits`.
    """

    commits: pa.Table
    """Offset commits, their removals, and transaction markers."""
    groups: pa.Table
    """The records of types 2 and above: what coordinators wrote about groups and members."""
    last_offset: int
    """The log offset of its last record, of whatever type."""
    whole_since: int
    """As the column of this name, at its end."""
    names: pa.Table | None = None
    """What others than this log call topic ids, as `assets.transforms.topic_names` has them."""
    gaps: pa.Table = field(default_factory=GAPS.empty_table)
    """The holes in it, as `GAPS` has them, in the order of the log."""
    unusable: pa.Table = field(default_factory=UNUSABLE.empty_table)
    """The records that break what is assumed of every record, as `UNUSABLE` has them: each is one of the holes."""
    last_ms: int | None = None
    """When its last record was appended; None when that was not recorded."""

    @property
    def forgotten(self) -> int:
        """What is over is forgotten up to this log offset: all of it while there is no hole."""
        if self.whole_since == 0:
            return self.last_offset
        return max(self.whole_since - 1, self.last_offset - REMEMBERED_OFFSETS)


class Subject(Protocol):
    """Makes the rows of some tables from one partition's log, stretch by stretch; pure, and without a look back.

    Its rows have the columns of their table but `cluster` and `log_partition`, which the replay adds. The result must
    not depend on where the log is cut into stretches.
    """

    tables: tuple[str, ...]
    """Full names of the tables it fills."""

    @classmethod
    def resumed(cls, memory: Tables) -> Subject:
        """Go on from what `memory` gave; from nothing at the beginning of the log."""
        ...

    def replay(self, stretch: Stretch) -> Tables:
        """Give the rows, by table, that no later record can change."""
        ...

    def standing(self) -> Tables:
        """Give the rows, by table, that are true as of now but that a later record may change or end."""
        ...

    def memory(self) -> Tables:
        """Give all that is needed to go on, bounded by what stands, not by how long the log is."""
        ...
