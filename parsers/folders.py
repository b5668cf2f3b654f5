"""What is in folders on disk, in the words of pyarrow's file systems: no folder twice, and one that is barred alone.

Put here the walk through folders. Stores list themselves, asked by `parsers.sources`; which names matter is said in
`parsers.files`.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pyarrow import fs

from parsers.io_retry import is_failing
from parsers.names import is_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LOST_AND_FOUND: Final = "lost+found"
"""At the root of many disks, for their repair alone, and barred to everybody else."""
_DISK: Final = fs.LocalFileSystem()
LATEST_NS: Final = (1 << 63) - 1
"""In the year 2262; a disk may have later times, and Arrow has none."""


def below(folder: str, complaints: list[str], *, recursive: bool) -> Iterator[fs.FileInfo]:
    """Everything in a folder, and below it; what can't be listed or named there is complained of, and the rest told.

    Links are followed when nothing else is left, and a folder that was there already is none: a path is the plain one,
    and a link that leads back ends there.
    """
    identities: set[tuple[int, int]] = set()
    plain, links = [folder], list[str]()
    while plain or links:
        here = (plain or links).pop()
        for entry in _entries(here, identities, complaints, is_named=here is folder):
            info = _info(entry)
            yield info
            if recursive and info.type == fs.FileType.Directory and entry.name != LOST_AND_FOUND:
                (links if entry.is_symlink() else plain).append(entry.path)


def _entries(
    folder: str, identities: set[tuple[int, int]], complaints: list[str], *, is_named: bool
) -> Sequence[os.DirEntry[str]]:
    """What is in one folder; nothing when it is gone, or when this is not the first way to it."""
    try:
        if _is_repeat(folder, identities):
            return []
        with os.scandir(folder) as entries:
            return [entry for entry in entries if _can_be_named(entry, complaints)]
    except FileNotFoundError:
        return []
    except OSError as error:
        if is_named or is_failing(_DISK, error):
            raise
        complaints.append(f"{folder}: it can't be listed: {error.strerror}")
        return []


def _is_repeat(folder: str, identities: set[tuple[int, int]]) -> bool:
    status = Path(folder).stat()
    identity = status.st_dev, status.st_ino
    is_repeat = identity in identities
    identities.add(identity)
    return is_repeat


def _can_be_named(entry: os.DirEntry[str], complaints: list[str]) -> bool:
    """Whether a name is UTF-8, as any that a broker gives; else a folder, or a log, is complained of."""
    if is_text(entry.name):
        return True
    if entry.is_dir() or ".log" in entry.name:
        shown = os.fsencode(entry.path).decode(errors="backslashreplace")
        complaints.append(f"{shown}: it can't be read, since its name is not UTF-8")
    return False


def _info(entry: os.DirEntry[str]) -> fs.FileInfo:
    """What is said of an entry; a link to nowhere, a pipe or a socket is of no type that is known."""
    try:
        status = entry.stat()
        kind = fs.FileType.File if entry.is_file() else fs.FileType.Directory if entry.is_dir() else fs.FileType.Unknown
    except OSError:
        return fs.FileInfo(entry.path, fs.FileType.Unknown)
    size_bytes = status.st_size if kind == fs.FileType.File else None
    return fs.FileInfo(entry.path, kind, mtime_ns=min(status.st_mtime_ns, LATEST_NS), size=size_bytes)
