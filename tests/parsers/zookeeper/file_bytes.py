"""Files of ZooKeeper, made byte by byte.

Only the encoding belongs here. What must be read of it is in the tests.
"""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

ACLS = struct.pack(">iqii", 1, 1, 1, 31) + struct.pack(">i5si6s", 5, b"world", 6, b"anyone")
CREATE, DELETE, SET_DATA, MULTI = 1, 2, 5, 14


def text(value: str | bytes) -> bytes:
    """Bytes behind their length."""
    raw = value.encode() if isinstance(value, str) else value
    return struct.pack(">i", len(raw)) + raw


def snapshot(nodes: Mapping[str, tuple[bytes | None, int, int] | tuple[bytes | None, int, int, int]]) -> bytes:
    """A snapshot with one session, one list of rights and nodes, each with data, zxid, time, and maybe its version."""
    head = struct.pack(">4siq", b"ZKSN", 2, -1) + struct.pack(">iqi", 1, 7, 6000) + ACLS
    body = b"".join(_node(path, *node) for path, node in {"": (None, 0, 0), **nodes}.items())
    content = head + body + text("/")
    return content + struct.pack(">q", zlib.adler32(content)) + text("/")


def _node(path: str, data: bytes | None, zxid: int, at_ms: int, version: int = 0) -> bytes:
    stat = struct.pack(">qqqqqiiiqq", 1, 1, zxid, 5, at_ms, version, 0, 0, 0, 1)
    return text(path) + (struct.pack(">i", -1) if data is None else text(data)) + stat


def log(changes: Iterable[tuple[int, int, int, bytes]]) -> bytes:
    """A transaction log of changes (zxid, time, kind, body), with zeros behind it, as it is made in advance."""
    return struct.pack(">4siq", b"ZKLG", 2, 0) + b"".join(_entry(*change) for change in changes) + bytes(64)


def _entry(zxid: int, at_ms: int, kind: int, body: bytes) -> bytes:
    inner = struct.pack(">qiqqi", 9, 3, zxid, at_ms, kind) + body
    return struct.pack(">q", zlib.adler32(inner)) + text(inner) + b"B"


def create(path: str, data: bytes) -> bytes:
    """The body of a create, with what follows path and data."""
    return text(path) + text(data) + struct.pack(">i", 0) + b"\0" + struct.pack(">i", 1)


def set_data(path: str, data: bytes, version: int = 1) -> bytes:
    """The body of a setData, which makes this version of the node."""
    return text(path) + text(data) + struct.pack(">i", version)


def multi(*parts: tuple[int, bytes]) -> bytes:
    """The body of a multi, from the kind and body of each part."""
    return struct.pack(">i", len(parts)) + b"".join(struct.pack(">i", kind) + text(body) for kind, body in parts)
