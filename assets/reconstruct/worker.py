"""One partition's replay: read its new records, pass them to every subject, write the subjects' rows.

Put here one partition's replay. Which partitions are replayed is decided in `assets.reconstruct.plan`.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from assets.reconstruct.checkpoint import CHECKPOINTS, Checkpoint, read_checkpoint, release
from assets.reconstruct.file_names import Rows
from assets.reconstruct.projections import PROJECTIONS
from assets.reconstruct.raw_records import chunks
from assets.reconstruct.row_groups import new_pieces_of
from assets.storage.parquet_files import TableFiles
from assets.transforms.log_chunks import Reader
from assets.transforms.topic_names import external_names
from parsers.errors import LagbookError
from parsers.files.discovery import OFFSETS_TOPIC

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from assets.reconstruct.file_names import Place
    from assets.reconstruct.plan import Job
    from assets.reconstruct.topic_id_facts import Names
    from assets.storage.data_files import DataFile
    from assets.transforms.log_chunks import Spans
    from assets.transforms.projection import Tables

BATCH_ROWS: Final = 128 * 1024


class ReplayError(LagbookError):
    """The records of one partition made a subject fail; other partitions do not depend on it."""


def work(
    job: Job, folders: Mapping[str, str], number: int, names: Names = (), damaged: Spans = ()
) -> list[tuple[str, DataFile]]:
    """Replay a partition; returns the files with its rows and its memory, each with its table.

    `names` are what others than its log call topic ids, `damaged` the offsets of which something was set aside.
    """
    checkpoint = read_checkpoint(job.checkpoint_uri) if job.checkpoint_uri else Checkpoint(job.place)
    projections = {name: kind.resume(checkpoint.projections.get(name, {})) for name, kind in PROJECTIONS.items()}
    named = external_names(names)
    reader = Reader(checkpoint.next_offset, checkpoint.whole_since, checkpoint.record_count, named, damaged)
    pieces = new_pieces_of(job.raw_uris, job.place, checkpoint.next_offset)
    end = max((piece.last_offset + 1 for piece in pieces), default=job.next_offset)
    final, standing = (Rows(job.place.tag, kind, job.next_offset, end).file_name(number) for kind in (True, False))
    with _naming_the_records(job.place, reader):
        with TableFiles(folders, final) as files:
            for chunk in chunks(pieces, reader):
                for projection in projections.values():
                    _write(files, job.place, projection.replay(chunk))
        with TableFiles(folders, standing) as standing_files:
            for projection in projections.values():
                _write(standing_files, job.place, projection.open_rows())
        states = {name: projection.memory() for name, projection in projections.items()}
        checkpoint_after = Checkpoint(
            job.place, reader.next_offset, reader.whole_since, reader.record_count, release(), states
        )
        checkpoint_file = checkpoint_after.write(f"{folders[CHECKPOINTS.full_name]}/{final}.parquet")
    return [*files.written(), *standing_files.written(), (CHECKPOINTS.full_name, checkpoint_file)]


@contextmanager
def _naming_the_records(place: Place, reader: Reader) -> Iterator[None]:
    """Add the offsets of the records to an error that they cause; errors of stores and memory pass unchanged."""
    try:
        yield
    except (OSError, MemoryError, LagbookError):
        raise
    except Exception as error:
        raise ReplayError(
            f"partition {place.log_partition} of {OFFSETS_TOPIC} of cluster {place.cluster} can't be replayed: its "
            f"records from log offset {reader.begun_at} to {reader.next_offset} cause {type(error).__name__}: {error}"
        ) from error


def _write(files: TableFiles, place: Place, tables: Tables) -> None:
    for name, rows in tables.items():
        for batch in rows.combine_chunks().to_batches(max_chunksize=BATCH_ROWS):
            files.write(name, batch, place._asdict())
