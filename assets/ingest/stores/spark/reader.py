"""Checkpoints among the places of a run: those that changed are read, and give the commits that are new.

Put here which checkpoints are read, and what their groups are called. What is in one belongs in
`parsers.spark_checkpoints`.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import replace
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

import pyarrow as pa

from assets.duckdb.database import in_memory
from assets.ingest.stores.archive import COMMITS, EXTERNAL, StoreRead, StoreReading, StoreTrouble, store_number
from assets.ingest.stores.owner import cluster_of_stores
from assets.ingest.stores.spark.rows import archived_plans, commit_columns
from parsers.errors import SourceError
from parsers.files.places import expand
from parsers.spark_checkpoints.checkpoint import Checkpoint, CheckpointFiles, read_checkpoint
from parsers.spark_checkpoints.checkpoint_files import find_checkpoints

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from assets.ingest.plan import Sources
    from assets.storage.warehouse import Warehouse

Given = TypeVar("Given")

KIND: Final = "spark_checkpoint"
_PLANS: Final = f"""
SELECT DISTINCT batch_base_offset, metadata FROM {EXTERNAL} WHERE cluster = $cluster AND log_partition = $number
"""  # noqa: S608 - names are ours
_LAST: Final = f"""
SELECT topic, partition, arg_max({{'value': committed_offset}}, log_offset).value
FROM {EXTERNAL} WHERE cluster = $cluster AND log_partition = $number GROUP BY ALL
"""  # noqa: S608 - names are ours
_FORKED: Final = (
    "{0}: expected the batches of {1}, another checkpoint of the query {2}, found others: that one is read, which has "
    "the newest batch; give each a name by --external-stores"
)
WHOSE: Final = "the archive has several clusters, and --cluster does not say whose it is"


class NamedCheckpoint(NamedTuple):
    """A checkpoint, and the name of its group if it was declared."""

    files: CheckpointFiles
    group: str | None

    @property
    def digest(self) -> str:
        """The same while no file of it changed."""
        listed = json.dumps([sorted(self.files.files), self.group])
        return sha256(listed.encode("utf-8", "surrogateescape")).hexdigest()[:32]


class ReadCheckpoint(NamedTuple):
    """What a checkpoint says, and the name of its store, which is its group's as well."""

    files: CheckpointFiles
    content: Checkpoint
    store: str


def changed_checkpoints(
    listed: Iterable[CheckpointFiles], sources: Sources, known: Mapping[str, str]
) -> dict[str, NamedCheckpoint]:
    """Those that are not what they were when they were read last, by their digests."""
    groups = sources.stores.checkpoints if sources.stores else {}
    by_path = {one.path: NamedCheckpoint(one, groups.get(one.path)) for one in listed}
    digests = ((by_path[path].digest, by_path[path]) for path in sorted(by_path))
    return {digest: one for digest, one in digests if known.get(one.files.path) != digest}


def declared_checkpoints(sources: Sources, complaints: list[str]) -> Iterator[CheckpointFiles]:
    """The checkpoints in the places that were declared; a place without one is complained of."""
    for place, group in sources.stores.checkpoints.items() if sources.stores else ():
        files = _attempt(partial(find_checkpoints, place), complaints)
        if files == []:
            complaints.append(f"{place}: expected a checkpoint, as declared for {group}, found none")
        yield from files or ()


def _checkpoints_at(named: str) -> list[CheckpointFiles]:
    """The checkpoints in a place of --logs; the plan reports a place that can't be listed."""
    try:
        return [one for place in expand(named) for one in find_checkpoints(place)]
    except SourceError:
        return []


def checkpoints_of(sources: Sources) -> list[NamedCheckpoint]:
    """All checkpoints of a run, for who only looks."""
    complaints = list[str]()
    listed = [one for place in sources.logs for one in _checkpoints_at(place)]
    return list(changed_checkpoints([*listed, *declared_checkpoints(sources, complaints)], sources, {}).values())


def read_checkpoints(warehouse: Warehouse, sources: Sources, known: Mapping[str, Any]) -> StoreReading:
    """The commits that are new in checkpoints that changed; one that can't be read stops no other."""
    complaints = list[str]()
    listed = [one for place in sources.logs for one in _checkpoints_at(place)]
    changed = changed_checkpoints([*listed, *declared_checkpoints(sources, complaints)], sources, known)
    if not changed:
        return StoreReading(complaints=tuple(complaints))
    cluster = cluster_of_stores(warehouse, sources.cluster)
    if cluster is None:
        return StoreReading(complaints=tuple(f"{one.files.path}: {WHOSE}" for one in changed.values()))
    read = {digest: _attempt(partial(_read, one), complaints) for digest, one in changed.items()}
    digests = {changed[digest].files.path: digest for digest, one in read.items() if one is not None}
    checkpoints = [one for one in read.values() if one is not None]
    stores = [
        _attempt(partial(_store_read, warehouse, cluster, one), complaints)
        for one in _one_of_each(checkpoints, complaints)
    ]
    troubles = (StoreTrouble(cluster, path, trouble) for one in checkpoints for path, trouble in one.content.troubles)
    return StoreReading(
        tuple(one for one in stores if one is not None), {**known, **digests}, tuple(complaints), tuple(troubles)
    )


def _attempt(read: Callable[[], Given], complaints: list[str]) -> Given | None:
    """What is read; None, and a complaint, where it can't be."""
    try:
        return read()
    except SourceError as error:
        complaints.append(str(error))
        return None


def _read(one: NamedCheckpoint) -> ReadCheckpoint:
    content = read_checkpoint(one.files)
    return ReadCheckpoint(one.files, content, one.group or content.query_id or one.files.path)


def _one_of_each(checkpoints: Sequence[ReadCheckpoint], complaints: list[str]) -> Iterator[ReadCheckpoint]:
    """One checkpoint of each store, with the batches of all its copies; one that went on differently is left out."""
    by_store: dict[str, list[ReadCheckpoint]] = defaultdict(list)
    for one in sorted(checkpoints, key=_newest_ms, reverse=True):
        by_store[one.store].append(one)
    return (_together(newest, others, complaints) for newest, *others in by_store.values())


def _together(newest: ReadCheckpoint, others: Sequence[ReadCheckpoint], complaints: list[str]) -> ReadCheckpoint:
    """The newest of several copies, with the batches of those that agree with it."""
    batches = {one.number: one for one in newest.content.complete}
    for other in others:
        its = {one.number: one for one in other.content.complete}
        if any(its[number].planned_ms != batches[number].planned_ms for number in its.keys() & batches.keys()):
            complaints.append(_FORKED.format(other.files.path, newest.files.path, newest.store))
        else:
            batches = its | batches
    complete = tuple(batches[number] for number in sorted(batches))
    return newest._replace(content=replace(newest.content, complete=complete))


def _newest_ms(one: ReadCheckpoint) -> int:
    return max((batch.planned_ms or 0 for batch in one.content.complete), default=0)


def _store_read(warehouse: Warehouse, cluster: str, one: ReadCheckpoint) -> StoreRead:
    """The new commits of a checkpoint."""
    parameters = {"cluster": cluster, "number": store_number(KIND, one.store)}
    with in_memory(warehouse, [EXTERNAL]) as connection:
        archived = archived_plans(connection.execute(_PLANS, parameters).fetchall())
        rows = connection.execute(_LAST, parameters).fetchall()
    last = {(topic, partition): offset for topic, partition, offset in rows if offset is not None}
    columns = commit_columns(one.content.complete, archived, last)
    columns["group_id"] = [one.store] * len(columns["log_offset"])
    columns |= {name: [None] * len(columns["log_offset"]) for name in ("version", "session_id")}
    return StoreRead(cluster, KIND, one.store, pa.table({name: columns[name] for name in COMMITS.names}, COMMITS))
