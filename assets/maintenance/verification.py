"""Files compared with the digests in the logs of their tables: which ones, and a note of the sound ones.

A bit that flips on a disk changes neither a file's size nor its time, and often not even whether it can be read. Put
here when a file is read for that. How digests are made is said in `assets.storage.digests`, what is done about damage
in `assets.maintenance.mending`.
"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from enum import Enum, auto
from typing import TYPE_CHECKING, Final, NamedTuple

from pyarrow import fs

from assets.storage.data_files import locate
from assets.storage.digests import digest_of
from assets.storage.json_records import read_record
from assets.storage.notes import note_place, write_note

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assets.storage.transaction import ArchivedFile
    from assets.storage.warehouse import Warehouse

FILE: Final = "_verified.json"
"""In the warehouse's folder. Tools that read folders of Parquet pass over names that begin like this."""
SCRUB_AFTER: Final = timedelta(days=7)
SCRUBBED_SHARE: Final = 50
"""Of the files that were verified longer ago than that, a run verifies one of so many files of a table."""
READ_WHOLE_ROWS_MOST: Final = 2_000_000
"""Of raw tables up to this size, and of all others, a run reads any file whole."""


class Scope(Enum):
    """Which files are read to be compared with their digests."""

    DUE = auto()
    """Those that never were, or were written to since, and a share of the others; in a store that share of all."""
    READ_NEXT = auto()
    """Those that are due, and on a disk those that a run that finds something new may read whole."""
    ALL = auto()


class SoundFile(NamedTuple):
    """A file's size and time when it was last verified."""

    size_bytes: int
    modified_us: int
    at: str
    """In UTC, as ISO 8601."""


class Verification:
    """One pass over the files of a warehouse."""

    def __init__(self, warehouse: Warehouse, scope: Scope) -> None:
        """Read the notes of earlier passes."""
        self._warehouse, self._scope = warehouse, scope
        self._began_at = datetime.now(timezone.utc)
        self._known, self._now = read_note(warehouse), dict[str, SoundFile]()
        self.verified: list[str] = []
        """The files that were read and are sound."""
        self.without_digest: list[str] = []
        """The files of a release that made no digests."""

    def due(self, name: str, files: Sequence[ArchivedFile], infos: Mapping[str, fs.FileInfo]) -> dict[str, str]:
        """The files of a table that are to be read now, with their digests."""
        there = [(file, infos[path]) for file in files if (path := locate(file.uri)[1]) in infos]
        chosen = self._choose(name, {file.uri: _as_it_is(info, self._began_at) for file, info in there})
        if not chosen:
            return {}
        digests = self._warehouse.digests(name)
        digest_by_uri = {uri: digests.get(uri) for uri in chosen}
        self.without_digest += [uri for uri, digest in digest_by_uri.items() if digest is None]
        return {uri: digest for uri, digest in digest_by_uri.items() if digest is not None}

    def reason(self, file: ArchivedFile, info: fs.FileInfo, digest: str) -> str | None:
        """The damage of a file's bytes; None for a sound one."""
        if digest_of(*locate(file.uri)) != digest:
            return "the file has other bytes than were written"
        self._now[self._place(file.uri)] = _as_it_is(info, self._began_at)
        self.verified.append(file.uri)
        return None

    def forget(self, file: ArchivedFile) -> None:
        """Let a file that has its bytes, and other bounds than the log says, count as not verified."""
        del self._now[self._place(file.uri)]
        self.verified.remove(file.uri)

    def note(self) -> None:
        """Note the files that are sound for the passes to come, if there is any news."""
        if self._now != self._known:
            write_note(self._warehouse, FILE, {"files": self._now})

    def _choose(self, name: str, files: Mapping[str, SoundFile]) -> list[str]:
        """The files to read; the notes of the others stay."""
        old, new = [], []
        for uri, now in files.items():
            known = self._known.get(self._place(uri))
            if known is None or known[:2] != now[:2]:
                new.append(uri)
            elif self._reads_all(name):
                old.append(uri)
            else:
                self._now[self._place(uri)] = known
                old += [uri] * (datetime.fromisoformat(known.at) < self._began_at - SCRUB_AFTER)
        if self._reads_all(name):
            return new + old
        share = -(-len(files) // SCRUBBED_SHARE)
        old.sort(key=lambda uri: self._known[self._place(uri)].at)
        return (new + old)[:share] if self._warehouse.is_remote else new + old[:share]

    def _reads_all(self, name: str) -> bool:
        """Whether every file of a table is read."""
        if self._scope is Scope.READ_NEXT and not self._warehouse.is_remote:
            return not name.startswith("raw.") or self._warehouse.row_count(name) <= READ_WHOLE_ROWS_MOST
        return self._scope is Scope.ALL

    def _place(self, uri: str) -> str:
        return uri.removeprefix(self._warehouse.url).lstrip("/")


def _as_it_is(info: fs.FileInfo, at: datetime) -> SoundFile:
    return SoundFile(info.size, (info.mtime_ns or 0) // 1000, at.isoformat())


def read_note(warehouse: Warehouse) -> dict[str, SoundFile]:
    """The notes; none if they can't be read: then every file is verified again."""
    system, path = note_place(warehouse, FILE)
    if system.get_file_info(path).type == fs.FileType.NotFound:
        return {}
    try:
        files = read_record(system, path)["files"]
        return {place: _sound_file(*fields) for place, fields in files.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _sound_file(size_bytes: int, modified_us: int, at: str) -> SoundFile:
    datetime.fromisoformat(at)
    return SoundFile(size_bytes, modified_us, at)
