"""The interface of the reconstruction: chunks of one partition's log, and projections that make table rows of them.

Put here what all projections share. Each projection has a module of its own; `assets.reconstruct` reads the chunks and
writes the rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Mapping

    Tables = Mapping[str, pa.Table]

WHOLE_SINCE: Final = "whole_since"
"""Column beside those of raw.offset_records: from this log offset up to the record's own the log has no gap.

An earlier record is certainly the previous one only if its offset is not below this one; that there is no earlier
record is certain only where it is 0.
"""

GAPS: Final = pa.schema(
    [
        *(("from_log_offset", pa.int64()), ("to_log_offset", pa.int64())),
        *(("from_ms", pa.int64()), ("to_ms", pa.int64()), ("is_damage", pa.bool_())),
    ]
)
"""Gaps: log offsets without a record, between the times of the records before and after them.

`from_ms` is NULL where the record before belongs to an earlier chunk.
"""

LAST_COMMIT_TYPE: Final = 1
"""Record types up to this one are offset commits; those above are about groups and members."""

UNUSABLE: Final = pa.schema(
    [
        *(("log_offset", pa.int64()), ("timestamp_ms", pa.int64()), ("record_type", pa.int16())),
        *((name, pa.string()) for name in ("group_id", "reason", "expected", "found")),
    ]
)
"""Records that break an assumption (`assets.transforms.assumptions`), in the order of the log."""

_TEXT: Final = pa.dictionary(pa.int32(), pa.string())
COMPACTED: Final = pa.schema(
    [
        *(("record_type", pa.int16()), ("group_id", _TEXT), ("topic", _TEXT), ("partition", pa.int32())),
        *(("member_id", pa.string()), ("regular_expression", pa.string()), ("undecoded_key", pa.binary())),
        *(("key_bytes", pa.int32()), ("log_offset", pa.int64()), ("batch_base_offset", pa.int64())),
        *(("timestamp_ms", pa.int64()), ("producer_id", pa.int64()), ("producer_epoch", pa.int16())),
        *(("is_transactional", pa.bool_()), ("is_control", pa.bool_()), ("control_type", _TEXT)),
        *(("is_tombstone", pa.bool_()), ("delete_horizon_ms", pa.int64()), (WHOLE_SINCE, pa.int64())),
    ]
)
"""What the log cleaner goes by: the columns of a record's key and of its batch."""

REMEMBERED_OFFSETS: Final = 1 << 24
"""After a gap ended rows are remembered for so many offsets: without a bound the checkpoint would grow for ever."""


RUNS: Final = pa.schema([("from_log_offset", pa.int64()), ("log_offset", pa.int64())])
"""Positions of a store between which all transactions were read."""


@dataclass(frozen=True, slots=True)
class StoreEvents:
    """What a store in ZooKeeper tells of members: the rows of raw.zookeeper_events of a chunk, in their order."""

    rows: pa.Table
    runs: pa.Table
    """Those of `transactions_read`, as `RUNS` has them, also of later chunks."""


@dataclass(frozen=True, slots=True)
class LogChunk:
    """A range of one partition's log, in whole batches and in order, directly after the chunk before it.

    Both tables have the columns of raw.offset_records and `WHOLE_SINCE`; no record is in both. The rare columns of
    raw.offset_records are in `groups` alone: they are NULL for what is in `commits`.
    """

    commits: pa.Table
    """Offset commits, their removals, and transaction markers; of a store outside Kafka the rows of
    raw.external_commits."""
    groups: pa.Table
    """The records of types 2 and above: those of groups and members."""
    last_offset: int
    """The log offset of its last record, of whatever type."""
    whole_since: int
    """The column of this name, at the end of the chunk."""
    names: pa.Table | None = None
    """Names of topic ids from sources other than this log, as `assets.transforms.topic_names` has them."""
    gaps: pa.Table = field(default_factory=GAPS.empty_table)
    """The gaps in the chunk, as `GAPS` has them, in the order of the log."""
    unusable: pa.Table = field(default_factory=UNUSABLE.empty_table)
    """The records that break an assumption, as `UNUSABLE` has them: each is one of the gaps."""
    records: pa.Table = field(default_factory=COMPACTED.empty_table)
    """Every record, usable or not, with the columns of `COMPACTED`; those with rare columns after the others."""
    last_ms: int | None = None
    """When the last record was appended; None if unknown."""
    events: StoreEvents | None = None
    """What a store tells of members; None in the offsets topic."""

    @property
    def forgotten(self) -> int:
        """Ended rows are forgotten up to this log offset; all of them while the log has no gap."""
        if self.whole_since == 0:
            return self.last_offset
        return max(self.whole_since - 1, self.last_offset - REMEMBERED_OFFSETS)


class Projection(Protocol):
    """Makes the rows of some tables from one partition's log, chunk by chunk; pure, without reading back.

    Its rows have the columns of their table except `cluster` and `log_partition`, which `assets.reconstruct` adds. The
    result must not depend on where the log is cut into chunks.
    """

    tables: tuple[str, ...]
    """Full names of the tables it fills."""

    @classmethod
    def resume(cls, memory: Tables) -> Projection:
        """Resume from what `memory` gave; from empty tables at the beginning of the log."""
        ...

    def replay(self, chunk: LogChunk) -> Tables:
        """Give the rows, by table, that no later record can change."""
        ...

    def open_rows(self) -> Tables:
        """Give the open rows, by table: valid at the end of the log, but a later record may change or end them."""
        ...

    def memory(self) -> Tables:
        """Give all that is needed to resume, bounded by the open rows, not by the length of the log."""
        ...
