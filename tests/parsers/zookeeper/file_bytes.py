"""Files of ZooKeeper, made byte by byte.

Only the encoding belongs here. What must be read of it is in the tests.
"""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

ACLS = struct.pack(">iqii", 1, 1, 1, 31) + struct.pack(">i5si6s", 5, b"world", 6, b"anyone")
RIGHTS = struct.pack(">ii", 1, 31) + struct.pack(">i5si6s", 5, b"world", 6, b"anyone")
CREATE, DELETE, SET_DATA, MULTI, CREATE_SESSION, CLOSE_SESSION = 1, 2, 5, 14, -10, -11
SESSION = 9
EXPIRED = 0
"""The number of a request that no client sent."""


def text(value: str | bytes) -> bytes:
    """Bytes behind their length."""
    raw = value.encode() if isinstance(value, str) else value
    return struct.pack(">i", len(raw)) + raw


def snapshot(nodes: Mapping[str, tuple[Any, ...]]) -> bytes:
    """A snapshot with one session, one list of rights and nodes.

    Each has data, zxid and time, and maybe its version, the session that it goes with, and the zxid of its creation.
    """
    head = struct.pack(">4siq", b"ZKSN", 2, -1) + struct.pack(">iqi", 1, 7, 6000) + ACLS
    body = b"".join(_node(path, *node) for path, node in {"": (None, 0, 0), **nodes}.items())
    content = head + body + text("/")
    return content + struct.pack(">q", zlib.adler32(content)) + text("/")


def _node(  # noqa: PLR0917 - as they follow each other in the file
    path: str, data: bytes | None, zxid: int, at_ms: int, version: int = 0, session: int = 0, created: int = 1
) -> bytes:
    stat = struct.pack(">qqqqqiiiqq", 1, created, zxid, 5, at_ms, version, 0, 0, session, 1)
    return text(path) + (struct.pack(">i", -1) if data is None else text(data)) + stat


def log(changes: Iterable[tuple[Any, ...]]) -> bytes:
    """A transaction log of changes (zxid, time, kind, body), with zeros behind it, as it is made in advance.

    A change may have its session behind these, and the number of the client's request.
    """
    return struct.pack(">4siq", b"ZKLG", 2, 0) + b"".join(_entry(*change) for change in changes) + bytes(64)


def _entry(  # noqa: PLR0917 - as they follow each other in the file
    zxid: int, at_ms: int, kind: int, body: bytes, session: int = SESSION, request: int = 3
) -> bytes:
    inner = struct.pack(">qiqqi", session, request, zxid, at_ms, kind) + body
    return struct.pack(">q", zlib.adler32(inner)) + text(inner) + b"B"


def create(path: str, data: bytes, *, is_ephemeral: bool = False) -> bytes:
    """The body of a create, with what follows path and data."""
    return text(path) + text(data) + RIGHTS + bytes([is_ephemeral]) + struct.pack(">i", 1)


def set_data(path: str, data: bytes, version: int = 1) -> bytes:
    """The body of a setData, which makes this version of the node."""
    return text(path) + text(data) + struct.pack(">i", version)


def multi(*parts: tuple[int, bytes]) -> bytes:
    """The body of a multi, from the kind and body of each part."""
    return struct.pack(">i", len(parts)) + b"".join(struct.pack(">i", kind) + text(body) for kind, body in parts)
