"""One transaction of a log, or one node of a snapshot, by itself: where it ends, and what it says.

Put here what needs no more than these bytes. How they follow one another in a file belongs in `transactions` and
`snapshots`.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

import numpy as np

from parsers.log.damage.quarantine import Trouble
from parsers.spans import frozen
from parsers.words import big32
from parsers.zookeeper.changes import FileChanges, together, wanted_changes
from parsers.zookeeper.loops import COLUMNS, END, HEAD_BYTES, STAT_BYTES, walk_nodes
from parsers.zookeeper.transactions import FORMAT, HEADER, MAGIC, read_transactions

if TYPE_CHECKING:
    from parsers.words import ByteArray

_END: Final = struct.pack(">i", 1) + b"/"
"""The path that ends the nodes of a snapshot."""
_BEHIND: Final = bytes(4)
"""So many bytes of a checksum follow it at least."""


def transaction_end(content: ByteArray, start: int) -> int:
    """Where a transaction ends: behind its last byte, which is no part of its length."""
    return start + HEAD_BYTES + int(big32(content, start + HEAD_BYTES - 4)) + 1


def node_end(content: ByteArray, start: int) -> int:
    """Where a node of a snapshot ends."""
    data = start + 4 + int(big32(content, start))
    return data + 4 + max(int(big32(content, data)), 0) + STAT_BYTES


def read_transaction(content: bytes, wanted: str) -> FileChanges:
    """The changes of nodes in the bytes of one transaction, or of several, their checksums verified."""
    log = HEADER.pack(MAGIC, FORMAT, 0) + content
    return read_transactions(frozen(np.frombuffer(log, np.uint8)), wanted)


def read_node(content: bytes, wanted: str) -> FileChanges:
    """The node in these bytes, which have no checksum of their own."""
    return read_nodes(content, 1, wanted)


def read_nodes(content: bytes, nodes: int, wanted: str) -> FileChanges:
    """So many nodes, one behind the other, which have no checksum of their own."""
    buffer, rows = frozen(np.frombuffer(content + _END + _BEHIND, np.uint8)), np.empty((nodes + 1, COLUMNS), np.int64)
    at, count, reason = walk_nodes(buffer, 0, rows)
    if (at, count, reason) != (len(content) + len(_END), nodes, END):
        trouble = Trouble(0, len(content), None, "no node", "a node: path, data and state", repr(content[:40]), b"")
        return FileChanges(together(()), (trouble,))
    return FileChanges(together([wanted_changes(buffer, rows[:count], wanted)]), ())
