"""Bytes of files, wherever they lie: local paths and the URLs that pyarrow knows (file, s3, gs, hdfs).

Only opening and reading at a position belong here. Files are read, never mapped: a file that shrinks while it is read
gives fewer bytes, a mapping would kill the process. Which files to read is `parsers.files.discovery`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, final
from urllib.parse import quote, unquote, urlsplit, urlunsplit

import numpy as np
import pyarrow as pa
from pyarrow import fs

from parsers.errors import SourceError

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

    def __init__(self, path: str, handle: Any, size_bytes: int) -> None:  # noqa: ANN401 - pyarrow has no types
        """Take an open pyarrow file; `open_file` is the way to get one."""
        self.path = path
        self.size_bytes = size_bytes
        self._handle = handle

    def read(self, position: int, length: int) -> ByteArray:
        """Give up to `length` bytes from `position`; fewer at the end of the file."""
        try:
            return np.frombuffer(self._handle.read_at(length, position), np.uint8)
        except OSError as error:
            raise SourceError(f"{self.path}: byte {position} can't be read: {error}") from error

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
    try:
        handle = place.system.open_input_file(place.inner)
        return SeekableFile(path_or_url, handle, handle.size())
    except OSError as error:
        raise SourceError(f"{path_or_url}: the file can't be opened: {error}") from error


def read_file(path_or_url: str, limit_bytes: int) -> bytes:
    """Give a small file whole, and refuse one that is larger than such a file can be."""
    with open_file(path_or_url) as source:
        if source.size_bytes > limit_bytes:
            raise SourceError(f"{path_or_url}: {source.size_bytes} bytes, expected at most {limit_bytes}")
        return source.read(0, source.size_bytes).tobytes()
