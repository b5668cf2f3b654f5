"""Complete batches of a checkpoint as commits: a row for each partition of each batch.

Put here the columns of such a row. Which batches are new is decided in `lives`.
"""

from __future__ import annotations

import itertools
import re
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, Final

from assets.ingest.stores.positions import MOST_IN_BATCH, base_of, batch_in_life, batch_of, life_and_number
from assets.ingest.stores.spark.lives import new_batches

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from assets.ingest.stores.spark.lives import NewBatch, Plans
    from parsers.spark_checkpoints.checkpoint import Batch
    from parsers.spark_checkpoints.offset_log import TopicOffsets

COLUMNS: Final = (
    "log_offset",
    "batch_base_offset",
    "topic",
    "partition",
    "committed_offset",
    "timestamp_ms",
    "metadata",
    "is_sampled",
    "source_file",
)
SET_BACK: Final = "set back to "
_METADATA: Final = re.compile(rf"(?:{SET_BACK})?batch [0-9]+(?:, planned (?P<planned>\S+)Z)?")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=timezone.utc)
_LATEST_MS: Final = 253_402_300_799_999


def commit_columns(
    complete: Sequence[Batch], archived: Mapping[int, Plans], last: Mapping[tuple[str, int], int]
) -> dict[str, list[Any]]:
    """The columns of all new commits; a partition that a batch no longer names is a commit without an offset.

    `last` has the offsets of the last archived batch. Where batches may have come and gone, an offset below that was
    set back for certain, and counts as the next; of any other, what stood before is unknown.
    """
    columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    before = {batch.number: earlier.offsets for earlier, batch in itertools.pairwise(complete)}
    for new in new_batches(complete, archived):
        _add(columns, new, before.get(new.batch.number, {}), last)
    return columns


def _add(
    columns: dict[str, list[Any]], new: NewBatch, before: TopicOffsets, last: Mapping[tuple[str, int], int]
) -> None:
    batch, rows = new.batch, 0
    base = base_of(batch_in_life(new.life, batch.number))
    for topic, partitions, offsets in _topics(batch.offsets, {} if new.set_back_ms else before):
        count = min(len(partitions), MOST_IN_BATCH - rows)
        columns["log_offset"] += range(base + rows, base + rows + count)
        columns["topic"] += [topic] * count
        columns["partition"] += partitions[:count]
        columns["committed_offset"] += offsets[:count]
        is_sampled = [False] * count if new.is_next else _not_lower(topic, partitions[:count], offsets, last)
        columns["is_sampled"] += is_sampled
        rows += count
    columns["batch_base_offset"] += [base] * rows
    columns["timestamp_ms"] += [new.set_back_ms or batch.completed_ms] * rows
    columns["metadata"] += [f"{SET_BACK if new.set_back_ms else ''}{metadata_of(batch)}"] * rows
    columns["source_file"] += [batch.path] * rows


def _not_lower(
    topic: str, partitions: Sequence[int], offsets: Sequence[int | None], last: Mapping[tuple[str, int], int]
) -> list[bool]:
    """Of which partitions the offset is none below the last one that is archived."""
    each = zip(partitions, offsets, strict=False)
    return [offset is None or offset >= last.get((topic, partition), offset) for partition, offset in each]


def _topics(offsets: TopicOffsets, before: TopicOffsets) -> Iterator[tuple[str, list[int], list[int | None]]]:
    """The partitions of each topic with their offsets, in order; None for those that only the batch before names."""
    for topic in sorted(offsets.keys() | before.keys()):
        its: Mapping[int, int] = offsets.get(topic, {})
        partitions = sorted(its.keys() | before.get(topic, {}).keys())
        yield topic, partitions, list(map(its.get, partitions))


def metadata_of(batch: Batch) -> str:
    """Spark's number of the batch, and when it was planned."""
    planned_ms = batch.planned_ms
    if planned_ms is None or planned_ms > _LATEST_MS:
        return f"batch {batch.number}"
    planned = _EPOCH + timedelta(milliseconds=planned_ms)
    return f"batch {batch.number}, planned {planned.replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"


def archived_plans(rows: Iterable[tuple[int, str | None]]) -> dict[int, Plans]:
    """When archived batches were planned, by life and number, from their base positions and metadata."""
    lives: dict[int, Plans] = {}
    for base, metadata in rows:
        life, number = life_and_number(batch_of(base))
        lives.setdefault(life, {})[number] = _planned_ms(metadata)
    return lives


def _planned_ms(metadata: str | None) -> int | None:
    match = _METADATA.fullmatch(metadata or "")
    if match is None or match["planned"] is None:
        return None
    planned = datetime.fromisoformat(match["planned"]).replace(tzinfo=timezone.utc)
    return (planned - _EPOCH) // timedelta(milliseconds=1)
