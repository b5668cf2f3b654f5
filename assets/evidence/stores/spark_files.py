"""Commits in checkpoints of Spark: the files of the batch that each is of, and what they say of it.

Put here which files of a batch bear out its commits. How they are parsed belongs in `parsers.spark_checkpoints`.
"""

from __future__ import annotations

import posixpath
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from assets.evidence.stores.piece import Piece, StoreFormat
from assets.ingest.stores.positions import base_of, batch_of, life_and_number
from assets.ingest.stores.spark.rows import SET_BACK, metadata_of
from parsers.errors import SourceError
from parsers.log.damage.quarantine import Trouble
from parsers.sources import read_file
from parsers.spark_checkpoints.checkpoint import LARGEST_FILE_BYTES, Batch, CheckpointFiles
from parsers.spark_checkpoints.checkpoint_files import checkpoint_of, find_checkpoints
from parsers.spark_checkpoints.offset_log import parse_offsets

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from assets.evidence.stores.piece import Candidates, Row
    from parsers.files.partition_files import ListedFile
    from parsers.spark_checkpoints.offset_log import PlannedBatch

_MOST_DIGITS: Final = 10
OFFSETS, COMMIT, NEXT, METADATA = "offsets", "commit", "next_offsets", "metadata"
UNCHECKED: Final = (
    "the number of a batch, which is the name of its file; when it was complete, which is the time of a file; and, but "
    "for the times of plans, in which order batches with the same number came"
)


def candidates(places: Sequence[str], rows: Mapping[int, Row]) -> Candidates:
    """The files of the batch of each row, of every checkpoint that has them."""
    for checkpoint in _checkpoints(places):
        contents: dict[str, Piece] = {}
        pieces = ((log_offset, _readable_pieces(checkpoint, row, contents)) for log_offset, row in rows.items())
        yield from (one for one in pieces if one[1])


def _checkpoints(places: Sequence[str]) -> Iterator[CheckpointFiles]:
    for place in places:
        with suppress(SourceError):
            yield from find_checkpoints(place)


def _readable_pieces(checkpoint: CheckpointFiles, row: Row, contents: dict[str, Piece]) -> tuple[Piece, ...]:
    """The files of a row's batch; none where one of them can't be read."""
    with suppress(SourceError):
        return _pieces(checkpoint, row, contents)
    return ()


def _pieces(checkpoint: CheckpointFiles, row: Row, contents: dict[str, Piece]) -> tuple[Piece, ...]:
    """The files of a row's batch; none where there is no such batch."""
    number = _number_of(row)
    later = [one for one, file in checkpoint.commits.items() if one >= number and file.size_bytes]
    files = {
        OFFSETS: checkpoint.offsets.get(number),
        COMMIT: checkpoint.commits[min(later)] if later else None,
        NEXT: checkpoint.offsets.get(number + 1) if _is_set_back(row) else None,
        METADATA: checkpoint.metadata,
    }
    if files[OFFSETS] is None:
        return ()
    return tuple(_read(role, file, contents) for role, file in files.items() if file is not None)


def _read(role: str, file: ListedFile, contents: dict[str, Piece]) -> Piece:
    """The content of a file, which is read once."""
    if file.path not in contents:
        content = read_file(file.path, LARGEST_FILE_BYTES)
        contents[file.path] = Piece(role, file.path, 0, content, file.modified_ms)
    return contents[file.path]._replace(role=role)


def complaints(row: Row, pieces: Sequence[Piece]) -> Iterator[str]:
    """What the files of a batch say otherwise than a row."""
    files = {one.role: one for one in pieces}
    plan = _plan(files.get(OFFSETS))
    if isinstance(plan, str):
        yield plan
        return
    number, path = _number_of(row), files[OFFSETS].path
    batch = Batch(number, path, plan.planned_ms, None, plan.offsets)
    expected = {
        "file of batch": _number_in(path),
        "committed_offset": plan.offsets.get(row["topic"], {}).get(row["partition"]),
        "batch_base_offset": base_of(batch_of(row["log_offset"])),
        "version": None,
        "metadata": f"{SET_BACK if _is_set_back(row) else ''}{metadata_of(batch)}",
    }
    actual = {**row, "file of batch": number}
    for name, value in expected.items():
        if actual[name] != value:
            yield f"{name}: expected {value!r} of the bytes, found {actual[name]!r}"
    yield from _completion(row, number, plan, files)


def _completion(row: Row, number: int, plan: PlannedBatch, files: Mapping[str, Piece]) -> Iterator[str]:
    """What speaks against a batch that was complete by the time of the row."""
    commit, at_ms = files.get(COMMIT), row["timestamp_ms"]
    committed = None if commit is None or not commit.content else _number_in(commit.path)
    if committed is None or committed < number:
        yield f"expected a commit of batch {number} or of a later one, found none"
    if _is_set_back(row):
        following = _plan(files.get(NEXT))
        if isinstance(following, str) or following.planned_ms != at_ms:
            yield f"timestamp_ms: expected the time at which batch {number + 1} was planned, found {at_ms}"
    elif plan.planned_ms is not None and (at_ms is None or at_ms < plan.planned_ms):
        yield f"timestamp_ms: expected {plan.planned_ms} or later, found {at_ms}"


def _plan(piece: Piece | None) -> PlannedBatch | str:
    """The plan in a file of offsets, or why there is none."""
    if piece is None:
        return "expected a file of offsets, found none"
    plan = parse_offsets(piece.content)
    return f"expected {plan.expected}, found {plan.actual}" if isinstance(plan, Trouble) else plan


def _is_set_back(row: Row) -> bool:
    """Whether a row says that the checkpoint had been set back to its batch."""
    return bool((row["metadata"] or "").startswith(SET_BACK))


def _number_of(row: Row) -> int:
    """Spark's number of a row's batch."""
    return life_and_number(batch_of(row["log_offset"]))[1]


def _number_in(path: str) -> int | None:
    """The number that is a file's name."""
    name = posixpath.basename(path.partition("?")[0] if "://" in path else path)
    return int(name) if name.isascii() and name.isdecimal() and len(name) <= _MOST_DIGITS else None


FORMAT: Final = StoreFormat(candidates, complaints, checkpoint_of, UNCHECKED)
