"""What ZooKeeper's files tell of members of groups and owners of partitions, whose nodes go with their sessions.

Their paths are `/consumers/GROUP/ids/MEMBER` and `/consumers/GROUP/owners/TOPIC/PARTITION`; `/brokers/topics/TOPIC` is
there as long as a topic. Put here what such nodes and the ends of sessions say. Offsets belong in `offset_nodes`.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from parsers.zookeeper.changes import together
from parsers.zookeeper.loops import CREATED, DELETED, STATE
from parsers.zookeeper.positions import LARGEST_ZXID, LAST_PLACE, PLACE_BITS, positions

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from parsers.zookeeper.changes import FileChanges

_OWNER: Final = r"owners/(?P<topic>[^/]+)/(?P<partition>0|[1-9][0-9]{0,8})"
_GROUP: Final = rf"consumers/(?P<group_id>[^/]+)(?:/(?P<ids>ids)(?:/(?P<member_id>[^/]+))?|/{_OWNER})?"
EVENT_NODES: Final = rf"(?s)(?P<root>.*)/(?:{_GROUP}|brokers/topics/(?P<own_topic>[^/]+))"
_OWNER_DATA: Final = r"(?s)^(?P<member_id>.+)-(?P<thread_id>[0-9]{1,9})$"
EVENTS: Final = pa.schema(
    [
        *(("log_offset", pa.int64()), ("batch_base_offset", pa.int64()), ("event", pa.string())),
        *(("group_id", pa.string()), ("topic", pa.string()), ("topic_id", pa.string()), ("partition", pa.int32())),
        ("member_id", pa.string()),
        *(("thread_id", pa.int32()), ("subscribed_topics", pa.list_(pa.string())), ("session_id", pa.int64())),
        *(("timestamp_ms", pa.int64()), ("from_log_offset", pa.int64()), ("source_file", pa.string())),
    ]
)
NODE_EVENTS: Final = {
    "group": {CREATED: "group_created", DELETED: "group_removed"},
    "ids": {CREATED: "group_created", STATE: "group_present"},
    "member": {CREATED: "member_created", DELETED: "member_removed", STATE: "member_present"},
    "topic": {CREATED: "topic_created", DELETED: "topic_removed", STATE: "topic_present"},
    "owner": {CREATED: "owner_created", DELETED: "owner_removed", STATE: "owner_present"},
}
"""What a change of such a node is called; others say nothing of members."""
LARGEST_JSON_BYTES: Final = 1 << 20
_TOPIC_ID: Final = re.compile(r"[A-Za-z0-9_-]{22}")


def node_events(files: Mapping[str, FileChanges], roots: Iterable[str]) -> dict[str, pa.Table]:
    """The events in the files of one ensemble, by root, each once; what is true of all roots stands in each.

    `roots` are those that are known besides.
    """
    nodes = {root: EVENTS.empty_table() for root in roots} | _node_events(files, [*files])
    every = pa.concat_tables([_session_ends(files), _runs(files), _snapshots(files)])
    return {root: pa.concat_tables([events, every]) for root, events in nodes.items()}


def are_of_one_ensemble(files: Collection[FileChanges]) -> bool:
    """Whether no transaction of these logs is of two times: different ensembles count from the same zxid."""
    changes = (read.changes.filter(pc.not_equal(read.changes["kind"], STATE)) for read in files)
    tables = [rows for both in zip(changes, (read.session_ends for read in files), strict=True) for rows in both]
    zxids, times = (
        np.concatenate([np.empty(0, np.int64), *(rows[name].to_numpy() for rows in tables)])
        for name in ("zxid", "changed_ms")
    )
    order = np.argsort(zxids, kind="stable")
    is_same = zxids[order][1:] == zxids[order][:-1]
    return bool((times[order][1:] == times[order][:-1])[is_same].all())


def _node_events(files: Mapping[str, FileChanges], paths: list[str]) -> dict[str, pa.Table]:
    """The changes of nodes, by root."""
    parts = [_of_nodes(one) for one in files.values()]
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


def _of_nodes(read: FileChanges) -> pa.Table:
    """The changes of such nodes in a file, and the zxid at which each stands: all of a snapshot at that of its name.

    What a snapshot has that was created after it began may be gone again, and is in the log besides.
    """
    changes = read.changes
    coded = changes["path"].combine_chunks()
    is_mine = pc.match_substring_regex(coded.dictionary, f"^(?:{EVENT_NODES})$").take(coded.indices)
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
    parts = pc.extract_regex(coded.dictionary, f"^(?:{EVENT_NODES})$")
    names = ("root", "group_id", "ids", "member_id", "topic", "partition", "own_topic")
    return pa.table({name: pc.struct_field(parts, name).take(coded.indices) for name in names})


def _events(rows: pa.Table, names: pa.Table, paths: list[str]) -> pa.Table:
    """The rows with the columns of `EVENTS`; `event` is NULL where a change says nothing."""
    is_owner, is_member = pc.not_equal(names["topic"], ""), pc.not_equal(names["member_id"], "")
    is_ids, is_topic = pc.equal(names["ids"], "ids"), pc.not_equal(names["own_topic"], "")
    is_node = pc.make_struct(is_topic, is_owner, is_member, is_ids)
    node = pc.case_when(is_node, "topic", "owner", "member", "ids", "group")
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
        "group_id": _or_null(names["group_id"], pc.invert(is_topic)),
        "topic": pc.coalesce(_or_null(names["topic"], is_owner), _or_null(names["own_topic"], is_topic)),
        "topic_id": _values(rows["data"], is_topic, _topic_id, pa.string()),
        "partition": _or_null(names["partition"], is_owner).cast(pa.int32()),
        "member_id": pc.coalesce(
            _or_null(names["member_id"], is_member), _or_null(pc.struct_field(owner_data, "member_id"), is_owner)
        ),
        "thread_id": _or_null(pc.struct_field(owner_data, "thread_id"), is_owner).cast(pa.int32()),
        "subscribed_topics": _values(rows["data"], is_member, _topics, pa.list_(pa.string())),
        "session_id": pc.if_else(is_deleted, rows["session_id"], session),
        "timestamp_ms": pc.if_else(
            pc.equal(rows["kind"], STATE), _or_null(rows["created_ms"], is_topic), rows["changed_ms"]
        ),
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


def _values(
    data: pa.ChunkedArray, is_read: pa.ChunkedArray, read: Callable[[dict[str, Any]], Any], kind: pa.DataType
) -> pa.Array:
    """What the data of some nodes say, which are JSON since Kafka 0.8; NULL of others."""
    both = zip(data.to_pylist(), is_read.to_pylist(), strict=True)
    return pa.array([read(_json(one)) if is_wanted else None for one, is_wanted in both], kind)


def _json(data: bytes | None) -> dict[str, Any]:
    try:
        content: Any = json.loads((data or b"")[:LARGEST_JSON_BYTES])
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def _topics(content: dict[str, Any]) -> list[str] | None:
    """The topics that a member subscribed."""
    topics = content.get("subscription")
    names = sorted(topics) if isinstance(topics, dict) else None
    return names and [name.encode(errors="replace").decode() for name in names]


def _topic_id(content: dict[str, Any]) -> str | None:
    """The id of a topic, since Kafka 2.8."""
    topic_id = content.get("topic_id")
    return topic_id if isinstance(topic_id, str) and _TOPIC_ID.fullmatch(topic_id) else None


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
