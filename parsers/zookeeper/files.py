"""Which files are ZooKeeper's, and what Kafka keeps in them.

Put here how such files are found and opened. What is in one belongs to the modules beside this.
"""

from __future__ import annotations

import gzip
import re
import zlib
from typing import IO, TYPE_CHECKING, Any, Final

import numpy as np
from pyarrow import fs

from parsers.errors import SourceError
from parsers.files.partition_files import ListedFile
from parsers.log.damage.quarantine import Trouble
from parsers.sources import ByteStream, open_file, resolve
from parsers.spans import frozen
from parsers.zookeeper.kafka_nodes import SETTINGS_NODES
from parsers.zookeeper.loops import DELETED
from parsers.zookeeper.nodes import Node
from parsers.zookeeper.positions import LARGEST_ZXID
from parsers.zookeeper.snapshots import read_snapshot
from parsers.zookeeper.transactions import read_transactions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parsers.words import ByteArray
    from parsers.zookeeper.changes import FileChanges

_NAME: Final = re.compile(r"(?:.*/)?version-2/(?P<kind>snapshot|log)\.(?P<zxid>[0-9a-f]{1,16})(?P<gzip>\.gz)?")
LARGEST_BYTES: Final = 1 << 30
"""Of a file; it is read whole."""
BLOCK_BYTES: Final = 8 << 20
PACKED_BLOCK_BYTES: Final = 64 << 10


def is_zookeeper_file(path: str) -> bool:
    """Whether a path is that of a snapshot or a transaction log, by its name and that of its folder."""
    return _NAME.fullmatch(path) is not None


def find_zookeeper_files(named: str) -> list[ListedFile]:
    """The snapshots and logs below a place, or in a folder version-2; none where there is no such place."""
    place = resolve(named)
    if place.info().type != fs.FileType.Directory:
        return []
    listed = [one for one in place.below(recursive=True) if one.type == fs.FileType.File]
    files = [ListedFile(place.child(one.path), one.size, _modified_ms(one)) for one in listed]
    return sorted(one for one in files if is_zookeeper_file(one.path))


def read_changes(path: str, wanted: str) -> FileChanges:
    """The changes of nodes whose paths match a pattern, and what of the file could not be read."""
    with open_file(path) as source:
        stream: Any = ByteStream(source)
        return changes_in(path, stream, wanted, source.size_bytes)


def changes_in(path: str, stream: IO[bytes], wanted: str, size_bytes: int = 0) -> FileChanges:
    """The same of an open file, by its path."""
    content, troubles = _unpacked(path, stream, size_bytes)
    read = changes_of(path, content, wanted)
    return read._replace(troubles=(*troubles, *read.troubles))


def changes_of(path: str, content: ByteArray, wanted: str) -> FileChanges:
    """The same of the unpacked bytes of a file, by its path."""
    name = _name(path)
    if name["kind"] == "log":
        return read_transactions(content, wanted)
    read, zxid = read_snapshot(content, wanted), int(name["zxid"], 16)
    return read if read.troubles or zxid > LARGEST_ZXID else read._replace(snapshot_zxid=zxid)


def read_unpacked(path: str) -> ByteArray:
    """The bytes of a file, unpacked; of a torn one those before the tear."""
    with open_file(path) as source:
        stream: Any = ByteStream(source)
        content, _troubles = _unpacked(path, stream, source.size_bytes)
        return content


def _unpacked(path: str, stream: IO[bytes], size_bytes: int) -> tuple[ByteArray, list[Trouble]]:
    """The bytes of a file, unpacked, and why there are no more of them."""
    content, troubles = bytearray(), list[Trouble]()
    blocks = _blocks(stream) if _name(path)["gzip"] else iter(lambda: stream.read(BLOCK_BYTES), b"")
    try:
        while size_bytes <= LARGEST_BYTES and len(content) <= LARGEST_BYTES and (block := next(blocks, b"")):
            content += block
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        expected = f"a gzip stream up to its end, behind {len(content)} bytes of content"
        troubles.append(Trouble(0, size_bytes, None, "broken gzip stream", expected, str(error), b""))
    if max(size_bytes, len(content)) > LARGEST_BYTES:
        raise SourceError(f"{path}: expected at most {LARGEST_BYTES} bytes, found more")
    return frozen(np.frombuffer(bytes(content), np.uint8)), troubles


def _name(path: str) -> re.Match[str]:
    match = _NAME.fullmatch(path)
    if match is None:
        raise SourceError(f"{path}: expected version-2/snapshot.ZXID or version-2/log.ZXID")
    return match


def _blocks(stream: IO[bytes]) -> Iterator[bytes]:
    """What a gzip stream has, in small blocks: of a torn one no more than one of them is lost."""
    with gzip.GzipFile(fileobj=stream) as packed:
        yield from iter(lambda: packed.read1(PACKED_BLOCK_BYTES), b"")


def read_nodes(path: str) -> Iterator[Node]:
    """The nodes of Kafka's settings that a file tells of; at the end it complains of what could not be read."""
    read = read_changes(path, SETTINGS_NODES)
    for row in read.changes.to_pylist():
        data, is_deleted = row["data"], row["kind"] == DELETED
        yield Node(row["path"], data, row["zxid"], row["changed_ms"], row["created_ms"], is_deleted)
    for trouble in read.troubles:
        raise SourceError(
            f"{path}: byte {trouble.position}: {trouble.reason}: expected {trouble.expected}, found {trouble.actual}"
        )


def _modified_ms(info: fs.FileInfo) -> int | None:
    return None if info.mtime_ns is None else info.mtime_ns // 1_000_000
