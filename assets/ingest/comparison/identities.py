"""The columns that identify a row of the tables of logs, and those in which two copies of it must agree.

Put an identity here, one for each table of rows that copies of a log share. How rows are compared by it is in
`assets.ingest.comparison.dedupe`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pyarrow.compute as pc

from assets.catalog import TABLES
from assets.catalog.raw.records import SOURCE

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow.dataset as ds

    from assets.catalog import Table
    from parsers.files.discovery import SegmentFile


@dataclass(frozen=True, slots=True)
class Identity:
    """The columns that identify a record of a table, and the columns in which two copies of it must agree."""

    table: str
    diverged: str
    partition: str
    offset: str
    batch_offset: str
    log_columns: Mapping[str, str]
    """The columns that name the log beside its partition, each with the field of a segment that fills it."""
    compared: tuple[str, ...]

    def place(self, segment: SegmentFile) -> dict[str, Any]:
        """The columns that are the same in all rows of a segment, with their values."""
        named = {column: getattr(segment, field) for column, field in self.log_columns.items()}
        return {"cluster": segment.cluster, self.partition: segment.partition, **named}

    def belongs(self, segment: SegmentFile) -> ds.Expression:
        """The filter for the table's rows of the segment's log."""
        in_partition = (pc.field("cluster") == segment.cluster) & (pc.field(self.partition) == segment.partition)
        return in_partition & (pc.field("topic") == segment.topic) if "topic" in self.log_columns else in_partition


def _columns(table: Table, *, but: set[str]) -> tuple[str, ...]:
    return tuple(name for name in table.column_names if name not in {*table.key, *but})


RECORDS: Final = Identity(
    "raw.offset_records",
    "raw.diverged_records",
    "log_partition",
    "log_offset",
    "batch_base_offset",
    {},
    # The cleaner gives a batch its delete horizon; older formats' batches get another first offset.
    _columns(TABLES["raw.offset_records"], but={"batch_base_offset", "base_sequence", "delete_horizon_ms", SOURCE}),
)
BATCHES: Final = Identity(
    "raw.batches",
    "raw.diverged_batches",
    "partition",
    "base_offset",
    "base_offset",
    {"topic": "topic", "segment_base_offset": "base_offset"},
    # The fields that the log cleaner leaves as they are when it rewrites a batch of a compacted topic.
    ("last_offset", "leader_epoch", "producer_id", "producer_epoch", "is_transactional", "is_control", "base_sequence"),
)


INTERNAL_RECORDS: Final = Identity(
    "raw.internal_records",
    "raw.diverged_internal_records",
    "partition",
    "record_offset",
    "batch_base_offset",
    {"topic": "topic"},
    _columns(TABLES["raw.internal_records"], but={"batch_base_offset", "headers"}),
)


def identity_of(segment: SegmentFile) -> Identity:
    """The identity of a segment's rows."""
    return RECORDS if segment.is_offsets_topic else BATCHES
