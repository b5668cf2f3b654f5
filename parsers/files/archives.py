"""Archives of log directories (.tar, plain or packed, and .zip): what in them counts, streamed out file by file.

Only what is in an archive belongs here. Where its files are put, and for how long, is decided in
`assets.ingest.unpacked_archives`.
"""

from __future__ import annotations

import io
import lzma
import re
import shutil
import tarfile
import zipfile
import zlib
from pathlib import PurePosixPath
from typing import IO, TYPE_CHECKING, Final, TypeVar, cast

import pyarrow as pa

from parsers.errors import SourceError
from parsers.files.text_logs import is_text_log
from parsers.files.unpacking import Limits, Meter, MeteredIO, TooMuchError
from parsers.names import is_text
from parsers.sources import ByteStream, open_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Read = TypeVar("Read")

PACKINGS: Final[dict[str, Callable[[pa.NativeFile], IO[bytes]]]] = {
    ".tar": lambda stream: stream,
    ".tar.gz": lambda stream: pa.CompressedInputStream(stream, "gzip"),
    ".tgz": lambda stream: pa.CompressedInputStream(stream, "gzip"),
    ".tar.bz2": lambda stream: pa.CompressedInputStream(stream, "bz2"),
    ".tar.zst": lambda stream: pa.CompressedInputStream(stream, "zstd"),
    ".tar.xz": lzma.open,
    ".txz": lzma.open,
}
"""How the tar inside is reached, by the end of the archive's name."""
ZIP: Final = ".zip"
BLOCK_BYTES: Final = 1 << 20
LONGEST_PART_BYTES: Final = 255
LONGEST_PATH_BYTES: Final = 2048
"""What a disk takes of a name, and of a path below a warehouse; of a topic's name a broker takes 249."""


class _UnfitError(Exception):
    """A path in an archive that can't be one on a disk."""


_BROKEN: Final = (
    _UnfitError,
    TooMuchError,
    tarfile.TarError,
    zipfile.BadZipFile,
    lzma.LZMAError,
    zlib.error,
    EOFError,
    OSError,
    RuntimeError,
    pa.ArrowInvalid,
)
_COUNTS: Final = re.compile(
    r"[0-9]{20}\.(log|index)(\.cleaned|\.swap|\.deleted)?|meta\.properties|partition\.metadata|leader-epoch-checkpoint"
    r"|(log-start|replication|cleaner)-offset-checkpoint"
)


def is_archive(path: str) -> bool:
    """Say whether a file is an archive, by its name."""
    return path.endswith((*PACKINGS, ZIP))


def is_of_log_directory(path: str) -> bool:
    """Whether a file in an archive is one by which a log directory is known."""
    return _COUNTS.fullmatch(PurePosixPath(path).name) is not None


def unpack(
    path_or_url: str,
    create: Callable[[str], IO[bytes]],
    limits: Limits,
    counts: Callable[[str], bool] = is_of_log_directory,
) -> list[str]:
    """Copy the files that count out of an archive, and give their paths in it.

    `create` opens the copy of a path. Nothing but one block is held in memory. An archive that is broken is refused at
    the place where it breaks, and one that unpacks to too much where it does; a store that fails, where the archive is
    or where its copies go, is no broken archive.
    """
    there = _Paths()

    def copied(path: str, content: IO[bytes]) -> None:
        """Copy one file, block by block."""
        there.add(path)
        with create(path) as copy:
            shutil.copyfileobj(content, copy, BLOCK_BYTES)

    return [path for path, _ in read_each(path_or_url, counts, copied, limits)]


def text_logs(path_or_url: str, read: Callable[[str, IO[bytes]], Read], limits: Limits) -> Iterator[tuple[str, Read]]:
    """What is read in each text log of a broker in an archive, with its path there; one log after the other."""
    return read_each(path_or_url, is_text_log, read, limits)


def read_each(
    path_or_url: str, counts: Callable[[str], bool], read: Callable[[str, IO[bytes]], Read], limits: Limits
) -> Iterator[tuple[str, Read]]:
    """Have the files that count read, in the order of the archive."""
    entries, place = _zip_members if path_or_url.endswith(ZIP) else _tar_members, "its beginning"
    try:
        for path, content in entries(path_or_url, counts, limits):
            result = read(path, content)
            place = path
            yield path, result
    except _BROKEN as error:
        raise SourceError(f"{path_or_url}: the archive can't be read after {place}: {error}") from error


class _Paths:
    """The paths of the files of one archive."""

    def __init__(self) -> None:
        self._files: set[str] = set()
        self._folders: set[str] = set()

    def add(self, path: str) -> None:
        """Take a path, unless a disk can't have it, alone or beside those before it."""
        above = {str(folder) for folder in PurePosixPath(path).parents}
        if not _fits(path) or path in self._folders or above & self._files:
            raise _UnfitError(f"{path[:LONGEST_PART_BYTES]!r} can't be unpacked as a file")
        self._files.add(path)
        self._folders |= above


def _fits(path: str) -> bool:
    if not is_text(path):
        return False
    name = path.encode()
    longest = max(map(len, name.split(b"/")))
    return len(name) <= LONGEST_PATH_BYTES and longest <= LONGEST_PART_BYTES and b"\0" not in name


class _Entry(tarfile.TarInfo):
    """An entry of a tar; Python takes a header that can't be read, or is lacking, for the end of the archive."""

    @classmethod
    def fromtarfile(cls, archive: tarfile.TarFile) -> _Entry:
        """Read the next entry: only the block of zeros that a tar ends with is its end."""
        try:
            return super().fromtarfile(archive)
        except tarfile.EOFHeaderError:  # type: ignore[attr-defined]  # it is there since Python 3.0
            raise
        except tarfile.HeaderError as error:
            raise tarfile.ReadError(f"no entry and no end of the archive at byte {archive.offset}: {error}") from error


def _tar_members(path_or_url: str, counts: Callable[[str], bool], limits: Limits) -> Iterator[tuple[str, IO[bytes]]]:
    packing = max((ending for ending in PACKINGS if path_or_url.endswith(ending)), key=len)
    with (
        open_file(path_or_url) as source,
        pa.PythonFile(ByteStream(source), mode="r") as stream,
        PACKINGS[packing](stream) as unpacked,
        tarfile.open(
            fileobj=cast("IO[bytes]", MeteredIO(unpacked, Meter(limits, source.size_bytes))), mode="r|", tarinfo=_Entry
        ) as archive,
    ):
        for entry in archive:
            is_wanted = entry.isreg() and _is_inside(entry.name) and counts(entry.name)
            content = archive.extractfile(entry) if is_wanted else None
            if content is not None:
                yield _inside(entry.name), content


def _zip_members(path_or_url: str, counts: Callable[[str], bool], limits: Limits) -> Iterator[tuple[str, IO[bytes]]]:
    with open_file(path_or_url) as source, zipfile.ZipFile(io.BufferedReader(ByteStream(source))) as archive:
        meter = Meter(limits, source.size_bytes)
        for entry in archive.infolist():
            if not entry.is_dir() and _is_inside(entry.filename) and counts(entry.filename):
                with archive.open(entry) as content:
                    yield _inside(entry.filename), cast("IO[bytes]", MeteredIO(content, meter))


def _is_inside(name: str) -> bool:
    return ".." not in PurePosixPath(name).parts


def _inside(name: str) -> str:
    """The path in the archive, which is never one outside of it."""
    return "/".join(part for part in PurePosixPath(name).parts if part not in {"/", "."})
