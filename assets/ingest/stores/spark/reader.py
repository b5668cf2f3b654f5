"""Checkpoints among the places of a run: those that changed are read, and give the commits that are new.

Put here which checkpoints are read, and what their groups are called. What is in one belongs in
`parsers.spark_checkpoints`.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pyarrow as pa

from assets.duckdb.database import in_memory
from assets.ingest.stores.archive import COMMITS, EXTERNAL, StoreRead, store_number
from assets.ingest.stores.reading import SetAside, StoreReading, cluster_of_stores
from assets.ingest.stores.spark.rows import archived_plans, commit_columns
from parsers.errors import SourceError
from parsers.files.places import expand
from parsers.spark_checkpoints.checkpoint import Checkpoint, CheckpointFiles, read_checkpoint
from parsers.spark_checkpoints.checkpoint_files import find_checkpoints

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from assets.ingest.plan import Sources
    from assets.storage.warehouse import Warehouse

KIND: Final = "spark_checkpoint"
_PLANS: Final = f"""
SELECT DISTINCT batch_base_offset, metadata FROM {EXTERNAL} WHERE cluster = $cluster AND log_partition = $number
"""  # noqa: S608 - names are ours
WHOSE: Final = "the archive has several clusters, and --cluster does not say whose it is"


class NamedCheckpoint(NamedTuple):
    """A checkpoint, and the name of its group if it was declared."""

    files: CheckpointFiles
    group: str | None

    @property
    def digest(self) -> str:
        """The same while no file of it changed."""
        files = self.files
        listed = [*files.offsets.values(), *files.commits.values(), *([files.metadata] if files.metadata else [])]
        return sha256(json.dumps([sorted(listed), self.group]).encode("utf-8", "surrogateescape")).hexdigest()[:32]


class ReadCheckpoint(NamedTuple):
    """What a checkpoint says, and the name of its store, which is its group's as well."""

    files: CheckpointFiles
    content: Checkpoint
    store: str


def named_checkpoints(sources: Sources) -> list[NamedCheckpoint]:
    """The checkpoints in all places of a run, each once; the plan reports a place that can't be listed."""
    declared = dict(sources.stores.checkpoints) if sources.stores else {}
    found = {one.path: one for place in (*sources.logs, *declared) for one in _checkpoints_at(place)}
    return [NamedCheckpoint(found[path], declared.get(path)) for path in sorted(found)]


def _checkpoints_at(named: str) -> list[CheckpointFiles]:
    try:
        return [one for place in expand(named) for one in find_checkpoints(place)]
    except SourceError:
        return []


def changed_checkpoints(sources: Sources, known: Mapping[str, str]) -> dict[str, NamedCheckpoint]:
    """Those that are not what they were when they were read last, by their digests."""
    return {one.digest: one for one in named_checkpoints(sources) if known.get(one.files.path) != one.digest}


def read_checkpoints(warehouse: Warehouse, sources: Sources, known: Mapping[str, Any]) -> StoreReading:
    """The commits that are new in checkpoints that changed; one that can't be read stops no other."""
    changed = changed_checkpoints(sources, known)
    if not changed:
        return StoreReading()
    cluster, complaints = cluster_of_stores(warehouse, sources.cluster), list[str]()
    if cluster is None:
        return StoreReading(complaints=tuple(f"{one.files.path}: {WHOSE}" for one in changed.values()))
    checkpoints, digests = [], {}
    for digest, one in changed.items():
        try:
            checkpoints.append(_read(one))
            digests[one.files.path] = digest
        except SourceError as error:
            complaints.append(str(error))
    reads = []
    for checkpoint in _newest_of_each(checkpoints, complaints):
        try:
            reads.append(_store_read(warehouse, cluster, checkpoint))
        except SourceError as error:
            complaints.append(str(error))
    troubles = (SetAside(cluster, path, one) for read in checkpoints for path, one in read.content.troubles)
    return StoreReading(tuple(reads), {**known, **digests}, tuple(complaints), tuple(troubles))


def _read(one: NamedCheckpoint) -> ReadCheckpoint:
    content = read_checkpoint(one.files)
    return ReadCheckpoint(one.files, content, one.group or content.query_id or one.files.path)


def _newest_of_each(checkpoints: Iterable[ReadCheckpoint], complaints: list[str]) -> Iterator[ReadCheckpoint]:
    """One checkpoint of each store: of copies that went on differently, the one with the newest batch."""
    by_store: dict[str, ReadCheckpoint] = {}
    for one in sorted(checkpoints, key=_newest_ms, reverse=True):
        chosen = by_store.setdefault(one.store, one)
        if chosen is not one and not _plans(one).items() <= _plans(chosen).items():
            complaints.append(
                f"{one.files.path}: another checkpoint than {chosen.files.path} went on from the same query {one.store}: "
                "the latter is read, which has the newest batch; give each a name by --offset-stores"
            )
    return iter(by_store.values())


def _plans(one: ReadCheckpoint) -> dict[int, int | None]:
    return {batch.number: batch.planned_ms for batch in one.content.complete}


def _newest_ms(one: ReadCheckpoint) -> int:
    return max((batch.planned_ms or 0 for batch in one.content.complete), default=0)


def _store_read(warehouse: Warehouse, cluster: str, one: ReadCheckpoint) -> StoreRead:
    """The new commits of a checkpoint."""
    parameters = {"cluster": cluster, "number": store_number(KIND, one.store)}
    with in_memory(warehouse, [EXTERNAL]) as connection:
        archived = archived_plans(connection.execute(_PLANS, parameters).fetchall())
    columns = commit_columns(one.content.complete, archived)
    columns["group_id"] = [one.store] * len(columns["log_offset"])
    columns["version"] = [None] * len(columns["log_offset"])
    return StoreRead(cluster, KIND, one.store, pa.table({name: columns[name] for name in COMMITS.names}, COMMITS))
