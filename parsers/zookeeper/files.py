"""Which files are ZooKeeper's, and what Kafka keeps in them.

Put here how such files are found and opened. What is in one belongs to the modules beside this.
"""

from __future__ import annotations

import gzip
import io
import re
import zlib
from typing import TYPE_CHECKING, Any, Final, cast

from pyarrow import fs

from parsers.errors import SourceError
from parsers.files.partition_files import ListedFile
from parsers.sources import ByteStream, open_file, resolve
from parsers.zookeeper.kafka_nodes import is_wanted
from parsers.zookeeper.snapshots import read_snapshot
from parsers.zookeeper.transactions import read_transactions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parsers.zookeeper.nodes import Node

_NAME: Final = re.compile(r"(?:.*/)?version-2/(?P<kind>snapshot|log)\.[0-9a-f]{1,16}(?P<gzip>\.gz)?")
BUFFER_BYTES: Final = 1 << 20


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


def read_nodes(path: str) -> Iterator[Node]:
    """The nodes of Kafka's that a file tells of; of a log those before a torn end, which is complained of then."""
    match = _NAME.fullmatch(path)
    if match is None:
        raise SourceError(f"{path}: expected version-2/snapshot.ZXID or version-2/log.ZXID")
    with open_file(path) as source:
        stream: Any = ByteStream(source)
        stream = gzip.GzipFile(fileobj=stream) if match["gzip"] else stream
        buffered = cast("io.BufferedIOBase", io.BufferedReader(stream, BUFFER_BYTES))
        read = read_snapshot if match["kind"] == "snapshot" else read_transactions
        try:
            yield from read(buffered, path, is_wanted)  # type: ignore[arg-type]
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise SourceError(f"{path}: {error}") from error


def _modified_ms(info: fs.FileInfo) -> int | None:
    return None if info.mtime_ns is None else info.mtime_ns // 1_000_000
