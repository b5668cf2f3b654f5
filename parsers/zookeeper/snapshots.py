"""A snapshot of ZooKeeper: every node, with its data and its times, sealed with a checksum.

Put here how a snapshot's bytes become nodes. A snapshot is taken whole or not at all, as ZooKeeper does: what stands
in one whose seal is broken may be anything.
"""

from __future__ import annotations

import struct
import zlib
from io import BytesIO
from typing import TYPE_CHECKING, Final

from parsers.errors import SourceError
from parsers.log.damage.quarantine import Trouble, quote_bytes
from parsers.zookeeper.changes import FileChanges, rows_for, together, wanted_changes
from parsers.zookeeper.jute import Jute
from parsers.zookeeper.loops import END, FULL, walk_nodes

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from parsers.words import ByteArray

MAGIC: Final = b"ZKSN"
VERSION: Final = 2
SEAL: Final = struct.Struct(">q")
REASON: Final = "broken snapshot"


class _BrokenError(Exception):
    """Where a snapshot is broken: the position, what is expected there, what is found."""


def read_snapshot(buffer: ByteArray, wanted: str) -> FileChanges:
    """The nodes of a snapshot whose paths match a pattern; none of them where anything in it is broken."""
    try:
        return FileChanges(together([*_parts(buffer, wanted)]), ())
    except _BrokenError as error:
        at, expected, actual = error.args
        trouble = Trouble(at, buffer.size - at, None, REASON, expected, actual, quote_bytes(buffer, at, buffer.size))
        return FileChanges(together(()), (trouble,))


def _parts(buffer: ByteArray, wanted: str) -> Iterator[pa.Table]:
    """The wanted nodes, so many at a time; a broken snapshot raises at its end at the latest."""
    at, rows, reason = _nodes_start(buffer), rows_for(0), FULL
    while reason == FULL:
        at, count, reason = walk_nodes(buffer, at, rows)
        if count:
            yield wanted_changes(buffer, rows[:count], wanted)
    if reason != END:
        raise _BrokenError(at, "a node: path, data and state", "bytes that are none")
    seal = bytes(buffer[at : at + SEAL.size])
    checksum = zlib.adler32(buffer[:at].data)
    if len(seal) < SEAL.size or SEAL.unpack(seal)[0] != checksum:
        raise _BrokenError(at, f"the checksum {checksum:#x} of the bytes before", seal.hex())


def _nodes_start(buffer: ByteArray) -> int:
    """Where the nodes begin: behind the header, the sessions, and the lists of who may do what."""
    jute = Jute(BytesIO(buffer.data))
    try:
        magic, version = jute.take(4), jute.int32()
        if (magic, version) != (MAGIC, VERSION):
            raise _BrokenError(0, f"{MAGIC!r} of version {VERSION}", f"{magic!r} of version {version}")
        jute.int64()
        for _ in range(jute.int32()):
            jute.int64(), jute.int32()
        for _ in range(jute.int32()):
            jute.int64()
            for _entry in range(jute.int32()):
                jute.int32()
                jute.buffer(), jute.buffer()
    except SourceError as error:
        raise _BrokenError(jute.position, "sessions and lists of rights", str(error)) from error
    return jute.position
