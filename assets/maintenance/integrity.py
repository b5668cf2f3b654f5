"""Damage in the warehouse: unreadable table logs, and files that are gone, cut, changed or no Parquet.

Put here how damage is found. What is done about it belongs in `assets.maintenance.mending`.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs

from assets.catalog import TABLES
from assets.catalog.memory import MEMORY_BY_NAME
from assets.ingest.ingest import RAW, SEGMENTS
from assets.reconstruct.checkpoint import CHECKPOINTS
from assets.reconstruct.projections import OUTPUTS
from assets.storage import lease
from assets.storage.data_files import bounds_of, describe_file, locate
from parsers.errors import WarehouseError, sentence

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from assets.maintenance.verification import Verification
    from assets.storage.transaction import ArchivedFile
    from assets.storage.warehouse import Warehouse

LOOKED_AT_ONCE: Final = 16
OTHER_BOUNDS: Final = "the log of its table has other bounds of its columns than the file"


@dataclass(frozen=True, slots=True)
class Damage:
    """A file that differs from its table's log; or, without a file, a log that can't be read."""

    table: str
    reason: str
    file: ArchivedFile | None = None


@dataclass(frozen=True, slots=True)
class Look:
    """How thoroughly files are examined."""

    with_footers: bool
    verification: Verification | None


def examine(warehouse: Warehouse, *, with_footers: bool, verification: Verification | None = None) -> list[Damage]:
    """All damage to tables: by names and sizes of files, optionally by footers, and by the digests of some."""
    look = Look(with_footers, verification)
    return [damage for name in _names() for damage in _examine(warehouse, name, look)]


def has_any_table(warehouse: Warehouse) -> bool:
    """Whether any table has a folder, even if the log of raw.segments is gone."""
    system, root = locate(warehouse.url)
    for name in _names():
        folder = fs.FileSelector(f"{root}/{name.replace('.', '/')}", allow_not_found=True)
        if system.get_file_info(folder):
            return True
    return False


def _names() -> tuple[str, ...]:
    return (*TABLES, CHECKPOINTS.full_name, *MEMORY_BY_NAME, *lease.NAMES)


def _examine(warehouse: Warehouse, name: str, look: Look) -> Iterator[Damage]:
    try:
        files = warehouse.file_list(name)
        warehouse.note(name)
    except WarehouseError as error:
        yield Damage(name, str(error))
        return
    if warehouse.version(name) is None and (reason := _why_missing(warehouse, name)):
        yield Damage(name, reason)
    infos = _infos(warehouse, name) if files else {}
    try:
        digests = look.verification.due(name, files, infos) if look.verification else {}
    except WarehouseError as error:
        yield Damage(name, str(error))
        return
    with ThreadPoolExecutor(LOOKED_AT_ONCE) as threads:
        reasons = threads.map(lambda file: _reason(file, infos, digests, look), files)
        damaged = [(file, reason) for file, reason in zip(files, reasons, strict=True) if reason]
    yield from (Damage(name, reason, _with_true_bounds(file, reason)) for file, reason in damaged)


def _why_missing(warehouse: Warehouse, name: str) -> str | None:
    """The damage of a table without a log; None if it may not exist yet, as a derived table whose first run died."""
    if name in RAW and _infos(warehouse, name):
        return f"{warehouse.table_url(name)} has files and no log that says which of them count"
    source_table = SEGMENTS if name in RAW else CHECKPOINTS.full_name if name in OUTPUTS else None
    if source_table not in {None, name} and warehouse.version(source_table) is not None:
        return f"{warehouse.table_url(name)} is gone"
    return None


def _infos(warehouse: Warehouse, name: str) -> dict[str, fs.FileInfo]:
    """The Parquet files below a table's folder, by name in their file system."""
    system, folder = locate(warehouse.table_url(name))
    entries = system.get_file_info(fs.FileSelector(folder, recursive=True, allow_not_found=True))
    return {info.path: info for info in entries if info.path.endswith(".parquet") and "/_" not in info.path}


def _reason(file: ArchivedFile, infos: Mapping[str, fs.FileInfo], digests: Mapping[str, str], look: Look) -> str | None:
    """The damage of a file; None for a sound one."""
    system, path = locate(file.uri)
    info = infos.get(path)
    if info is None:
        return "the file is gone"
    if info.size != file.size_bytes:
        return f"the file has {info.size} bytes instead of {file.size_bytes}"
    verification = look.verification if file.uri in digests else None
    try:
        if verification and (damage := verification.reason(file, info, digests[file.uri])):
            return damage
        # Over the bounds in some damaged footers pyarrow ends the process: they are read of bytes that were compared.
        with_bounds = verification is not None
        damage = (
            _footer_damage(system, path, file, with_bounds=with_bounds) if look.with_footers or with_bounds else None
        )
    except OSError as error:
        return f"the file can't be read ({sentence(error)})"
    if damage and verification:
        verification.forget(file)
    return damage


def _footer_damage(system: fs.FileSystem, path: str, file: ArchivedFile, *, with_bounds: bool) -> str | None:
    """The damage of a file by its footer; None for a sound one."""
    try:
        metadata = pq.read_metadata(path, filesystem=system)
        bounds = bounds_of(metadata) if with_bounds else ({}, {})
    except (OSError, pa.ArrowInvalid, UnicodeDecodeError) as error:
        return f"the file is no Parquet any more ({sentence(error)})"
    if metadata.num_rows != file.rows:
        return f"the file has {metadata.num_rows} rows instead of {file.rows}"
    for by_footer, by_log in zip(bounds, (file.minimum, file.maximum), strict=True):
        if any(by_log.get(column, value) != value for column, value in by_footer.items()):
            return OTHER_BOUNDS
    return None


def _with_true_bounds(file: ArchivedFile, reason: str) -> ArchivedFile:
    """The file with the bounds of its footer, if those in its table's log are wrong."""
    if reason != OTHER_BOUNDS:
        return file
    by_footer = describe_file(file.uri)
    return replace(file, minimum=by_footer.minimum, maximum=by_footer.maximum)
