"""The erasure of a group: every row and record about it leaves the warehouse, with all files that had one.

Put here what is erased, and in which order. The order is such that a process that dies in between leaves a mark, and
the next run, or the same command, goes on. What keeps the group away is in `assets.ingest.erased_groups`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import fs

from assets.catalog import TABLES
from assets.duckdb import last_run, mirror
from assets.duckdb.audit_marks import forget_incidents
from assets.duckdb.database import in_memory
from assets.ingest.erased_groups import OF_INTERNAL_RECORDS, OF_OFFSET_RECORDS, read_erased, without_bytes, write_erased
from assets.storage.data_files import as_one, locate
from assets.storage.parquet_files import TableFiles
from parsers.errors import WarehouseError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assets.ingest.erased_groups import ErasedGroups
    from assets.storage.data_files import DataFile
    from assets.storage.transaction import ArchivedFile
    from assets.storage.warehouse import Warehouse

RECORDS: Final = "raw.offset_records"
QUARANTINE: Final = "raw.quarantine"
INTERNAL: Final = "raw.internal_records"
CLEANED: Final = (
    RECORDS,
    "raw.diverged_records",
    INTERNAL,
    "raw.diverged_internal_records",
    QUARANTINE,
    "raw.coordinator_events",
    "raw.external_commits",
    "raw.zookeeper_events",
)
"""The raw tables that may name a group."""
DERIVED: Final = ("core", "internal", "mart", "replay/memory")
"""What a run makes again from the raw tables; these folders go as a whole."""
RUN_LOG: Final = "lagbook-run.log"
"""The log of runs, beside the DuckDB file."""
_INCIDENTS: Final = "SELECT incident_id FROM mart.incidents WHERE group_id = $grp"


@dataclass(frozen=True, slots=True)
class Erasure:
    """What an erasure of a group takes: rows by raw table, and the folders and files that go as a whole."""

    rows: tuple[tuple[str, int], ...]
    places: tuple[str, ...]

    @property
    def is_empty(self) -> bool:
        """Whether no raw table has a row about the group."""
        return not any(count for _name, count in self.rows)


def look(warehouse: Warehouse, group_id: str) -> Erasure:
    """What an erasure of a group would take. Nothing is changed."""
    erased = read_erased(warehouse).with_group(group_id)
    rows = tuple((name, sum(count for _file, count in _files_with(warehouse, name, erased))) for name in CLEANED)
    return Erasure(rows, tuple(_places(warehouse)))


def erase(warehouse: Warehouse, group_id: str) -> None:
    """Erase a group; the next run makes everything else again, and keeps the group out."""
    incidents = _incidents(warehouse, group_id)
    write_erased(warehouse, read_erased(warehouse).with_group(group_id))
    forget_incidents(warehouse, incidents)
    finish(warehouse)


def finish(warehouse: Warehouse) -> bool:
    """Carry an erasure that began to its end; False when there is none."""
    erased = read_erased(warehouse)
    if not erased.is_pending:
        return False
    for place in _places(warehouse):
        _delete(place)
    warehouse.forget_all()
    for name in CLEANED:
        _clean(warehouse, name, erased)
        _delete_former_files(warehouse, name)
    write_erased(warehouse, replace(erased, is_pending=False))
    return True


def readmit(warehouse: Warehouse, group_id: str) -> bool:
    """Let a group back in that was erased: what later runs read of it stays. False when it was not erased."""
    erased = read_erased(warehouse)
    if erased.digest(group_id) not in erased.digests:
        return False
    write_erased(warehouse, erased.without_group(group_id))
    return True


def _incidents(warehouse: Warehouse, group_id: str) -> list[str]:
    """The ids of the group's incidents, as far as a run has told of them."""
    if warehouse.open_table("mart.incidents") is None:
        return []
    with in_memory(warehouse, ["mart.incidents"]) as connection:
        return [str(one) for (one,) in connection.execute(_INCIDENTS, {"grp": group_id}).fetchall()]


def _places(warehouse: Warehouse) -> Iterator[str]:
    """Folders of derived tables and of dead runs, and the files beside the tables that may name a group."""
    system, root = locate(warehouse.url)
    infos = system.get_file_info(fs.FileSelector(root, allow_not_found=True))
    spools = [info.base_name for info in infos if info.base_name.startswith("spool-")]
    for name in (*DERIVED, last_run.FILE, *spools):
        if system.get_file_info(f"{root.rstrip('/')}/{name}").type != fs.FileType.NotFound:
            yield f"{warehouse.url.rstrip('/')}/{name}"
    beside = warehouse.duckdb_path
    local = [beside, *(beside.with_name(name) for name in (f"{beside.name}.blake3", RUN_LOG))]
    mirrored = [beside.with_name(mirror.FOLDER)] if warehouse.is_remote else []
    yield from (str(place) for place in (*local, *mirrored) if place.exists())


def _delete(place: str) -> None:
    system, path = locate(place) if "://" in place else (fs.LocalFileSystem(), str(Path(place)))
    try:
        if system.get_file_info(path).type == fs.FileType.Directory:
            system.delete_dir(path)
        else:
            system.delete_file(path)
    except FileNotFoundError:
        return
    except OSError as error:
        raise WarehouseError(f"{place} can't be deleted: {error.strerror or error}") from error


def _files_with(warehouse: Warehouse, name: str, erased: ErasedGroups) -> list[tuple[ArchivedFile, int]]:
    """The files of a raw table with rows about erased groups, and how many."""
    counted = ((file, _count(name, file, erased)) for file in warehouse.file_list(name) if file.rows)
    return [(file, count) for file, count in counted if count]


def _count(name: str, file: ArchivedFile, erased: ErasedGroups) -> int:
    """The number of a file's rows that are about erased groups, by the one column that says so."""
    columns = ["bytes" if name == QUARANTINE else "group_id"]
    return sum(int(is_about(name, batch, erased).sum()) for batch in _batches(name, file, columns))


def _batches(name: str, file: ArchivedFile, columns: list[str] | None = None) -> Iterator[pa.RecordBatch]:
    yield from as_one([file.uri], TABLES[name].file_schema).to_batches(columns=columns)


def is_about(name: str, rows: pa.RecordBatch, erased: ErasedGroups) -> np.ndarray:
    """A mask of the rows of a raw table that are about erased groups.

    Of a batch that could not be read nobody knows whose records it had, so the bytes of all of them go.
    """
    if name == QUARANTINE:
        return np.asarray(pc.greater(pc.binary_length(rows.column("bytes")), 0).to_numpy(zero_copy_only=False))
    return erased.mask(rows.column("group_id"))


def without(name: str, rows: pa.RecordBatch, erased: ErasedGroups) -> pa.RecordBatch:
    """The rows of a raw table without what they say of erased groups: blank, without bytes, or without the row."""
    if name in (RECORDS, INTERNAL):
        return erased.blank(rows, OF_OFFSET_RECORDS if name == RECORDS else OF_INTERNAL_RECORDS)
    if name == QUARANTINE:
        return without_bytes(rows)
    return rows.filter(pa.array(~is_about(name, rows, erased)))


def _clean(warehouse: Warehouse, name: str, erased: ErasedGroups) -> None:
    """Write the files of a raw table anew that have rows about erased groups, in one commit."""
    if warehouse.open_table(name) is None:
        return
    gone = [file for file, _count in _files_with(warehouse, name, erased)]
    if not gone:
        return
    transaction, folder = warehouse.begin(TABLES[name]), warehouse.new_folder(TABLES[name])
    warehouse.make_folder(folder)
    new = [one for number, file in enumerate(gone) for one in _written(name, file, folder, number, erased)]
    transaction.revise(gone, new, transaction.note)


def _written(name: str, file: ArchivedFile, folder: str, number: int, erased: ErasedGroups) -> list[DataFile]:
    with TableFiles({name: folder}, f"erased-{number:05d}") as files:
        for batch in _batches(name, file):
            files.write(name, without(name, batch, erased))
    return [written for _table, written in files.written()]


def _delete_former_files(warehouse: Warehouse, name: str) -> None:
    """Delete every file below a table's folder that is not of the table now: earlier versions had the group."""
    system, folder = locate(warehouse.table_url(name))
    here = {locate(uri)[1] for uri in warehouse.files(name)}
    for info in system.get_file_info(fs.FileSelector(folder, recursive=True, allow_not_found=True)):
        inner = info.path.removeprefix(folder)
        is_data = info.type == fs.FileType.File and not any(part.startswith("_") for part in inner.split("/"))
        if is_data and info.path not in here:
            _delete(info.path if not warehouse.is_remote else f"{warehouse.table_url(name)}{inner}")
