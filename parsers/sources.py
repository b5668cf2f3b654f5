"""Bytes of files, wherever they lie: local paths and the URLs that pyarrow knows (file, s3, gs, hdfs).

Only listing, opening and reading at a position belong here. Files are read, never mapped: a file that shrinks while it
is read gives fewer bytes, a mapping would kill the process. Which files to read is `parsers.files.discovery`; how long
a store is waited for is `parsers.io_retry`.
"""

from __future__ import annotations

import errno
import io
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, final
from urllib.parse import quote, unquote, urlsplit, urlunsplit

import numpy as np
import pyarrow as pa
from pyarrow import fs

from parsers.errors import SourceError
from parsers.folders import below
from parsers.io_retry import ask

if TYPE_CHECKING:
    from types import TracebackType

    from parsers.words import ByteArray


class ByteSource(Protocol):
    """Anything that gives bytes by position."""

    path: str
    size_bytes: int

    def read(self, position: int, length: int) -> ByteArray:
        """Give up to `length` bytes from `position`; fewer at the end of the file."""
        ...


@dataclass(frozen=True)
class Place:
    """A path or URL, resolved: the file system it names and the path inside it."""

    named: str
    system: fs.FileSystem
    inner: str

    def child(self, inner: str) -> str:
        """Name a path of the same file system the way this place was named."""
        if "://" not in self.named:
            return inner
        scheme, host, path, query, fragment = urlsplit(self.named)
        above = self.inner.rstrip("/").removesuffix(unquote(path).rstrip("/"))
        return urlunsplit((scheme, host, quote(inner.removeprefix(above)), query, fragment))

    @property
    def is_remote(self) -> bool:
        """Whether it lies behind a URL: objects there are whole, and fewer bytes than there are is a failure."""
        return not isinstance(self.system, fs.LocalFileSystem)

    def info(self, inner: str | None = None) -> fs.FileInfo:
        """What is said of a path of the same file system, of the place itself when none is given."""
        path = self.inner if inner is None else inner
        return ask(self.system, f"{self.child(path)}: it can't be looked at", lambda: self.system.get_file_info(path))

    def below(
        self, inner: str | None = None, *, recursive: bool = False, complaints: list[str] | None = None
    ) -> list[fs.FileInfo]:
        """What is in a folder of the same file system, by default in the place itself; nothing when it is gone.

        What of a disk can't be listed is passed over, and complained of where anybody listens.
        """
        path = self.inner if inner is None else inner
        named = self.child(path)
        infos, new_complaints = ask(
            self.system, f"{named}: it can't be listed", lambda: self._listed(path, recursive=recursive)
        )
        if complaints is not None:
            complaints.extend(new_complaints)
        return infos

    def _listed(self, path: str, *, recursive: bool) -> tuple[list[fs.FileInfo], list[str]]:
        complaints: list[str] = []
        if self.is_remote:
            selector = fs.FileSelector(path, recursive=recursive, allow_not_found=True)
            return list(self.system.get_file_info(selector)), complaints
        return list(below(path, complaints, recursive=recursive)), complaints


def resolve(path_or_url: str) -> Place:
    """Find the file system that a path or URL names; a local place is named by its absolute path."""
    if "://" not in path_or_url:
        path = str(Path(path_or_url).absolute())
        return Place(path, fs.LocalFileSystem(), path)
    try:
        system, inner = fs.FileSystem.from_uri(path_or_url)
    except (OSError, pa.ArrowInvalid) as error:
        raise SourceError(f"{path_or_url}: the URL can't be opened: {error}") from error
    return Place(inner if isinstance(system, fs.LocalFileSystem) else path_or_url, system, inner)


@final
class SeekableFile:
    """An open file that is read at positions; close it, or use it in a `with` statement."""

    def __init__(self, path: str, place: Place, handle: Any, size_bytes: int) -> None:  # noqa: ANN401 - pyarrow has no types
        """Take an open pyarrow file; `open_file` is the way to get one."""
        self.path = path
        self.size_bytes = size_bytes
        self._place = place
        self._handle = handle

    def read(self, position: int, length: int) -> ByteArray:
        """Give up to `length` bytes from `position`; fewer at the end of the file."""
        read = self._read_object if self._place.is_remote else self._handle.read_at
        what = f"{self.path}: byte {position} can't be read"
        return np.frombuffer(ask(self._place.system, what, lambda: read(length, position)), np.uint8)

    def _read_object(self, length: int, position: int) -> bytes:
        """Read from a store: fewer bytes than an object has are not its end, and one that is gone is no failure."""
        expected = max(0, min(length, self.size_bytes - position))
        try:
            content: bytes = self._handle.read_at(expected, position) if expected else b""
        except OSError:
            self._refuse_if_gone()
            raise
        if len(content) < expected and self._size_now() >= position + expected:
            raise OSError(f"expected {expected} bytes, the store gave {len(content)}")
        return content

    def _size_now(self) -> int:
        self._refuse_if_gone()
        return self._place.system.get_file_info(self._place.inner).size or 0

    def _refuse_if_gone(self) -> None:
        if self._place.system.get_file_info(self._place.inner).type != fs.FileType.File:
            raise FileNotFoundError(errno.ENOENT, "it was removed while it was read")

    def close(self) -> None:
        """Let go of the file."""
        self._handle.close()

    def __enter__(self) -> SeekableFile:
        """Give the file itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Let go of the file."""
        self.close()


def open_file(path_or_url: str) -> SeekableFile:
    """Open one file for reading at positions; a file that is gone is a `SourceError` that names it."""
    place = resolve(path_or_url)
    what = f"{path_or_url}: the file can't be opened"
    handle = ask(place.system, what, lambda: place.system.open_input_file(place.inner))
    return SeekableFile(path_or_url, place, handle, ask(place.system, what, handle.size))


@final
class ByteStream(io.RawIOBase):
    """An open file as Python's streams are: for who reads from its beginning on, or jumps about in it."""

    def __init__(self, source: SeekableFile) -> None:
        """Begin at the beginning; the file is the caller's to close."""
        self._source = source
        self._position = 0

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def seekable(self) -> bool:
        """Say that it can be read anywhere."""
        return True

    def tell(self) -> int:
        """Give the position that is read next."""
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a position, counted from the beginning, from here or from the end."""
        origin = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._source.size_bytes}[whence]
        self._position = max(0, origin + offset)
        return self._position

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 - anything that can be written into
        """Read as much as the buffer holds; nothing at the end of the file."""
        content = self._source.read(self._position, len(buffer))
        buffer[: len(content)] = content.data
        self._position += len(content)
        return len(content)


def read_file(path_or_url: str, limit_bytes: int) -> bytes:
    """Give a small file whole, and refuse one that is larger than such a file can be."""
    with open_file(path_or_url) as source:
        if source.size_bytes > limit_bytes:
            raise SourceError(f"{path_or_url}: {source.size_bytes} bytes, expected at most {limit_bytes}")
        return source.read(0, source.size_bytes).tobytes()
