"""Reads whose rows are gone: their ranges of logs, and the removal of their rows of raw.segments.

Put here what is found in and taken from `raw.segments`. A stretch that is forgotten is read again by the next run, if a
file still has it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from assets.catalog import TABLES
from assets.ingest.ingest import QUARANTINE, SEGMENTS
from assets.ingest.read_history import INSIDE
from assets.maintenance.table_recovery import last_sound
from assets.storage.data_files import as_one, locate
from assets.storage.parquet_files import TableFiles
from parsers.errors import WarehouseError
from parsers.files.discovery import OFFSETS_TOPIC

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from assets.maintenance.integrity import Damage
    from assets.storage.transaction import ArchivedFile
    from assets.storage.warehouse import Warehouse

    Read = Mapping[str, Any]

_COLUMNS: Final = {
    "raw.offset_records": ("log_partition", "log_offset"),
    "raw.diverged_records": ("log_partition", "log_offset"),
    "raw.batches": ("partition", "base_offset"),
    "raw.diverged_batches": ("partition", "base_offset"),
    "raw.internal_records": ("partition", "record_offset"),
    "raw.diverged_internal_records": ("partition", "record_offset"),
}
"""By raw table, the columns whose bounds give a file's partitions and offsets."""


@dataclass(frozen=True, slots=True)
class LostRead:
    """A stretch of a log that was read, and of which rows are gone."""

    read: Read
    is_there: bool
    """Whether the file that it was read from is still there."""

    @property
    def from_offset(self) -> int:
        """The first offset of the range."""
        return int(self.read["from_offset"])

    @property
    def to_offset(self) -> int | None:
        """The end offset of the range; None if unknown."""
        end: int | None = self.read["end_offset"]
        return end


def look(warehouse: Warehouse, damages: Sequence[Damage]) -> list[LostRead]:
    """The reads that rows of damaged raw tables came from, in the order of the logs."""
    damages = [damage for damage in damages if damage.table != SEGMENTS]
    if not damages:
        return []
    since = [last_sound(warehouse, damage.table)[1] for damage in damages if damage.file is None]
    files = [(damage.table, damage.file) for damage in damages if damage.file is not None and damage.file.rows]
    reads = [read for read in _reads(warehouse) if _is_lost(read, files, min(since, default=None))]
    return [LostRead(read, _is_there(read)) for read in sorted(reads, key=_place)]


def forget(warehouse: Warehouse, lost: Sequence[LostRead]) -> None:
    """Remove the reads from `raw.segments`, in one commit."""
    if not lost:
        return
    table, forgotten = TABLES[SEGMENTS], [dict(one.read) for one in lost]
    transaction, folder = warehouse.begin(table), warehouse.new_folder(table)
    rows = [read for read in _reads(warehouse) if dict(read) not in forgotten]
    warehouse.make_folder(folder)
    with TableFiles({SEGMENTS: folder}, "kept") as files:
        files.write(SEGMENTS, pa.RecordBatch.from_pylist(rows, schema=table.schema))
    transaction.revise(
        transaction.file_list(), [file for _name, file in files.written()], {"reads_forgotten": len(lost)}
    )


def _reads(warehouse: Warehouse) -> list[dict[str, Any]]:
    """All rows of `raw.segments` that can be read."""
    try:
        files = warehouse.file_list(SEGMENTS)
    except WarehouseError:
        return []
    return [row for file in files if file.rows for row in _rows(file)]


def _rows(file: ArchivedFile) -> Iterator[dict[str, Any]]:
    """The rows of a file; none of one that is damaged, and taken out as such."""
    try:
        rows: list[dict[str, Any]] = as_one([file.uri], TABLES[SEGMENTS].schema).to_table().to_pylist()
    except (OSError, pa.ArrowInvalid):
        return
    yield from rows


def _is_lost(read: Read, files: Sequence[tuple[str, ArchivedFile]], since: datetime | None) -> bool:
    """Whether rows of a read are gone: it came after a table's last sound commit, or overlaps with a damaged file."""
    if since is not None and read["read_at"] > since:
        return True
    return any(_overlaps(read, name, file) for name, file in files)


def _overlaps(read: Read, name: str, file: ArchivedFile) -> bool:
    if name == QUARANTINE:
        return bool(read["quarantined_count"])
    partition, offset = _COLUMNS[name]
    if partition == "log_partition" and read["topic"] != OFFSETS_TOPIC:
        return False
    end = read["end_offset"]
    lowest, highest = file.minimum.get(offset, 0), file.maximum.get(offset, read["from_offset"])
    is_of_partitions = file.may_hold({partition: (read["partition"], read["partition"])})
    return is_of_partitions and read["from_offset"] <= highest and (end is None or end > lowest)


def _is_there(read: Read) -> bool:
    """Whether the file of a read is still there, by its name; unknown for a running cluster."""
    if read["source"] == "live":
        return False
    try:
        system, path = locate(read["path"].partition(INSIDE)[0])
        return bool(system.get_file_info(path).is_file)
    except (OSError, WarehouseError):
        return False


def _place(read: Read) -> tuple[str, str, int, int]:
    return read["cluster"], read["topic"], read["partition"], read["from_offset"]
