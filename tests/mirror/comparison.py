"""What a fail-over really was, beside what the tables say of it: copies of records, and what members read.

Put here what the recording and a live run share.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from parsers.data_records import record_columns
from parsers.log.segments import walk
from parsers.sources import open_file

if TYPE_CHECKING:
    from pathlib import Path

    from tests.broker.book import Book

FAILED_OVER: Final = "make_timestamp(?::BIGINT * 1000)::TIMESTAMPTZ"
START: Final = f"""
    SELECT group_id, partition, target_offset, status, read_again_lower, read_again_upper, missed_lower, missed_upper
    FROM failover_at({FAILED_OVER}) WHERE method = 'committed' AND source_topic = 'orders'
"""  # noqa: S608 - a constant of this file


def copies(logs: list[Path], topic: str) -> dict[int, dict[int, int]]:
    """By partition, the offset at the target of each offset at the source: both have the same records in order."""
    source, target = (
        {folder: _offsets(folder) for folder in logs[side].glob(pattern)}
        for side, pattern in ((0, f"{topic}-[0-9]*"), (1, f"source.{topic}-[0-9]*"))
    )
    by_partition = {int(folder.name.rpartition("-")[2]): offsets for folder, offsets in target.items()}
    copied: dict[int, dict[int, int]] = {}
    for folder, offsets in source.items():
        partition = int(folder.name.rpartition("-")[2])
        assert [value for _, value in offsets] == [value for _, value in by_partition[partition]]
        pairs = zip(offsets, by_partition[partition], strict=True)
        copied[partition] = {at: there for (at, _), (there, _) in pairs}
    return copied


def _offsets(folder: Path) -> list[tuple[int, bytes]]:
    differences = []
    for file in sorted(folder.glob("*.log")):
        with open_file(str(file)) as source:
            for piece in walk(source, bodies=True):
                if piece.records is not None:
                    rows = record_columns(piece.records).to_pylist()
                    controls = piece.batches.column("is_control").to_pylist()
                    batches = piece.records.batch.tolist()
                    differences += [
                        (row["offset"], row["value"])
                        for row, batch in zip(rows, batches, strict=True)
                        if not controls[batch]
                    ]
    return differences


def position(copied: dict[int, int], upstream: int) -> int:
    """Where the copy of the first record at an offset of the source or behind it is."""
    return min((there for at, there in copied.items() if at >= upstream), default=max(copied.values()) + 1)


def compare(book: Book, logs: list[Path], failover: dict[str, Any]) -> set[str]:
    """Hold each partition that a member went on in to the answer of that instant; the statuses that there were."""
    copied = copies(logs, "orders")
    answers = {(group, partition): rest for group, partition, *rest in book.query(START, failover["at_ms"])}
    statuses = set()
    for group, truth in failover["groups"].items():
        for key, (first, _) in truth["processed"].items():
            start, status, *bounds = answers[(group, int(key))]
            there = position(copied[int(key)], truth["source"][key])
            again_lower, again_upper, missed_lower, missed_upper = bounds
            assert start == first == truth["target"][key]
            assert again_lower <= max(there - first, 0) <= again_upper
            assert missed_lower <= max(first - there, 0) <= missed_upper
            holds = {"at": first == there, "behind": first < there, "ahead": first > there}
            assert {**holds, "at_or_behind": first <= there, "unknown": True}[status]
            statuses.add(status)
    return statuses
