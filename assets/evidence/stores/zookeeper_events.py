"""What ZooKeeper's files say of members, owners, topics and the ends of sessions: bytes that bear out rows of events.

Put here which bytes they are, and what they say when they are decoded again. Which events a pack has is decided by
`assets.evidence.packed_rows`.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from blake3 import blake3

from assets.catalog.raw.external import ZOOKEEPER_EVENTS
from assets.evidence.stores.zookeeper_files import zookeeper_paths
from assets.ingest.read_history import INSIDE
from assets.ingest.stores.archive import EXTERNAL
from assets.ingest.stores.zookeeper import ROOT
from parsers.errors import SourceError
from parsers.zookeeper.event_nodes import EVENT_NODES, node_events
from parsers.zookeeper.files import changes_of, read_unpacked
from parsers.zookeeper.pieces import node_end, read_nodes, read_transaction, transaction_end
from parsers.zookeeper.positions import LARGEST_ZXID, PLACE_BITS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from assets.evidence.claim_scope import ClaimScope
    from parsers.words import ByteArray
    from parsers.zookeeper.changes import FileChanges

FACTS: Final[Mapping[str, type]] = {"member": str, "path": str, "size_bytes": int, "blake3": str, "positions": list}
"""What has to be known of the bytes of a file, beside the zxid of a snapshot."""
_COLUMNS: Final = (
    *("group_id", "topic", "topic_id", "partition", "member_id", "thread_id", "session_id", "timestamp_ms"),
    "batch_base_offset",
)
_POSITIONS: Final = ("log_offset", "from_log_offset")
_OF_SNAPSHOTS: Final = "_present"
"""The end of the names of such events."""
_ENDS: Final = frozenset({"session_closed", "session_expired"})
_OF_FILES: Final = frozenset({"transactions_read", "snapshot_taken"})


class Event(NamedTuple):
    """What an event says: all that has to be equal of the bytes and of a row."""

    event: str
    zxid: int
    columns: tuple[Any, ...]


class EventFile(NamedTuple):
    """Transactions of a log, or nodes of a snapshot, one behind the other, and where each stands."""

    path: str
    zxid: int | None
    """Of a snapshot the one of its name."""
    positions: tuple[int, ...]
    content: bytes

    def as_json(self, member: str, named: Callable[[str], str]) -> dict[str, Any]:
        """All of it but the bytes, with their name in a pack and that of the file."""
        facts = {"path": named(self.path), "snapshot_zxid": self.zxid, "positions": list(self.positions)}
        digests = {"size_bytes": len(self.content), "blake3": blake3(self.content).hexdigest()}
        return {**facts, **digests, "member": member}


@dataclass(frozen=True, slots=True)
class EventScope:
    """The events that bytes have to bear out: those of a group, of topics, and of the sessions that these name."""

    root: str
    group_id: str
    topics: frozenset[str]
    sessions: frozenset[int]

    def has(self, row: Mapping[str, Any]) -> bool:
        """Whether an event is one of these."""
        if row["event"] in _ENDS:
            return row["session_id"] in self.sessions
        if row["group_id"] is not None:
            return bool(row["group_id"] == self.group_id)
        return row["event"] not in _OF_FILES and row["topic"] in self.topics

    def of(self, rows: pa.Table) -> Counter[Event]:
        """The events of a table that are in the scope, as often as each is there."""
        return Counter(_event(row) for row in rows.to_pylist() if self.has(row))


def events_of_store(scope: ClaimScope, rows: Mapping[str, pa.Table]) -> pa.Table:
    """The events of the store that a claim is about: none where that is not ZooKeeper."""
    events = rows[ZOOKEEPER_EVENTS.full_name]
    return events.filter(pc.equal(events["log_partition"], scope.log_partition))


def event_scope_of(scope: ClaimScope, rows: Mapping[str, pa.Table]) -> EventScope:
    """The scope of the rows of a claim, with the sessions that they name."""
    commits, events = rows[EXTERNAL], events_of_store(scope, rows)
    own = events.filter(pc.is_valid(events["group_id"]))
    sessions = {*own["session_id"].to_pylist(), *commits["session_id"].to_pylist()} - {None, 0}
    store = next(iter(events["store"].to_pylist()), ROOT)
    return EventScope("" if store == ROOT else store, scope.group_id, frozenset(scope.topics), frozenset(sessions))


def _event(row: Mapping[str, Any]) -> Event:
    """What a row says; of positions in a snapshot the zxid, for their places follow from all other nodes of it."""
    bits = PLACE_BITS if row["event"].endswith(_OF_SNAPSHOTS) else 0
    positions = (None if row[name] is None else row[name] >> bits for name in _POSITIONS)
    topics = None if row["subscribed_topics"] is None else tuple(row["subscribed_topics"])
    columns = (*(row[name] for name in _COLUMNS), topics, *positions)
    return Event(row["event"], row["log_offset"] >> PLACE_BITS, columns)


def cite(rows: pa.Table, scope: EventScope, places: Sequence[str]) -> list[EventFile]:
    """The bytes that bear out events, each from the first file that has them."""
    wanted = scope.of(rows)
    read_from = (path for path in rows["source_file"].unique().to_pylist() if INSIDE not in path)
    files: list[EventFile] = []
    left = set(wanted)
    for path in dict.fromkeys(path for place in [*places, *read_from] for path in zookeeper_paths(place)):
        with suppress(SourceError):
            file = _file(path, left, scope)
            borne_out = set(events_in(file, scope)) if file.positions else set()
            files += [file] if borne_out else []
            left -= borne_out
    return files


def _file(path: str, wanted: set[Event], scope: EventScope) -> EventFile:
    """The pieces of a file that say wanted events, and nothing of the scope that is not wanted."""
    content = read_unpacked(path)
    changes = changes_of(path, content, EVENT_NODES)
    pieces = list(_pieces(path, content, changes, {event.zxid for event in wanted}, scope))
    whole = _joined(path, changes.snapshot_zxid, pieces)
    if set(events_in(whole, scope)) <= wanted:
        return whole
    by_piece = ((one, set(events_in(one, scope))) for one in pieces)
    return _joined(path, changes.snapshot_zxid, [one for one, events in by_piece if events and events <= wanted])


def _joined(path: str, zxid: int | None, pieces: Sequence[EventFile]) -> EventFile:
    positions = tuple(at for one in pieces for at in one.positions)
    return EventFile(path, zxid, positions, b"".join(one.content for one in pieces))


def _pieces(
    path: str, content: ByteArray, changes: FileChanges, zxids: set[int], scope: EventScope
) -> Iterator[EventFile]:
    """Every transaction with one of these zxids, or every node that a snapshot with one has of the scope."""
    zxid = changes.snapshot_zxid
    if zxid is None:
        ends = changes.session_ends
        of_sessions = pc.is_in(ends["session_id"], pa.array(scope.sessions, pa.int64()))
        rows, end_of = [changes.changes, ends.filter(of_sessions)], transaction_end
        rows = [one.filter(pc.is_in(one["zxid"], pa.array(zxids, pa.int64()))) for one in rows]
    else:
        rows, end_of = [_of_scope(changes.changes, scope, zxid)] if zxid in zxids else [], node_end
    for at in sorted({position for one in rows for position in one["position"].to_pylist()}):
        yield EventFile(path, zxid, (at,), content[at : end_of(content, at)].tobytes())


def _of_scope(rows: pa.Table, scope: EventScope, zxid: int) -> pa.Table:
    """The nodes of a snapshot that are of the group or of the topics, and were there when it was begun."""
    group = f"{scope.root}/consumers/{scope.group_id}"
    nodes = [group, *(f"{scope.root}/brokers/topics/{topic}" for topic in scope.topics)]
    paths = rows["path"].cast(pa.string())
    is_mine = pc.or_(pc.is_in(paths, pa.array(nodes)), pc.starts_with(paths, f"{group}/"))
    return rows.filter(pc.and_(is_mine, pc.less_equal(rows["created_zxid"], zxid)))


def events_in(file: EventFile, scope: EventScope) -> Counter[Event]:
    """The events of the scope that the bytes of a file say; none of bytes that can't be read whole."""
    changes = _changes(file)
    if changes.troubles:
        return Counter()
    rows = node_events({file.path: changes}, [scope.root])[scope.root]
    return Counter(_event(row) for row in rows.to_pylist() if scope.has(row))


def _changes(file: EventFile) -> FileChanges:
    if file.zxid is None:
        return read_transaction(file.content, EVENT_NODES)
    return read_nodes(file.content, len(file.positions), EVENT_NODES)._replace(snapshot_zxid=file.zxid)


def is_citation_of_events(file: Any) -> bool:  # noqa: ANN401 - any JSON
    """Whether a pack says all of the bytes of a file that has to be known."""
    if not isinstance(file, dict) or not all(isinstance(file.get(name), kind) for name, kind in FACTS.items()):
        return False
    zxid = file.get("snapshot_zxid")
    is_known = zxid is None or (isinstance(zxid, int) and 0 <= zxid <= LARGEST_ZXID)
    return is_known and all(isinstance(position, int) for position in file["positions"])


def contradictions(
    described: Mapping[str, Any], content: bytes, wanted: Counter[Event], scope: EventScope
) -> Iterator[str]:
    """Where the bytes of a file and the rows of events say different things."""
    actual = {"size_bytes": len(content), "blake3": blake3(content).hexdigest()}
    for name in (one for one in actual if actual[one] != described[one]):
        yield f"{described['member']}: {name}: expected {described[name]}, found {actual[name]}"
    file = file_of(described, content)
    for trouble in _changes(file).troubles:
        yield f"{described['member']}: byte {trouble.position}: expected {trouble.expected}, found {trouble.actual}"
    for event in events_in(file, scope) - wanted:
        place = f"the event {event.event} of zxid {event.zxid:#x}"
        yield f"{described['member']}: expected {place} in the rows, found none like it"


def file_of(described: Mapping[str, Any], content: bytes) -> EventFile:
    """The bytes of a file as a pack has them."""
    return EventFile(described["path"], described["snapshot_zxid"], tuple(described["positions"]), content)
