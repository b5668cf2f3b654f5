"""Which folders are checkpoints of Spark, and which files in them count.

Put here how they are told by their names. What is in a file belongs to the modules beside this.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from typing import TYPE_CHECKING, Final

from pyarrow import fs

from parsers.files.discovery import CHECKPOINT_FOLDERS, CHECKPOINT_METADATA
from parsers.files.partition_files import ListedFile
from parsers.sources import resolve
from parsers.spark_checkpoints.checkpoint import CheckpointFiles

if TYPE_CHECKING:
    from collections.abc import Iterable

OFFSETS, COMMITS = CHECKPOINT_FOLDERS
_BATCH: Final = re.compile(r"0|[1-9][0-9]{0,9}")
LARGEST_BATCH: Final = (1 << 32) - 1


def find_checkpoints(named: str) -> list[CheckpointFiles]:
    """The checkpoints in a place and below it; none where there is no such folder."""
    place = resolve(named)
    if place.info().type != fs.FileType.Directory:
        return []
    infos = (one for one in place.below(recursive=True) if one.type == fs.FileType.File)
    return checkpoints_among(ListedFile(place.child(one.path), one.size, _modified_ms(one)) for one in infos)


def checkpoints_among(files: Iterable[ListedFile]) -> list[CheckpointFiles]:
    """The checkpoints among files: folders with batches in offsets, and with commits or Spark's metadata beside."""
    folders: dict[str, dict[str, dict[int, ListedFile]]] = defaultdict(lambda: {OFFSETS: {}, COMMITS: {}})
    metadata: dict[str, ListedFile] = {}
    for file in files:
        place, suffix = _without_query(file.path)
        folder, name = posixpath.split(place)
        above, kind = posixpath.split(folder)
        if name == CHECKPOINT_METADATA:
            metadata[folder + suffix] = file
        elif kind in CHECKPOINT_FOLDERS and _BATCH.fullmatch(name) and int(name) <= LARGEST_BATCH:
            folders[above + suffix][kind][int(name)] = file
    return [
        CheckpointFiles(path, its[OFFSETS], its[COMMITS], metadata.get(path))
        for path, its in sorted(folders.items())
        if its[OFFSETS] and (its[COMMITS] or path in metadata)
    ]


def checkpoint_of(path: str) -> str:
    """The checkpoint that a file of offsets or commits is in, by the file's path."""
    place, suffix = _without_query(path)
    return posixpath.dirname(posixpath.dirname(place)) + suffix


def _without_query(path: str) -> tuple[str, str]:
    """A path, and what a URL has behind it, such as the address of a store."""
    place, mark, query = path.partition("?") if "://" in path else (path, "", "")
    return place, mark + query


def _modified_ms(info: fs.FileInfo) -> int | None:
    return None if info.mtime_ns is None else info.mtime_ns // 1_000_000
