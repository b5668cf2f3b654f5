"""A node of ZooKeeper as it stood after a change.

Put here what snapshots and transaction logs both tell of a node.
"""

from __future__ import annotations

from typing import NamedTuple


class Node(NamedTuple):
    """A node's data after a change of it; without data where it was deleted."""

    path: str
    data: bytes | None
    zxid: int
    """The transaction that changed the data last."""
    changed_ms: int
    created_ms: int | None
    """None where a log tells of a change alone."""
    is_deleted: bool = False
