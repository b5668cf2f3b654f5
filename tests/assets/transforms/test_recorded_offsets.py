"""The offset store that a replay of recorded logs leaves, against what brokers answered."""

from __future__ import annotations

import re
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.compute as pc
import pytest

from assets.transforms.coordinator import Coordinator
from assets.transforms.transactions import Transactions
from tests.assets.transforms.recorded_logs import chunk_of, log_in

if TYPE_CHECKING:
    from tests.assets.transforms.offsets_log import Row

RECORDED = Path(__file__).parents[2] / "bytes" / "cleaner"
Store = dict[tuple[str, str, int], int]


def unpacked(archive: Path, to: Path) -> list[Path]:
    """The folders of the offsets partitions in an archive."""
    with tarfile.open(archive) as packed:
        packed.extractall(to, filter="data")
    return sorted({path.parent for path in to.rglob("__consumer_offsets-*/*.log")})


def store(folder: Path) -> tuple[Store, list[Row], list[Row]]:
    """What stands at the end of a partition, its history, and its transactions."""
    records, _ = log_in(folder)
    chunk, commits, transactions = chunk_of(records), Coordinator.resume({}), Transactions.resume({})
    history = commits.replay(chunk)["core.commits"].to_pylist()
    ended = transactions.replay(chunk)["core.transactions"].to_pylist()
    rows = commits.memory()["last"].filter(pc.field("committed_offset").is_valid()).to_pylist()
    standing = {(row["group_id"], row["topic"], row["partition"]): row["committed_offset"] for row in rows}
    return standing, history, [*ended, *transactions.open_rows()["core.transactions"].to_pylist()]


def described(text: str) -> Store:
    """Group, topic, partition and current offset of each line of kafka-consumer-groups that has one."""
    lines = [re.split(r"[,\s]+", line.strip()) for line in text.splitlines()]
    lines_of_partitions = [line[:4] for line in lines if len(line) > 4 and line[2].isdecimal() and line[3].isdecimal()]
    return {(group, topic, int(partition)): int(offset) for group, topic, partition, offset in lines_of_partitions}


@pytest.mark.parametrize(
    ("corpus", "oracle"),
    [
        ("features-4.1", "oracle-describe-offsets.txt"),
        ("streams-4.1", "oracle-describe-offsets.txt"),
        ("kafka-0.9", "oracle-describe.txt"),
    ],
)
def test_what_stands_is_what_the_broker_answered(shared: Path, tmp_path: Path, corpus: str, oracle: str) -> None:
    """Of every group that it was asked for, no offset more or less; aborted and open transactions have none."""
    folder = shared / "corpus" / corpus
    standing: Store = {}
    for partition in unpacked(folder / "snap-live.tar.xz", tmp_path):
        offsets, history, transactions = store(partition)
        standing |= offsets
        never = [row for row in transactions if row["outcome"] != "committed"]
        spans = [(row["producer_id"], row["log_offset"], row["last_log_offset"] or -1) for row in never]
        assert not [
            row
            for row in history
            for producer, first, last in spans
            if row["producer_id"] == producer and first <= row["log_offset"] <= last
        ]
    answer = described((folder / oracle).read_text())
    groups = {group for group, *_ in answer}
    assert answer
    assert {key: offset for key, offset in standing.items() if key[0] in groups} == answer


@pytest.mark.parametrize("archive", sorted(RECORDED.glob("*.tar.xz")), ids=lambda path: path.name)
def test_the_cleaner_changes_nothing_of_what_stands(archive: Path, tmp_path: Path) -> None:
    """A real one: the same offsets stand before and after, but for those that came meanwhile."""
    cleaned = [folder for folder in unpacked(archive, tmp_path) if folder.parent.name == "after"]
    assert cleaned
    for folder in cleaned:
        before, history, _ = store(tmp_path / "before" / folder.name)
        after, claims, _ = store(folder)
        assert before.items() <= after.items()
        known = {row["log_offset"]: row["kind"] for row in history}
        assert all(row["kind"] in ("unknown", known.get(row["log_offset"], row["kind"])) for row in claims)
