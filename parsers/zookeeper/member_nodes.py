"""What ZooKeeper's files tell of the members of groups: `/consumers/GROUP/ids/MEMBER`, and the owners of partitions,
`/consumers/GROUP/owners/TOPIC/PARTITION`, which go with the session of the consumer that made them.

Put here what such nodes and the ends of sessions say. Offsets belong in `offset_nodes`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from parsers.zookeeper.changes import together
from parsers.zookeeper.loops import CREATED, DELETED, STATE
from parsers.zookeeper.positions import LARGEST_ZXID, LAST_PLACE, PLACE_BITS, positions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from parsers.zookeeper.changes import FileChanges

_GROUP: Final = r"(?P<root>.*)/consumers/(?P<group_id>[^/]+)"
_OWNER: Final = r"owners/(?P<topic>[^/]+)/(?P<partition>0|[1-9][0-9]{0,8})"
MEMBER_NODES: Final = rf"(?s){_GROUP}(?:/(?P<ids>ids)(?:/(?P<member_id>[^/]+))?|/{_OWNER})?"
_OWNER_DATA: Final = r"(?s)^(?P<member_id>.+)-(?P<thread_id>[0-9]{1,9})$"
EVENTS: Final = pa.schema(
    [
        *(("log_offset", pa.int64()), ("batch_base_offset", pa.int64()), ("event", pa.string())),
        *(("group_id", pa.string()), ("topic", pa.string()), ("partition", pa.int32()), ("member_id", pa.string())),
        *(("thread_id", pa.int32()), ("subscribed_topics", pa.list_(pa.string())), ("session_id", pa.int64())),
        *(("timestamp_ms", pa.int64()), ("from_log_offset", pa.int64()), ("source_file", pa.string())),
    ]
)
NODE_EVENTS: Final = {
    "group": {CREATED: "group_created", DELETED: "group_removed"},
    "ids": {CREATED: "group_created", STATE: "group_present"},
    "member": {CREATED: "member_created", DELETED: "member_removed", STATE: "member_present"},
    "owner": {CREATED: "owner_created", DELETED: "owner_removed", STATE: "owner_present"},
}
"""What a change of such a node is called; others say nothing of members."""
LARGEST_SUBSCRIPTION: Final = 1 << 20


def member_events(files: Mapping[str, FileChanges], roots: Iterable[str]) -> dict[str, pa.Table]:
    """The events in the files of one ensemble, by root, each once; what is true of all roots stands in each.

    `roots` are those that are known besides.
    """
    nodes = {root: EVENTS.empty_table() for root in roots} | _node_events(files, [*files])
    every = pa.concat_tables([_session_ends(files), _runs(files), _snapshots(files)])
    return {root: pa.concat_tables([events, every]) for root, events in nodes.items()}


def is_of_one_ensemble(events: pa.Table) -> bool:
    """Whether no two of these events are of one zxid and of two times: zxids of different ensembles are the same."""
    timed = events.filter(events["timestamp_ms"].is_valid())
    times = timed.group_by(["batch_base_offset", "timestamp_ms"]).aggregate([])
    return times.num_rows == pc.count_distinct(timed["batch_base_offset"]).as_py()


def _node_events(files: Mapping[str, FileChanges], paths: list[str]) -> dict[str, pa.Table]:
    """The changes of nodes, by root."""
    parts = [_of_members(one) for one in files.values()]
    file = np.repeat(np.arange(len(paths)), [part.num_rows for part in parts])
    rows = together(part.drop_columns("at_zxid") for part in parts)
    at_zxid = np.concatenate([np.empty(0, np.int64), *(part["at_zxid"].to_numpy() for part in parts)])
    rows = rows.append_column("at_zxid", pa.array(at_zxid)).append_column("file", pa.array(file))
    rows = _once(rows.filter(pa.array((at_zxid >= 0) & (at_zxid <= LARGEST_ZXID))))
    names = _names(rows)
    events = _events(rows, names, paths)
    roots = names["root"].dictionary_encode().combine_chunks()
    codes, is_event = roots.indices.to_numpy(), events["event"].is_valid()
    return {
        root: events.filter(pc.and_(is_event, pa.array(codes == number)))
        for number, root in enumerate(roots.dictionary.to_pylist())
    }


def _of_members(read: FileChanges) -> pa.Table:
    """The changes of such nodes in a file, and the zxid at which each stands: all of a snapshot at that of its name.

    What a snapshot has that was created after it began may be gone again, and is in the log besides.
    """
    changes = read.changes
    coded = changes["path"].combine_chunks()
    is_mine = pc.match_substring_regex(coded.dictionary, f"^(?:{MEMBER_NODES})$").take(coded.indices)
    if read.snapshot_zxid is None:
        return changes.filter(is_mine).append_column("at_zxid", changes["zxid"].filter(is_mine))
    is_mine = pc.and_(is_mine, pc.less_equal(changes["created_zxid"], read.snapshot_zxid))
    mine = changes.filter(is_mine)
    return mine.append_column("at_zxid", pa.array(np.full(mine.num_rows, read.snapshot_zxid)))


def _once(rows: pa.Table) -> pa.Table:
    """One row per node, kind and transaction."""
    path, kind = rows["path"].combine_chunks().indices.to_numpy(), rows["kind"].to_numpy()
    zxid, file = rows["at_zxid"].to_numpy(), rows["file"].to_numpy()
    order = np.lexsort([file, kind, zxid, path])
    is_first = np.ones(order.size, np.bool_)
    is_first[1:] = np.any([column[order][1:] != column[order][:-1] for column in (path, zxid, kind)], axis=0)
    return rows.take(pa.array(order[is_first]))


def _names(rows: pa.Table) -> pa.Table:
    """The names in the path of each row; an empty one where the path has none."""
    coded = rows["path"].combine_chunks()
    parts = pc.extract_regex(coded.dictionary, f"^(?:{MEMBER_NODES})$")
    names = ("root", "group_id", "ids", "member_id", "topic", "partition")
    return pa.table({name: pc.struct_field(parts, name).take(coded.indices) for name in names})


def _events(rows: pa.Table, names: pa.Table, paths: list[str]) -> pa.Table:
    """The rows with the columns of `EVENTS`; `event` is NULL where nothing is said of members."""
    is_owner, is_member = pc.not_equal(names["topic"], ""), pc.not_equal(names["member_id"], "")
    is_ids = pc.equal(names["ids"], "ids")
    node = pc.case_when(pc.make_struct(is_owner, is_member, is_ids), "owner", "member", "ids", "group")
    zxid, codes = rows["at_zxid"].to_numpy(), rows["path"].combine_chunks()
    kinds = zip(node.to_pylist(), rows["kind"].to_pylist(), strict=True)
    created = pc.fill_null(rows["created_zxid"], 0).to_numpy()
    owner_data = pc.extract_regex(_texts(rows["data"]), _OWNER_DATA)
    is_deleted = pc.equal(rows["kind"], DELETED)
    session = pc.if_else(pc.equal(rows["ephemeral_owner"], 0), None, rows["ephemeral_owner"])
    columns = {
        "log_offset": pa.array(positions(codes, zxid)),
        "batch_base_offset": pa.array(zxid << PLACE_BITS),
        "event": pa.array([NODE_EVENTS[name].get(kind) for name, kind in kinds], pa.string()),
        "group_id": names["group_id"],
        "topic": _or_null(names["topic"], is_owner),
        "partition": _or_null(names["partition"], is_owner).cast(pa.int32()),
        "member_id": pc.coalesce(
            _or_null(names["member_id"], is_member), _or_null(pc.struct_field(owner_data, "member_id"), is_owner)
        ),
        "thread_id": _or_null(pc.struct_field(owner_data, "thread_id"), is_owner).cast(pa.int32()),
        "subscribed_topics": _subscriptions(rows["data"], is_member),
        "session_id": pc.if_else(is_deleted, rows["session_id"], session),
        "timestamp_ms": pc.if_else(pc.equal(rows["kind"], STATE), None, rows["changed_ms"]),
        "from_log_offset": pa.array(positions(codes, np.clip(created, 0, LARGEST_ZXID)), mask=created <= 0),
        "source_file": pa.array(paths, pa.string()).take(pa.array(rows["file"].to_numpy())),
    }
    return pa.table([columns[name] for name in EVENTS.names], schema=EVENTS)


def _or_null(column: pa.ChunkedArray, is_known: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.if_else(is_known, column, None)


def _texts(data: pa.ChunkedArray) -> pa.ChunkedArray:
    """The data as text; NULL where they are none, in a new table of texts, since few are alike."""
    return pa.chunked_array([pa.array(map(_text, data.to_pylist()), pa.string())])


def _text(data: bytes | None) -> str | None:
    try:
        return None if data is None else data.decode()
    except UnicodeDecodeError:
        return None


def _subscriptions(data: pa.ChunkedArray, is_member: pa.ChunkedArray) -> pa.Array:
    """The topics that members subscribed; NULL where the data are not those that Kafka writes since 0.8."""
    both = zip(data.to_pylist(), is_member.to_pylist(), strict=True)
    return pa.array([_topics(one) if mine else None for one, mine in both], pa.list_(pa.string()))


def _topics(data: bytes | None) -> list[str] | None:
    try:
        content: Any = json.loads((data or b"")[:LARGEST_SUBSCRIPTION])
    except (ValueError, RecursionError):
        return None
    topics = content.get("subscription") if isinstance(content, dict) else None
    return sorted(topics) if isinstance(topics, dict) else None


def _session_ends(files: Mapping[str, FileChanges]) -> pa.Table:
    """The ends of sessions, each once."""
    ends: dict[tuple[int, int], dict[str, Any]] = {}
    for path, read in files.items():
        for row in read.session_ends.to_pylist():
            event = "session_expired" if row["is_expired"] else "session_closed"
            known = {"session_id": row["session_id"], "timestamp_ms": row["changed_ms"], "source_file": path}
            ends.setdefault((row["zxid"], row["session_id"]), _row(row["zxid"], 0, event, **known))
    return pa.Table.from_pylist([row for (zxid, _), row in ends.items() if 0 <= zxid <= LARGEST_ZXID], EVENTS)


def _runs(files: Mapping[str, FileChanges]) -> pa.Table:
    """From which transaction to which files have all: a row at the last of each run."""
    return pa.Table.from_pylist([*_run_rows(files)], EVENTS)


def _run_rows(files: Mapping[str, FileChanges]) -> Iterator[dict[str, Any]]:
    for path, read in files.items():
        for first, last in read.runs:
            if 0 <= first <= last <= LARGEST_ZXID:
                begin = first << PLACE_BITS
                yield _row(last, LAST_PLACE, "transactions_read", from_log_offset=begin, source_file=path)


def _snapshots(files: Mapping[str, FileChanges]) -> pa.Table:
    zxids = ((path, read.snapshot_zxid) for path, read in files.items())
    rows = [_row(zxid, LAST_PLACE, "snapshot_taken", source_file=path) for path, zxid in zxids if zxid is not None]
    return pa.Table.from_pylist(rows, EVENTS)


def _row(zxid: int, place: int, event: str, **known: Any) -> dict[str, Any]:  # noqa: ANN401 - the columns of an event
    base = zxid << PLACE_BITS
    return {"log_offset": base + place, "batch_base_offset": base, "event": event, **known}
