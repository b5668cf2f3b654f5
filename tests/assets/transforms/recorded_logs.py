"""Logs that real brokers wrote, as raw records of one partition, for the tests of what a replay makes of them.

Put here how they are read. What is expected of them belongs in the tests.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from assets.catalog.core.record_compaction import RETAINED
from assets.transforms.compaction.record_compaction import RecordCompaction
from assets.transforms.log_chunks import Reader, replay_chunks
from assets.transforms.projection import LAST_COMMIT_TYPE
from parsers.log.segments import walk
from parsers.offset_records import offset_record_columns
from parsers.sources import open_file
from tests.assets.transforms.offsets_log import SCHEMA

if TYPE_CHECKING:
    from pathlib import Path

    from assets.transforms.projection import LogChunk


def log_in(folder: Path) -> tuple[pa.Table, list[tuple[int, int]]]:
    """The records of a partition's segments, and the first and last offsets of batches without any."""
    records: list[pa.Table] = []
    empties: list[tuple[int, int]] = []
    for path in sorted(folder.glob("*.log")):
        with open_file(str(path)) as source:
            for piece in walk(source, bodies=True):
                rows, _ = offset_record_columns(piece)
                given = {name: rows.column(name) for name in rows.schema.names}
                blank = {field.name: pa.nulls(rows.num_rows, field.type) for field in SCHEMA}
                records.append(pa.table({**blank, **given}).select(SCHEMA.names).cast(SCHEMA))
                batches = piece.batches.filter(pc.equal(piece.batches["record_count"], 0))
                empties += zip(batches["base_offset"].to_pylist(), batches["last_offset"].to_pylist(), strict=True)
    return pa.concat_tables(records), empties


def cleaned_up_to(logs: Path) -> dict[str, int]:
    """How far the cleaner came in each partition of a log directory, as it wrote down."""
    lines = [line.split() for line in (logs / "cleaner-offset-checkpoint").read_text().splitlines()[2:]]
    return {f"{topic}-{partition}": int(offset) for topic, partition, offset in lines}


def chunk_of(records: pa.Table) -> LogChunk:
    """All records of a partition as one chunk."""
    is_usual = pc.or_kleene(records["is_control"], pc.less_equal(records["record_type"], LAST_COMMIT_TYPE))
    is_read = pc.and_(records["undecoded_key"].is_null(), records["undecoded_value"].is_null())
    usual = pc.fill_null(pc.and_kleene(is_usual, is_read), fill_value=False)
    ordered = records.sort_by("log_offset")
    return Reader().chunk(ordered.filter(usual), ordered.filter(pc.invert(usual)))


def compaction_of(records: pa.Table) -> pa.Table:
    """The rows of core.record_compaction of a partition's records, in the order of the log."""
    name = "core.record_compaction"
    return replay_chunks(RecordCompaction.resume({}), [chunk_of(records)])[name].sort_by("log_offset")


def retained_in(rows: pa.Table) -> list[int]:
    """The log offsets of the records that the cleaner keeps."""
    is_retained = pc.is_in(rows["status"].cast(pa.string()), pa.array(RETAINED))
    offsets: list[int] = rows.filter(is_retained)["log_offset"].to_pylist()
    return offsets
