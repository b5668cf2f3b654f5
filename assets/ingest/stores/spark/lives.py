"""Lives of a checkpoint: a number of Spark's comes again when somebody takes batches out of a checkpoint.

People do that to have records processed once more. What is processed then comes behind all that was processed before,
under numbers that were there already; so each time begins a life, whose batches stand behind those of the lives before.
Put here which life a batch belongs to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from assets.ingest.stores.positions import MOST_LIVES
from parsers.errors import SourceError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from parsers.spark_checkpoints.checkpoint import Batch

Plans = dict[int, "int | None"]
"""When batches were planned, by their numbers."""


class NewBatch(NamedTuple):
    """A batch that is not archived."""

    life: int
    batch: Batch
    is_next: bool
    """Whether the batch before it is known: else others may have come and gone."""
    set_back_ms: int | None = None
    """By when the checkpoint had been set back to this batch, which is complete since long ago; None for a new one."""


def new_batches(batches: Iterable[Batch], archived: Mapping[int, Plans]) -> Iterator[NewBatch]:
    """The batches that are not archived, each with its life, in the order of their numbers.

    `archived` has the batches of each life. A batch is the same when its number and the time of its plan are.
    """
    lives = {life: dict(plans) for life, plans in archived.items()} or {0: {}}
    life = max(lives)
    in_order = sorted(batches, key=lambda one: one.number)
    known = {one.number: of for one in in_order if (of := _life_of(one, lives)) is not None}
    if known:
        life = known[max(known)]
    by_number = {one.number: one for one in in_order}
    for batch in (one for one in in_order if one.number not in known):
        if not _fits(batch, life, lives):
            life = _begin_life(batch, lives)
            yield from _set_back(by_number.get(batch.number - 1), batch, life, lives)
        lives[life][batch.number] = batch.planned_ms
        is_first = (life, batch.number) == (0, 0)
        yield NewBatch(life, batch, is_next=is_first or batch.number - 1 in lives[life])


def _set_back(before: Batch | None, batch: Batch, life: int, lives: Mapping[int, Plans]) -> Iterator[NewBatch]:
    """The batch to which the checkpoint was set back, where it is still there."""
    if before is not None:
        lives[life][before.number] = before.planned_ms
        yield NewBatch(life, before, is_next=False, set_back_ms=batch.planned_ms)


def _begin_life(batch: Batch, lives: dict[int, Plans]) -> int:
    """A new life, which this batch begins."""
    life = max(lives) + 1
    if life >= MOST_LIVES:
        raise SourceError(f"{batch.path}: the checkpoint was set back {MOST_LIVES} times; later batches are not read")
    lives[life] = {}
    return life


def _life_of(batch: Batch, lives: Mapping[int, Plans]) -> int | None:
    """The latest life that has this batch."""
    missing = object()
    return next(
        (one for one in sorted(lives, reverse=True) if lives[one].get(batch.number, missing) == batch.planned_ms), None
    )


def _fits(batch: Batch, life: int, lives: Mapping[int, Plans]) -> bool:
    """Whether a batch may stand in a life: its number is free, and its time lies between those of its neighbours."""
    plans, planned_ms = lives[life], batch.planned_ms
    if batch.number in plans:
        return False
    if planned_ms is None:
        return True
    before = max((number for number in plans if number < batch.number), default=None)
    behind = min((number for number in plans if number > batch.number), default=None)
    is_after = before is None or (plans[before] or 0) <= planned_ms
    is_before = behind is None or planned_ms <= (plans[behind] or planned_ms)
    later = (at for one, its in lives.items() if one > life for at in its.values() if at is not None)
    return is_after and is_before and planned_ms < min(later, default=planned_ms + 1)
