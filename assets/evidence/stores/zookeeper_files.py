"""Commits in files of ZooKeeper: the transaction of a log, or the node of a snapshot, that each is in.

Put here which bytes bear out a commit. How they are parsed belongs in `parsers.zookeeper`.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc

from assets.evidence.stores.piece import Piece, StoreFormat
from assets.ingest.stores.zookeeper import ROOT
from parsers.errors import SourceError
from parsers.zookeeper.files import changes_of, find_zookeeper_files, is_zookeeper_file, read_unpacked
from parsers.zookeeper.loops import STATE
from parsers.zookeeper.offset_nodes import OFFSET_NODES, offset_nodes
from parsers.zookeeper.pieces import node_end, read_node, read_transaction, transaction_end
from parsers.zookeeper.positions import PLACE_BITS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from assets.evidence.stores.piece import Candidates, Row
    from parsers.words import ByteArray
    from parsers.zookeeper.changes import FileChanges

TRANSACTION, NODE = "transaction", "node"
UNCHECKED: Final = (
    "whether others came before a commit (is_sampled); which transactions were read, and at which one a snapshot was "
    "begun, which is the name of its file (transactions_read and snapshot_taken in raw.zookeeper_events); and that a "
    "node of a snapshot is whole, for it has no checksum of its own, as a transaction has"
)
_COLUMNS: Final = (
    *("batch_base_offset", "group_id", "topic", "partition", "committed_offset", "timestamp_ms", "version"),
    *("metadata", "session_id"),
)
"""What a transaction or a node says of a commit, by itself."""


def candidates(places: Sequence[str], rows: Mapping[int, Row]) -> Candidates:
    """The transactions and nodes of each row's zxid, of every file that has them."""
    by_zxid: dict[int, list[int]] = defaultdict(list)
    for log_offset in rows:
        by_zxid[log_offset >> PLACE_BITS].append(log_offset)
    for path in dict.fromkeys(path for place in places for path in zookeeper_paths(place)):
        with suppress(SourceError):
            for zxid, piece in _pieces(path, [*by_zxid]):
                yield from ((log_offset, (piece,)) for log_offset in by_zxid[zxid])


def zookeeper_paths(place: str) -> list[str]:
    """A file of ZooKeeper's, or those in and below a folder."""
    if is_zookeeper_file(place):
        return [place]
    try:
        return [one.path for one in find_zookeeper_files(place)]
    except SourceError:
        return []


def _pieces(path: str, zxids: Sequence[int]) -> Iterator[tuple[int, Piece]]:
    """The transactions and nodes of these zxids in a file."""
    content = read_unpacked(path)
    changes = changes_of(path, content, OFFSET_NODES).changes
    mine = changes.filter(pc.is_in(changes["zxid"], pa.array(zxids, pa.int64()))).select(["zxid", "kind", "position"])
    for row in mine.group_by(["zxid", "kind", "position"]).aggregate([]).sort_by("position").to_pylist():
        yield row["zxid"], _piece(path, content, row["position"], is_node=row["kind"] == STATE)


def _piece(path: str, content: ByteArray, start: int, *, is_node: bool) -> Piece:
    end = (node_end if is_node else transaction_end)(content, start)
    return Piece(NODE if is_node else TRANSACTION, path, start, content[start:end].tobytes())


def complaints(row: Row, pieces: Sequence[Piece]) -> Iterator[str]:
    """What a transaction or a node says otherwise than a row."""
    if len(pieces) != 1 or pieces[0].role not in {TRANSACTION, NODE}:
        yield "expected one transaction or node, found something else"
        return
    read = read_node if pieces[0].role == NODE else read_transaction
    changes = read(pieces[0].content, OFFSET_NODES)
    for trouble in changes.troubles:
        yield f"byte {trouble.position}: expected {trouble.expected}, found {trouble.actual}"
    decoded = _decoded(pieces[0].path, changes, row)
    if decoded is None:
        yield f"expected the commit of {row['group_id']!r} at position {row['log_offset']}, found none"
        return
    for name in _COLUMNS:
        if decoded[name] != row[name]:
            yield f"{name}: expected {decoded[name]!r} of the bytes, found {row[name]!r}"


def _decoded(path: str, changes: FileChanges, row: Row) -> Row | None:
    """The commit at a row's position, as the bytes have it."""
    commits = offset_nodes({path: changes}).commits.get("" if row["store"] == ROOT else row["store"])
    if commits is None:
        return None
    rows = commits.filter(pc.equal(commits["log_offset"], row["log_offset"])).to_pylist()
    return rows[0] if rows else None


def _place_of(path: str) -> str:
    return path


FORMAT: Final = StoreFormat(candidates, complaints, _place_of, UNCHECKED)
