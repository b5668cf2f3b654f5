"""Compaction of the warehouse: small files are merged, files that belong to no table any more are deleted.

Put here what may be merged or deleted, and how. Nothing here changes a table's rows.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pyarrow import fs

from assets.catalog import TABLES
from assets.catalog.memory import MEMORY_BY_NAME
from assets.duckdb import database
from assets.ingest.ingest import RAW
from assets.reconstruct.checkpoint import CHECKPOINTS, checkpoint_offsets
from assets.reconstruct.file_names import join_rows, rows_in
from assets.reconstruct.projections import OUTPUTS
from assets.storage.data_files import locate, named_like
from assets.storage.small_files import Merged, place_of, rows_of, write_merged
from parsers.errors import WarehouseError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from assets.storage.transaction import ArchivedFile
    from assets.storage.warehouse import Warehouse

SMALL_BYTES: Final = 32 << 20
"""Files below this size are merged."""
MERGED_BYTES: Final = 256 << 20
"""The largest total size of the files that are merged into one."""
FEWEST_FILES: Final = 8
"""Fewer small files than this are no burden."""


@dataclass(frozen=True, slots=True)
class Leftover:
    """A file in the warehouse that belongs to nothing: of a run that died, or of a table as it was before."""

    path: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Merge:
    """Small files of one table that become one."""

    table: str
    files: tuple[ArchivedFile, ...]

    @property
    def size_bytes(self) -> int:
        """Bytes of the files."""
        return sum(file.size_bytes for file in self.files)


@dataclass(frozen=True, slots=True)
class Tidying:
    """The merges and deletions to do."""

    merges: tuple[Merge, ...]
    leftovers: tuple[Leftover, ...]

    @property
    def is_empty(self) -> bool:
        """Whether everything is in order."""
        return not self.merges and not self.leftovers


def look(warehouse: Warehouse, before: datetime) -> Tidying:
    """The merges to do, and the leftovers that nothing wrote to or referenced since an instant.

    Nothing is touched.
    """
    raw = (merge for name in RAW for merge in _merges(name, warehouse.file_list(name)))
    return Tidying((*raw, *_merges_of_replayed(warehouse)), tuple(_leftovers(warehouse, before)))


def tidy(warehouse: Warehouse, work: Tidying) -> None:
    """Do the work. Each table changes in one commit, which is refused if another writer was there first."""
    if work.leftovers and warehouse.duckdb_path.exists() and not database.is_current(warehouse):
        message = f"{warehouse.duckdb_path} shows older tables, whose files would go: run `lagbook run` first"
        raise WarehouseError(message)
    for leftover in work.leftovers:
        _delete(leftover)
    for name in dict.fromkeys(merge.table for merge in work.merges):
        _merge(warehouse, name, [merge for merge in work.merges if merge.table == name])


def _delete(leftover: Leftover) -> None:
    """Delete a file, unless somebody else was faster."""
    system, path = locate(leftover.path)
    try:
        system.delete_file(path)
    except FileNotFoundError:
        return
    except OSError as error:
        raise WarehouseError(f"{leftover.path} can't be deleted: {error.strerror or error}") from error


def _merges(name: str, files: Sequence[ArchivedFile]) -> Iterator[Merge]:
    small = sorted((file for file in files if file.rows and file.size_bytes < SMALL_BYTES), key=place_of)
    if len(small) < FEWEST_FILES:
        return
    group: list[ArchivedFile] = []
    size_bytes = 0
    for file in small:
        if group and size_bytes + file.size_bytes > MERGED_BYTES:
            yield Merge(name, tuple(group))
            group, size_bytes = [], 0
        group.append(file)
        size_bytes += file.size_bytes
    if len(group) > 1:
        yield Merge(name, tuple(group))


def _merges_of_replayed(warehouse: Warehouse) -> Iterator[Merge]:
    """Merges of one partition's final rows, which keep their name; without rows beyond the checkpoint."""
    next_offsets = checkpoint_offsets(warehouse)
    for name in OUTPUTS:
        lots: dict[str, list[ArchivedFile]] = defaultdict(list)
        named = ((file, rows_in(file.uri)) for file in warehouse.file_list(name))
        for file, rows in ((file, rows) for file, rows in named if rows and rows.stay(next_offsets.get(rows.tag, 0))):
            lots[rows.tag].append(file)
        yield from (merge for files in lots.values() for merge in _merges(name, files))


def _merge(warehouse: Warehouse, name: str, merges: Sequence[Merge]) -> None:
    transaction, folder = warehouse.begin(TABLES[name]), warehouse.new_folder(TABLES[name])
    warehouse.make_folder(folder)
    written = [
        file
        for number, merge in enumerate(merges)
        for file in write_merged(TABLES[name], folder, _name(merge, number), rows_of(TABLES[name], merge.files))
    ]
    transaction.merge(Merged(tuple(file for merge in merges for file in merge.files), tuple(written)))


def _name(merge: Merge, number: int) -> str:
    """The name of a merged file: the replay finds rows by file names; others need only differ."""
    parts = [rows for file in merge.files if (rows := rows_in(file.uri)) is not None]
    return join_rows(parts[0], parts[1:]).file_name(number) if parts else f"merged-{number:05d}"


def _leftovers(warehouse: Warehouse, before: datetime) -> Iterator[Leftover]:
    system, root = locate(warehouse.url)
    for info in system.get_file_info(fs.FileSelector(root, allow_not_found=True)):
        if info.type == fs.FileType.Directory and info.base_name.startswith("spool-"):
            yield from (_leftover(warehouse, file) for file in _old_files(warehouse, info.path, before))
    for name in (*TABLES, CHECKPOINTS.full_name, *MEMORY_BY_NAME):
        yield from _leftovers_of(warehouse, name, before)


def _leftovers_of(warehouse: Warehouse, name: str, before: datetime) -> Iterator[Leftover]:
    folder = locate(warehouse.table_url(name))[1]
    referenced = frozenset(locate(uri)[1] for uri in _shown_since(warehouse, name, before))
    for file in _old_files(warehouse, folder, before):
        if file.path not in referenced and not _is_no_data(file.path.removeprefix(folder)):
            yield _leftover(warehouse, file)


def _shown_since(warehouse: Warehouse, name: str, before: datetime) -> Iterator[str]:
    """The files of a table as it is now, and as it was at any time since: a reader may have that open still."""
    yield from warehouse.files(name)
    yield from warehouse.removed_since(name, before)


def _old_files(warehouse: Warehouse, folder: str, before: datetime) -> Iterator[fs.FileInfo]:
    """Files below a folder that nothing has written to since."""
    system = locate(warehouse.url)[0]
    for info in system.get_file_info(fs.FileSelector(folder, recursive=True, allow_not_found=True)):
        if info.type == fs.FileType.File and info.mtime is not None and info.mtime < before:
            yield info


def _leftover(warehouse: Warehouse, info: fs.FileInfo) -> Leftover:
    return Leftover(named_like(warehouse.url, info.path), info.size)


def _is_no_data(inner: str) -> bool:
    """Whether a path in a table's folder is of its log or a note beside it: of a name with `_`."""
    return any(part.startswith("_") for part in inner.split("/"))
