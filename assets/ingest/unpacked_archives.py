"""Archives unpacked for the length of one run, into the warehouse, where every worker can read.

Put here what is unpacked, how it is named, and that it goes away. What in an archive counts is in `parsers.files`.
"""

from __future__ import annotations

import io
import uuid
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import IO, TYPE_CHECKING, Any

from pyarrow import fs

from assets.ingest.read_history import INSIDE
from assets.storage.data_files import locate
from parsers.errors import SourceError, WarehouseError
from parsers.files.archives import BLOCK_BYTES, is_archive, text_logs, unpack
from parsers.files.discovery import Discovery, discover
from parsers.sources import resolve

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assets.storage.warehouse import Warehouse
    from parsers.files.unpacking import Limits


@dataclass(frozen=True, slots=True)
class Archive:
    """An archive of log directories as it is now."""

    path: str
    size_bytes: int
    modified_ms: int | None


def find_archive(named: str) -> Archive | None:
    """The archive at a place; None if there is none."""
    if not is_archive(named):
        return None
    place = resolve(named)
    info = place.info()
    if info.type != fs.FileType.File:
        return None
    return Archive(place.named, info.size, None if info.mtime_ns is None else info.mtime_ns // 1_000_000)


@contextmanager
def open_unpack_folder(warehouse: Warehouse, limits: Limits) -> Iterator[UnpackFolder]:
    """A folder for unpacked archives, deleted afterwards."""
    folder = UnpackFolder(f"{warehouse.url.rstrip('/')}/spool-{uuid.uuid4().hex[:12]}", limits)
    try:
        yield folder
    finally:
        folder.remove()


class UnpackFolder:
    """The unpacked files of one run."""

    def __init__(self, folder: str, limits: Limits) -> None:
        """Name the folder; nothing is there yet."""
        self._folder, self._limits = folder, limits
        self._system, self._inner = locate(folder)
        self._count = 0

    def folder(self) -> str:
        """A new folder in it."""
        self._count += 1
        self._system.create_dir(f"{self._inner}/{self._count}", recursive=True)
        return f"{self._folder}/{self._count}"

    def discover(self, archive: Archive, cluster: str | None) -> Discovery:
        """Unpack an archive and find its segments: named by their path in it, opened at their copies.

        An archive with only a broker's text logs is not broken; they are read in place.
        """
        self._count += 1
        below = f"{self._folder}/{self._count}"
        try:
            create = partial(self._create, f"{self._inner}/{self._count}")
            if not unpack(archive.path, create, self._limits):
                return _without_segments(archive, self._limits)
            discovery = discover([below], cluster)
        except SourceError as error:
            self._drop(f"{self._inner}/{self._count}")
            raise type(error)(str(error).replace(f"{below}:", f"{archive.path}:")) from error
        segments = (
            replace(
                segment,
                path=_inside(archive, below, segment.path),
                copy=segment.path,
                modified_ms=archive.modified_ms,
            )
            for segment in discovery.segments
        )
        skipped = (replace(one, path=_inside(archive, below, one.path)) for one in discovery.skipped)
        return Discovery(tuple(segments), tuple(skipped))

    def remove(self) -> None:
        """Delete what was unpacked."""
        if self._count:
            self._drop(self._inner)

    def _drop(self, inner: str) -> None:
        """Delete a folder: a refused archive takes no room from the others."""
        if self._system.get_file_info(inner).type != fs.FileType.NotFound:
            self._system.delete_dir(inner)

    def _create(self, folder: str, path: str) -> IO[bytes]:
        inner = f"{folder}/{path}"
        with _unwritable(inner):
            self._system.create_dir(inner.rpartition("/")[0], recursive=True)
            return io.BufferedWriter(_Copy(self._system.open_output_stream(inner), inner), BLOCK_BYTES)


class _Copy(io.RawIOBase):
    """The copy of a file that is being unpacked: what goes wrong with it is no fault of the archive."""

    def __init__(self, stream: IO[bytes], inner: str) -> None:
        self._stream, self._inner = stream, inner

    def writable(self) -> bool:
        """It is made to be written."""
        return True

    def write(self, content: Any) -> int:  # noqa: ANN401 - whatever bytes a buffer hands on
        """Hand the bytes on; a place that can't be written is named."""
        with _unwritable(self._inner):
            return self._stream.write(content)

    def close(self) -> None:
        """Close the copy; the last of it is written only then."""
        if not self.closed:
            with _unwritable(self._inner):
                self._stream.close()
        super().close()


def _without_segments(archive: Archive, limits: Limits) -> Discovery:
    """An empty discovery for an archive with only a broker's text logs; an error for one without those."""
    if not any(text_logs(archive.path, lambda *_: None, limits)):
        raise SourceError(f"{archive.path}: neither segments nor a broker's text log were found in it")
    return Discovery((), ())


@contextmanager
def _unwritable(inner: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise WarehouseError(f"{inner} can't be written: {error.strerror or error}") from error


def _inside(archive: Archive, below: str, path: str) -> str:
    return archive.path + INSIDE + path.removeprefix(below).lstrip("/")
