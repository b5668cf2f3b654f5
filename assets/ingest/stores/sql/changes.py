"""Rows of declared tables as commits: what changed since the last reading, or each new row of a history.

Put here which rows are new, and where they stand. How a table is read belongs in `databases`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from assets.ingest.stores.positions import MOST_IN_BATCH, base_of
from assets.ingest.stores.sql.values import BadRow, StoredOffset

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping


class Key(NamedTuple):
    """What has one committed offset."""

    group_id: str
    topic: str
    partition: int


class Known(NamedTuple):
    """The committed offset of a key as it is archived, and its time."""

    committed_offset: int | None
    timestamp_ms: int | None


class StoredCommit(NamedTuple):
    """A commit at its position."""

    log_offset: int
    batch_base_offset: int
    stored: StoredOffset
    is_sampled: bool = False
    """Others may have come and gone before it. An offset below the last was set back for certain, and is the next."""


def key_of(stored: StoredOffset) -> Key:
    """The key of a row."""
    return Key(stored.group_id, stored.topic, stored.partition)


def sampled_commits(
    rows: Iterable[StoredOffset], known: Mapping[Key, Known], batch: int, now_ms: int, bad: list[BadRow]
) -> list[StoredCommit]:
    """What is otherwise than it was known, as one batch; rows that are gone are commits without an offset.

    A key in several rows is none of them: nobody can say which one counts.
    """
    now, several = _by_key(rows)
    bad += [BadRow("one row for a group, topic and partition", f"several for {tuple(key)}") for key in sorted(several)]
    gone = (
        key for key, one in known.items() if one.committed_offset is not None and key not in now and key not in several
    )
    removed = [StoredOffset(*key, None, now_ms, None, None) for key in sorted(gone)]
    changed = [_dated(one, now_ms) for key, one in sorted(now.items()) if _is_changed(one, known.get(key))]
    return list(_at_positions([*changed, *removed], known, batch))


def history_commits(
    rows: Iterable[StoredOffset], known_positions: Collection[int], bad: list[BadRow]
) -> list[StoredCommit]:
    """The rows of a history that are not archived, each at its own position."""
    passed = set(known_positions)
    commits = []
    for one in rows:
        position = one.position or 0
        if position in passed and position not in known_positions:
            bad.append(BadRow("another position for each row", f"position {position} again"))
        elif position not in passed:
            commits.append(StoredCommit(base_of(position), base_of(position), one))
        passed.add(position)
    return commits


def _by_key(rows: Iterable[StoredOffset]) -> tuple[dict[Key, StoredOffset], set[Key]]:
    now: dict[Key, StoredOffset] = {}
    several: set[Key] = set()
    for one in rows:
        if now.setdefault(key_of(one), one) is not one:
            several.add(key_of(one))
    return {key: one for key, one in now.items() if key not in several}, several


def _is_changed(one: StoredOffset, known: Known | None) -> bool:
    if known is None or known.committed_offset != one.committed_offset:
        return known is not None or one.committed_offset is not None
    return one.committed_offset is not None and one.timestamp_ms not in (None, known.timestamp_ms)


def _dated(one: StoredOffset, now_ms: int) -> StoredOffset:
    """The row with its own time, else with that of the reading."""
    return one if one.timestamp_ms is not None else one._replace(timestamp_ms=now_ms)


def _at_positions(rows: Iterable[StoredOffset], known: Mapping[Key, Known], batch: int) -> Iterator[StoredCommit]:
    """The rows of a reading at their positions; more than a batch can hold go on in the next."""
    for ordinal, one in enumerate(rows):
        base = base_of(batch + ordinal // MOST_IN_BATCH)
        is_sampled = not _is_set_back(one, known.get(key_of(one)))
        yield StoredCommit(base + ordinal % MOST_IN_BATCH, base, one, is_sampled)


def _is_set_back(one: StoredOffset, known: Known | None) -> bool:
    """Whether an offset is below the last one that is known."""
    if known is None or known.committed_offset is None or one.committed_offset is None:
        return False
    return one.committed_offset < known.committed_offset
