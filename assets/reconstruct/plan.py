"""The partitions to replay, and from where: those with new records, from their checkpoints.

Put here the decision. It is carried out in `assets.reconstruct.reconstruct`.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, NamedTuple

from assets.reconstruct.checkpoint import CHECKPOINTS, Checkpoint, read_checkpoint, release
from assets.reconstruct.raw_records import count_before
from assets.reconstruct.row_groups import pieces_of
from assets.storage.parquet_files import is_from_dump

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from assets.reconstruct.file_names import Place
    from assets.reconstruct.row_groups import Piece
    from assets.storage.transaction import ArchivedFile
    from assets.storage.warehouse import Warehouse

RAW_VERSIONS: Final = {
    "raw.offset_records": "raw_version",
    "raw.external_commits": "external_version",
    "raw.zookeeper_events": "zookeeper_version",
}
"""The raw tables that are replayed; by these names the note of a memory's commit has the commit that was looked at."""
END: Final = (1 << 63) - 1
TASK_ROWS: Final = 400_000
"""About the work of a task, in records."""
JOB_ROWS: Final = 10_000
"""What a partition costs whatever is new in it, in records that could be replayed meanwhile."""
TASKS_EACH: Final = 2
"""The least number of tasks for each that runs at once, if there are partitions enough."""


class LastCheckpoint(NamedTuple):
    """A checkpoint, and its file."""

    uri: str
    checkpoint: Checkpoint


@dataclass(frozen=True, slots=True)
class Job:
    """A partition to replay: its start offset, its checkpoint, and the raw files with its next records."""

    place: Place
    next_offset: int = 0
    checkpoint_uri: str | None = None
    raw_uris: tuple[str, ...] = ()
    rows: int = 0
    """The number of records to replay, at most."""


class _Now(NamedTuple):
    """The release that replays, and the changes of raw files since the last replay."""

    release: str
    is_less: bool
    """Files are gone: their rows were retired, or merged with rows that are new."""
    is_fuller: bool
    """Rows of dumps were replaced by rows of logs: the number of records is the same, their content is not."""

    @classmethod
    def of(cls, release: str, gone: frozenset[str]) -> _Now:
        """The changes by the files that are gone."""
        return cls(release, bool(gone), any(map(is_from_dump, gone)))


@dataclass(frozen=True, slots=True)
class Plan:
    """The partitions that a run has to replay, and the commit of each raw table that it covers, as the note has it."""

    jobs: tuple[Job, ...]
    raw_versions: Mapping[str, int | None]
    is_news: bool
    """Whether there is anything to note, if only that nothing new came."""


def plan(warehouse: Warehouse) -> Plan:
    """Compare the raw files with those of the last replay; a file that was merged from those has nothing new."""
    versions, now = {note: warehouse.version(name) for name, note in RAW_VERSIONS.items()}, release()
    standing = [file for name in RAW_VERSIONS for file in warehouse.file_list(name)]
    archived = [file for file in standing if file.rows]
    known = _known_files(warehouse)
    new = [file.uri for file in archived if file.uri not in known]
    gone = known - {file.uri for file in standing}
    checkpoints = {known.checkpoint.place: known for known in _checkpoints(warehouse)}
    is_current = all(known.checkpoint.release == now for known in checkpoints.values())
    if not new and not gone and is_current:
        return Plan((), versions, is_news=False)
    pieces: dict[Place, list[Piece]] = defaultdict(list)
    for piece in pieces_of(new if is_current else [file.uri for file in archived]):
        pieces[piece.place].append(piece)
    places = sorted({*pieces, *checkpoints})
    jobs = (_job(place, pieces[place], archived, checkpoints.get(place), _Now.of(now, gone)) for place in places)
    return Plan(tuple(job for job in jobs if job is not None), versions, is_news=True)


def _known_files(warehouse: Warehouse) -> frozenset[str]:
    """The raw files of the last replay, or what they were merged into."""
    note = warehouse.note(CHECKPOINTS.full_name)
    return frozenset().union(*(warehouse.files_since(name, note.get(key)) for name, key in RAW_VERSIONS.items()))


def share_out(jobs: Iterable[Job], tasks_at_once: int) -> list[list[Job]]:
    """The jobs of each task, tasks with the most work first: a small partition costs a task more than its records.

    There are at least some tasks for each that runs at once, so that none of these waits long for the others.
    """
    cost_of_job = {job: JOB_ROWS + job.rows for job in jobs}
    count = max(-(-sum(cost_of_job.values()) // TASK_ROWS), TASKS_EACH * tasks_at_once)
    shares: list[tuple[int, int, list[Job]]] = [(0, number, []) for number in range(min(count, len(cost_of_job)))]
    for job, cost in sorted(cost_of_job.items(), key=lambda item: -item[1]):
        total, number, share = shares[0]
        share.append(job)
        heapq.heapreplace(shares, (total + cost, number, share))
    return [share for _total, _number, share in sorted(shares, key=lambda share: -share[0])]


def _checkpoints(warehouse: Warehouse) -> Iterator[LastCheckpoint]:
    return (LastCheckpoint(uri, read_checkpoint(uri, whole=False)) for uri in warehouse.files(CHECKPOINTS.full_name))


def _job(
    place: Place, pieces: Sequence[Piece], archived: Sequence[ArchivedFile], known: LastCheckpoint | None, now: _Now
) -> Job | None:
    """The job of a place: None, from its checkpoint, or from the beginning if earlier records changed."""
    if known is None or known.checkpoint.release != now.release:
        return _reading(Job(place), archived)
    uri, checkpoint = known
    is_late = any(piece.first_offset < checkpoint.next_offset for piece in pieces)
    is_other = is_late and now.is_fuller
    if is_late or now.is_less:
        is_other |= _count(place, checkpoint.next_offset, archived) != checkpoint.record_count
    if is_other:
        return _reading(Job(place), archived)
    new_rows = sum(piece.rows for piece in pieces if piece.last_offset >= checkpoint.next_offset)
    if new_rows:
        return replace(_reading(Job(place, checkpoint.next_offset, uri), archived), rows=new_rows)
    return None


def _reading(job: Job, archived: Sequence[ArchivedFile]) -> Job:
    files = _files(job.place, archived, job.next_offset)
    return replace(job, raw_uris=tuple(file.uri for file in files), rows=sum(file.rows for file in files))


def _count(place: Place, before_offset: int, archived: Sequence[ArchivedFile]) -> int:
    return count_before(place, before_offset, [file.uri for file in _files(place, archived, 0)])


def _files(place: Place, archived: Sequence[ArchivedFile], from_offset: int) -> list[ArchivedFile]:
    """The raw files that may hold records of a place from an offset on."""
    bounds = {"log_partition": (place.log_partition, place.log_partition), "log_offset": (from_offset, END)}
    return [file for file in archived if file.may_hold(bounds)]
