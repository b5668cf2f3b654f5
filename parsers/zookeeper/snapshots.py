"""A snapshot of ZooKeeper: every node, with its data and its times, sealed with a checksum.

Put here how a snapshot's bytes become nodes. A snapshot is taken whole or not at all, as ZooKeeper does: what stands
in one whose seal is broken may be anything.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from parsers.zookeeper.jute import Jute
from parsers.zookeeper.nodes import Node

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

MAGIC: Final = b"ZKSN"
VERSION: Final = 2
MOST_BYTES: Final = 256 << 20
"""Of the paths and the data that are held until the seal."""
_STAT: Final = struct.Struct(">qqqqqiiiqq")
"""ACL, then czxid, mzxid, ctime, mtime, three versions, owner of an ephemeral node, pzxid."""


def read_snapshot(stream: BinaryIO, path: str, wanted: Callable[[str], bool]) -> list[Node]:
    """The nodes of a snapshot whose paths are wanted."""
    jute = Jute(stream, path)
    _header(jute)
    for _ in range(jute.int32()):
        jute.int64(), jute.int32()
    _pass_acls(jute)
    nodes = _nodes(jute, wanted)
    checksum = jute.checksum
    if jute.int64() != checksum:
        raise jute.refusal("the checksum is another than that of the bytes before it")
    return nodes


def _header(jute: Jute) -> None:
    magic = jute.take(4)
    version = jute.int32()
    jute.int64()
    if magic != MAGIC or version != VERSION:
        raise jute.refusal(f"expected a snapshot of version {VERSION}, found {magic!r} of version {version}")


def _pass_acls(jute: Jute) -> None:
    """Lists of who may do what, which nodes name by number."""
    for _ in range(jute.int32()):
        jute.int64()
        for _entry in range(jute.int32()):
            jute.int32()
            jute.buffer(), jute.buffer()


def _nodes(jute: Jute, wanted: Callable[[str], bool]) -> list[Node]:
    """The wanted ones of all nodes, which end with the path of the root; the root itself stands under an empty one."""
    nodes, held_bytes = [], 0
    while (path := jute.text()) != "/":
        data = jute.buffer()
        _acl, _czxid, mzxid, created_ms, changed_ms, *_rest = _STAT.unpack(jute.take(_STAT.size))
        if wanted(path):
            held_bytes += len(path) + len(data or b"")
            if held_bytes > MOST_BYTES:
                raise jute.refusal(f"more than {MOST_BYTES} bytes of nodes")
            nodes.append(Node(path, data, mzxid, changed_ms, created_ms))
    return nodes
