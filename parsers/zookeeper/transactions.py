"""A transaction log of ZooKeeper: what changed its nodes, each change with a number, a time and a checksum.

Put here how a log's bytes become changes of nodes. A log ends where zeros begin, which were written in advance, or with
a change that a crash cut off.
"""

from __future__ import annotations

import zlib
from io import BytesIO
from typing import TYPE_CHECKING, Final

from parsers.zookeeper.jute import Jute
from parsers.zookeeper.nodes import Node

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import BinaryIO

MAGIC: Final = b"ZKLG"
VERSION: Final = 2
END_OF_RECORD: Final = b"B"
HEAD_BYTES: Final = 12
"""Checksum and length."""
CREATES: Final = frozenset({1, 15, 19, 21})
"""create, create2, createContainer and createTTL; path and data stand first in all."""
DELETES: Final = frozenset({2, 20})
"""delete and deleteContainer."""
SET_DATA: Final = 5
MULTI: Final = 14
MOST_IN_ONE: Final = 1 << 20


def read_transactions(stream: BinaryIO, path: str, wanted: Callable[[str], bool]) -> Iterator[Node]:
    """The changes of nodes whose paths are wanted, in order, up to the first that is torn or broken."""
    jute = Jute(stream, path)
    magic, version = jute.take(4), jute.int32()
    jute.int64()
    if magic != MAGIC or version != VERSION:
        raise jute.refusal(f"expected a log of version {VERSION}, found {magic!r} of version {version}")
    while body := _next(jute):
        inner = Jute(BytesIO(body), path)
        inner.int64(), inner.int32()
        zxid, at_ms, kind = inner.int64(), inner.int64(), inner.int32()
        yield from (node for node in _changes(inner, kind, zxid, at_ms) if wanted(node.path))


def _next(jute: Jute) -> bytes:
    """The bytes of the next change; none at the end, where the file stops or is empty from here on."""
    if not any(jute.ahead(HEAD_BYTES)):
        return b""
    checksum, body = jute.int64(), jute.buffer() or b""
    if zlib.adler32(body) != checksum or jute.take(1) != END_OF_RECORD:
        raise jute.refusal("the checksum is another than that of the change before it")
    return body


def _changes(jute: Jute, kind: int, zxid: int, at_ms: int) -> Iterator[Node]:
    """What a change does to nodes; a multi does several things at once."""
    if kind in CREATES:
        yield Node(jute.text(), jute.buffer(), zxid, at_ms, at_ms)
    elif kind == SET_DATA:
        yield Node(jute.text(), jute.buffer(), zxid, at_ms, None)
    elif kind in DELETES:
        yield Node(jute.text(), None, zxid, at_ms, None, is_deleted=True)
    elif kind == MULTI:
        count = jute.int32()
        if not 0 <= count <= MOST_IN_ONE:
            raise jute.refusal(f"expected a number of changes, found {count}")
        for _ in range(count):
            of_kind, body = jute.int32(), jute.buffer() or b""
            yield from _changes(Jute(BytesIO(body), jute.path), of_kind, zxid, at_ms)
