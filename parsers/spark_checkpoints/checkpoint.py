"""The batches of one checkpoint: which were planned, which of them are complete, and since when.

Put here what the files of a checkpoint say together. Parsing one of them belongs in `offset_log`.
"""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from parsers.errors import SourceError, StoreError, VanishedError
from parsers.log.damage.quarantine import Trouble
from parsers.names import is_text
from parsers.sources import read_file
from parsers.spark_checkpoints.offset_log import REASON, PlannedBatch, TopicOffsets, parse_offsets

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from parsers.files.partition_files import ListedFile

LARGEST_FILE_BYTES: Final = 64 << 20
LONGEST_ID: Final = 249
READ_AT_ONCE: Final = 16


@dataclass(frozen=True, slots=True)
class CheckpointFiles:
    """The files of one checkpoint: those of offsets and of commits by the number of their batch."""

    path: str
    offsets: Mapping[int, ListedFile]
    commits: Mapping[int, ListedFile]
    metadata: ListedFile | None = None

    @property
    def files(self) -> tuple[ListedFile, ...]:
        """All of them."""
        return (*self.offsets.values(), *self.commits.values(), *((self.metadata,) if self.metadata else ()))

    @property
    def last_complete(self) -> int:
        """The last batch that is complete, with all before it; -1 where none is."""
        return max((batch for batch, file in self.commits.items() if file.size_bytes), default=-1)


class Batch(NamedTuple):
    """A batch: its end offsets, when it was planned, and until when it was complete; None where that is unknown."""

    number: int
    path: str
    planned_ms: int | None
    completed_ms: int | None
    offsets: TopicOffsets


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What a checkpoint says: complete batches in order, and batches that were planned and are not complete."""

    query_id: str | None
    complete: tuple[Batch, ...]
    planned: tuple[Batch, ...]
    troubles: tuple[tuple[str, Trouble], ...] = field(default=())
    """What could not be read, with the path of its file."""


def read_checkpoint(files: CheckpointFiles) -> Checkpoint:
    """Read a checkpoint; what can't be read of it stops nothing else."""
    troubles = [
        (file.path, _trouble("a commit of Spark", "an empty file"))
        for file in files.commits.values()
        if not file.size_bytes
    ]
    plans = {}
    for number, plan in _read_plans(files):
        if isinstance(plan, Trouble):
            troubles.append((files.offsets[number].path, plan))
        else:
            plans[number] = plan
    _set_aside_torn(files, plans, troubles)
    next_plans = [*list(plans.values())[1:], None]
    batches = [
        _batch(files, number, plan, then) for (number, plan), then in zip(plans.items(), next_plans, strict=True)
    ]
    last = files.last_complete
    return Checkpoint(
        read_query_id(files, troubles),
        tuple(one for one in batches if one.number <= last),
        tuple(one for one in batches if one.number > last),
        tuple(troubles),
    )


def read_query_id(files: CheckpointFiles, troubles: list[tuple[str, Trouble]]) -> str | None:
    """The id of the query, as Spark's own file says."""
    if files.metadata is None:
        return None
    content = read_file(files.metadata.path, LARGEST_FILE_BYTES)
    try:
        query_id = json.loads(content).get("id")
    except (ValueError, AttributeError, RecursionError):
        query_id = None
    if isinstance(query_id, str) and 0 < len(query_id) <= LONGEST_ID and is_text(query_id):
        return query_id
    troubles.append((files.metadata.path, _trouble('{"id":"..."}', content[:100].decode("utf-8", "backslashreplace"))))
    return None


def _read_plans(files: CheckpointFiles) -> Iterator[tuple[int, PlannedBatch | Trouble]]:
    """The plans of batches in order; a file that Spark removed meanwhile is left out."""

    def read(number: int) -> PlannedBatch | Trouble | None:
        try:
            return parse_offsets(read_file(files.offsets[number].path, LARGEST_FILE_BYTES))
        except StoreError:
            raise
        except VanishedError:
            return None
        except SourceError as error:
            return _trouble("a readable file", str(error))

    numbers = sorted(files.offsets)
    with ThreadPoolExecutor(READ_AT_ONCE) as pool:
        plans = pool.map(read, numbers) if "://" in files.path else map(read, numbers)
        yield from ((number, plan) for number, plan in zip(numbers, plans, strict=True) if plan is not None)


def _set_aside_torn(
    files: CheckpointFiles, plans: dict[int, PlannedBatch], troubles: list[tuple[str, Trouble]]
) -> None:
    """Take out batches with fewer lines of sources than others have: Spark allows no other number of sources."""
    most = max((plan.sources or 0 for plan in plans.values()), default=0)
    for number in [one for one, plan in plans.items() if plan.sources is not None and plan.sources < most]:
        count = f"{plans.pop(number).sources}"
        troubles.append((files.offsets[number].path, _trouble(f"lines of {most} sources", count)))


def _batch(files: CheckpointFiles, number: int, plan: PlannedBatch, then: PlannedBatch | None) -> Batch:
    commit = files.commits.get(number)
    times = (plan.planned_ms, commit.modified_ms if commit else None, then.planned_ms if then else None)
    return Batch(number, files.offsets[number].path, plan.planned_ms, _completed_ms(*times), plan.offsets)


def _completed_ms(planned_ms: int | None, modified_ms: int | None, next_ms: int | None) -> int | None:
    """By when a batch was complete: its commit was written by then, and the next batch is planned after it.

    A copy of a checkpoint may have later times; a time before the plan is none.
    """
    if modified_ms is not None and planned_ms is not None and modified_ms < planned_ms:
        modified_ms = None
    times = [one for one in (modified_ms, next_ms) if one is not None]
    return min(times, default=planned_ms)


def _trouble(expected: str, actual: str) -> Trouble:
    return Trouble(0, 0, None, REASON, expected, actual, b"")
