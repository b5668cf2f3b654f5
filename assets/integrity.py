"""What is damaged in the warehouse: tables whose log can't be read, and files that are gone, cut or no Parquet.

Put here how damage is found. What is done about it belongs in `assets.repairing`.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs

from assets import lease
from assets.data_files import locate
from assets.ingesting.ingest import RAW, SEGMENTS
from assets.replaying.memory import MEMORY
from assets.replaying.subjects import REPLAYED
from assets.tables import TABLES
from parsers.errors import WarehouseError, sentence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assets.archive import Warehouse
    from assets.turns import ArchivedFile

LOOKED_AT_ONCE: Final = 16


@dataclass(frozen=True, slots=True)
class Damage:
    """A file of a table that is not as its log says; or, without a file, a log that can't be read."""

    table: str
    reason: str
    file: ArchivedFile | None = None


def examine(warehouse: Warehouse, *, with_footers: bool) -> list[Damage]:
    """All damage to tables: by names and sizes of files, and by what stands at the end of each, if that is asked."""
    return [damage for name in _names() for damage in _examine(warehouse, name, with_footers=with_footers)]


def has_any_table(warehouse: Warehouse) -> bool:
    """Whether something was read into this warehouse, even if the log of the very table that tells of it is gone."""
    system, root = locate(warehouse.url)
    for name in _names():
        folder = fs.FileSelector(f"{root}/{name.replace('.', '/')}", allow_not_found=True)
        if system.get_file_info(folder):
            return True
    return False


def _names() -> tuple[str, ...]:
    return (*TABLES, MEMORY.full_name, lease.FULL_NAME)


def _examine(warehouse: Warehouse, name: str, *, with_footers: bool) -> Iterator[Damage]:
    try:
        files = warehouse.archived(name)
    except WarehouseError as error:
        yield Damage(name, str(error))
        return
    if warehouse.version(name) is None and (reason := _why_missing(warehouse, name)):
        yield Damage(name, reason)
    sizes = _sizes(warehouse, name) if files else {}
    with ThreadPoolExecutor(LOOKED_AT_ONCE) as threads:
        reasons = threads.map(lambda file: _reason(file, sizes, with_footer=with_footers), files)
        yield from (Damage(name, reason, file) for file, reason in zip(files, reasons, strict=True) if reason)


def _why_missing(warehouse: Warehouse, name: str) -> str | None:
    """Why a table without a log should have one. Of what is made from others a run may have begun with the files."""
    if name in RAW and _sizes(warehouse, name):
        return f"{warehouse.table_url(name)} has files and no log that says which of them count"
    made_with = SEGMENTS if name in RAW else MEMORY.full_name if name in REPLAYED else None
    if made_with not in {None, name} and warehouse.version(made_with) is not None:
        return f"{warehouse.table_url(name)} is gone"
    return None


def _sizes(warehouse: Warehouse, name: str) -> dict[str, int]:
    """The Parquet files below a table's folder, by name in their file system, with their sizes in bytes."""
    system, folder = locate(warehouse.table_url(name))
    entries = system.get_file_info(fs.FileSelector(folder, recursive=True, allow_not_found=True))
    return {info.path: info.size for info in entries if info.path.endswith(".parquet") and "/_" not in info.path}


def _reason(file: ArchivedFile, sizes: dict[str, int], *, with_footer: bool) -> str | None:
    """What is wrong with a file; None when nothing is."""
    system, path = locate(file.uri)
    size_bytes = sizes.get(path)
    if size_bytes is None:
        return "the file is gone"
    if size_bytes != file.size_bytes:
        return f"the file has {size_bytes} bytes instead of {file.size_bytes}"
    if not with_footer:
        return None
    try:
        rows = pq.read_metadata(path, filesystem=system).num_rows
    except (OSError, pa.ArrowInvalid) as error:
        return f"the file is no Parquet any more ({sentence(error)})"
    return None if rows == file.rows else f"the file has {rows} rows instead of {file.rows}"
