"""Copies of logs and of ZooKeeper's files that lie in archives: unpacked into a folder, as far as a claim cites them.

Put here what is unpacked and how it is named. What is cited of it belongs in `assets.evidence.pack`.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING

from assets.ingest.read_history import INSIDE
from parsers.errors import SourceError
from parsers.files.archives import is_of_log_directory, unpack
from parsers.files.discovery import discover
from parsers.zookeeper.files import is_zookeeper_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from assets.evidence.cited_records import Log
    from parsers.files.discovery import SegmentFile
    from parsers.files.unpacking import Limits


@dataclass(slots=True)
class UnpackedCopies:
    """The files of archives that were unpacked into a folder, and the archive that each is of."""

    folder: Path
    limits: Limits
    complaints: list[str] = field(default_factory=list)
    _archives: dict[str, str] = field(default_factory=dict)

    def segments(self, archive: str, logs: Iterable[Log], cluster: str | None) -> Iterator[SegmentFile]:
        """The segments of logs in an archive, named by their path in it and opened at their copies."""
        wanted = frozenset(f"{log.topic}-{log.partition}" for log in logs)

        def counts(path: str) -> bool:
            place = PurePosixPath(path)
            return is_of_log_directory(path) and (not place.name[:1].isdigit() or place.parent.name in wanted)

        below = self._unpacked(archive, counts)
        with suppress(SourceError):  # nothing that is cited is in it
            for segment in discover([below], cluster).segments:
                yield replace(segment, path=self.named(segment.path), copy=segment.path)

    def zookeeper(self, archive: str) -> str:
        """The folder with the files of ZooKeeper in an archive."""
        return self._unpacked(archive, is_zookeeper_file)

    def named(self, path: str) -> str:
        """The name of an unpacked file: its archive, and its path in it; of any other file its path."""
        for below, archive in self._archives.items():
            if path.startswith(f"{below}/"):
                return f"{archive}{INSIDE}{path.removeprefix(f'{below}/')}"
        return path

    def _unpacked(self, archive: str, counts: Callable[[str], bool]) -> str:
        """The folder with the files of an archive that count; of a broken one those before its break."""
        below = self.folder / str(len(self._archives))
        below.mkdir()
        self._archives[str(below)] = archive

        def create(path: str) -> IO[bytes]:
            file = below / path
            file.parent.mkdir(parents=True, exist_ok=True)
            return file.open("wb")

        try:
            unpack(archive, create, self.limits, counts)
        except SourceError as error:
            self.complaints.append(str(error))
        return str(below)
