"""The replay of a task's partitions: read their new records, pass each one's to every projection, write the rows.

Put here the work of one task. Which partitions are replayed is decided in `assets.reconstruct.plan`.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from assets.reconstruct.checkpoint import CHECKPOINTS, Checkpoint, read_checkpoint, release
from assets.reconstruct.file_names import Rows
from assets.reconstruct.projections import PROJECTIONS, STORE_PROJECTIONS
from assets.reconstruct.raw_records import RawRecords, StoreRows
from assets.reconstruct.row_groups import new_pieces_of
from assets.storage.parquet_files import TableFiles
from assets.transforms.log_chunks import Reader
from assets.transforms.topic_names import external_names
from parsers.errors import LagbookError
from parsers.files.discovery import OFFSETS_TOPIC

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from assets.reconstruct.file_names import Place
    from assets.reconstruct.plan import Job
    from assets.reconstruct.row_groups import Piece
    from assets.reconstruct.topic_id_facts import Names
    from assets.storage.data_files import DataFile
    from assets.transforms.log_chunks import Spans
    from assets.transforms.projection import Tables

BATCH_ROWS: Final = 128 * 1024
_PARTITION: Final = "partition {1.log_partition} of {0} of cluster {1.cluster}"


class ReplayError(LagbookError):
    """The records of one partition made a projection fail; other partitions do not depend on it."""


class LogFacts(NamedTuple):
    """What others than the log of a partition tell of it."""

    names: Names = ()
    """What topic ids are called."""
    damaged: Spans = ()
    """The offsets of which something was set aside."""


def work(jobs: Sequence[Job], facts: Sequence[LogFacts], folders: Mapping[str, str], attempt: int) -> dict[str, Any]:
    """Replay the partitions of a task: of each the files that it became, or why it could not be replayed, as JSON."""
    stores = [job for job in jobs if job.place.is_store]
    records = _raw_records([job for job in jobs if not job.place.is_store]), StoreRows(_pieces(stores))
    results = [
        _result(job, records[job.place.is_store], folders, attempt, known)
        for job, known in zip(jobs, facts, strict=True)
    ]
    return {"partitions": results}


def _raw_records(jobs: Sequence[Job]) -> RawRecords:
    return RawRecords(_pieces(jobs), {job.place: job.next_offset for job in jobs})


def _pieces(jobs: Sequence[Job]) -> dict[Place, list[Piece]]:
    """The new pieces of some partitions or stores."""
    next_offsets = {job.place: job.next_offset for job in jobs}
    uris = dict.fromkeys(uri for job in jobs for uri in job.raw_uris)
    return new_pieces_of([*uris], next_offsets)


def _result(
    job: Job, records: RawRecords | StoreRows, folders: Mapping[str, str], attempt: int, facts: LogFacts
) -> dict[str, Any]:
    """The files of a partition, or the reason why it could not be replayed."""
    try:
        written = _replay(job, records, folders, attempt, facts)
    except ReplayError as error:
        return {"files": [], "failures": {job.place.tag: str(error)}}
    return {"files": [{"table": name, **asdict(file)} for name, file in written], "failures": {}}


def _replay(
    job: Job, records: RawRecords | StoreRows, folders: Mapping[str, str], attempt: int, facts: LogFacts
) -> list[tuple[str, DataFile]]:
    """Replay a partition; returns the files with its rows and its checkpoint, each with its table."""
    checkpoint = read_checkpoint(job.checkpoint_uri) if job.checkpoint_uri else Checkpoint(job.place)
    kinds = STORE_PROJECTIONS if job.place.is_store else PROJECTIONS
    projections = {name: kind.resume(checkpoint.projections.get(name, {})) for name, kind in kinds.items()}
    named = external_names(facts.names)
    reader = Reader(checkpoint.next_offset, checkpoint.whole_since, checkpoint.record_count, named, facts.damaged)
    end = records.end_offset(job.place) or job.next_offset
    final, open_rows = (Rows(job.place.tag, kind, job.next_offset, end).file_name(attempt) for kind in (True, False))
    with _naming_the_records(job.place, reader):
        with TableFiles(folders, final) as files:
            for chunk in records.chunks(job.place, reader):
                for projection in projections.values():
                    _write(files, job.place, projection.replay(chunk))
        with TableFiles(folders, open_rows) as files_of_open_rows:
            for projection in projections.values():
                _write(files_of_open_rows, job.place, projection.open_rows())
        states = {name: projection.memory() for name, projection in projections.items()}
        checkpoint_after = Checkpoint(
            job.place, reader.next_offset, reader.whole_since, reader.record_count, release(), states
        )
        checkpoint_file = checkpoint_after.write(f"{folders[CHECKPOINTS.full_name]}/{final}.parquet")
    return [*files.written(), *files_of_open_rows.written(), (CHECKPOINTS.full_name, checkpoint_file)]


@contextmanager
def _naming_the_records(place: Place, reader: Reader) -> Iterator[None]:
    """Add the offsets of the records to an error that they cause; errors of stores and memory pass unchanged."""
    try:
        yield
    except (OSError, MemoryError, LagbookError):
        raise
    except Exception as error:
        log = place.name if place.is_store else _PARTITION.format(OFFSETS_TOPIC, place)
        raise ReplayError(
            f"{log} can't be replayed: its "
            f"records from log offset {reader.begun_at} to {reader.next_offset} cause {type(error).__name__}: {error}"
        ) from error


def _write(files: TableFiles, place: Place, tables: Tables) -> None:
    for name, rows in tables.items():
        for batch in rows.combine_chunks().to_batches(max_chunksize=BATCH_ROWS):
            files.write(name, batch, place._asdict())
