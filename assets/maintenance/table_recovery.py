"""Recovery of a table whose log can't be read: back to its last readable commit, or to an empty table.

Put here what is done to the files of a log. They are moved aside and not deleted, into a folder of the table's own.
"""

from __future__ import annotations

import posixpath
import re
import time
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Final

from pyarrow import fs

from assets.storage.data_files import locate
from assets.storage.delta.commit_files import read_actions
from assets.storage.digests import digests_in
from parsers.errors import WarehouseError

if TYPE_CHECKING:
    from assets.storage.warehouse import Warehouse

_VERSION: Final = re.compile(r"(\d{20})\.")
ASIDE: Final = "_damaged"
NEVER: Final = datetime.fromtimestamp(0, timezone.utc)


def last_sound(warehouse: Warehouse, name: str) -> tuple[int | None, datetime]:
    """The last commit of a table that can be read, and its time; none, and the beginning of time, where none can."""
    versions = sorted({int(match[1]) for path in _log_files(warehouse, name) if (match := _VERSION.match(_base(path)))})
    for version in reversed(versions):
        committed_at = _committed_at(warehouse, name, version)
        if committed_at is not None and _is_sound_at(warehouse, name, version):
            return version, committed_at
    return None, NEVER


def restore_last_commit(warehouse: Warehouse, name: str) -> None:
    """Restore the table's last readable commit; without one, drop its log."""
    version, _committed_at = last_sound(warehouse, name)
    files = _log_files(warehouse, name)
    remaining = [path for path in files if version is not None and _is_up_to(_base(path), version)]
    _move_aside(warehouse, name, [path for path in files if path not in remaining])


def drop_log(warehouse: Warehouse, name: str) -> None:
    """Drop the table's log, so that the table begins anew."""
    _move_aside(warehouse, name, _log_files(warehouse, name))


def _is_sound_at(warehouse: Warehouse, name: str, version: int) -> bool:
    """Whether a table's log can be read up to a commit, with its digests of files."""
    try:
        digests_in(*locate(f"{warehouse.table_url(name)}/_delta_log"), version)
    except WarehouseError:
        return False
    return warehouse.is_readable_at(name, version)


def _committed_at(warehouse: Warehouse, name: str, version: int) -> datetime | None:
    """The time of a commit from its own file: deltalake gives the time of the latest commit for earlier ones."""
    system, path = locate(f"{warehouse.table_url(name)}/_delta_log/{version:020d}.json")
    try:
        (commit,) = (action["commitInfo"] for action in read_actions(system, path) if "commitInfo" in action)
        return datetime.fromtimestamp(commit["timestamp"] / 1000, timezone.utc)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _is_up_to(base: str, version: int) -> bool:
    """Whether a file of a log is of this commit or an earlier one; a pointer to a checkpoint is of none."""
    match = _VERSION.match(base)
    return match is not None and int(match[1]) <= version


def _log_files(warehouse: Warehouse, name: str) -> list[str]:
    system, folder = locate(f"{warehouse.table_url(name)}/_delta_log")
    return [
        info.path
        for info in system.get_file_info(fs.FileSelector(folder, allow_not_found=True))
        if info.type == fs.FileType.File
    ]


def _move_aside(warehouse: Warehouse, name: str, paths: list[str]) -> None:
    system, folder = locate(f"{warehouse.table_url(name)}/{ASIDE}/{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}")
    try:
        if paths:
            system.create_dir(folder, recursive=True)
        for path in paths:
            system.move(path, f"{folder}/{_base(path)}")
    except OSError as error:
        raise WarehouseError(f"{warehouse.table_url(name)} can't be written: {error.strerror or error}") from error
    warehouse.forget(name)


def _base(path: str) -> str:
    return posixpath.basename(path)
