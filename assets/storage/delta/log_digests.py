"""Digests of the files of a Delta log, in a note beside the log: of checkpoints and changes of columns, too.

A commit of ours has a digest of what it says; `deltalake` writes checkpoints and changes of columns, in which none can
stand. Put here how the note is written and read. What is compared with it is in `assets.storage.digests`.
"""

from __future__ import annotations

from typing import Final

from blake3 import blake3
from pyarrow import fs

from assets.storage.delta.log_files import LAST, files_read, log_file
from assets.storage.json_records import read_record, replace_record
from parsers.errors import WarehouseError

NAME: Final = "_log_digests.json"
"""In the table's folder: readers of Delta and of Parquet pass over names that begin like this."""


def write_log_digests(system: fs.FileSystem, log: str, since: int) -> None:
    """Note the digests of what the log is read from now; those of a commit and later ones are made anew.

    None are noted in a store, which has checksums of its own, and where each digest would be a download.
    """
    if not isinstance(system, fs.LocalFileSystem):
        return
    known = read_log_digests(system, log)
    digests = {
        name: known[name] if name in known and version < since else _digest(system, f"{log}/{name}")
        for version, name in files_read(system, log)
    }
    replace_record(system, note_path(log), {"files": digests})


def read_log_digests(system: fs.FileSystem, log: str) -> dict[str, str]:
    """The digests by the names of a log's files; none if the note is gone or damaged itself."""
    path = note_path(log)
    if not isinstance(system, fs.LocalFileSystem) or not system.get_file_info(path).is_file:
        return {}
    try:
        return {str(name): str(digest) for name, digest in read_record(system, path)["files"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def refuse_damaged_checkpoint(system: fs.FileSystem, log: str, up_to: int = LAST) -> None:
    """Refuse a log whose checkpoint, up to a commit, has other bytes than were noted.

    Over some of them `deltalake` ends the process.
    """
    for name, digest in read_log_digests(system, log).items():
        path, file = f"{log}/{name}", log_file(name)
        is_read = file is not None and file.is_checkpoint and file.version <= up_to
        if is_read and system.get_file_info(path).is_file and _digest(system, path) != digest:
            raise WarehouseError(f"{path} can't be read: it has other bytes than were written")


def note_path(log: str) -> str:
    """The path of a log's note."""
    return f"{log.rpartition('/')[0]}/{NAME}"


def _digest(system: fs.FileSystem, path: str) -> str:
    with system.open_input_stream(path) as stream:
        return str(blake3(stream.read()).hexdigest())
