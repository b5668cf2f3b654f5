"""That the benchmark of questions asks what it says, of as many commits as asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assets.archive import Warehouse
from benchmarks.history import CROWDED, LOG_PARTITIONS, commits_in, history
from benchmarks.questions import QUESTIONS, asked_of, made

if TYPE_CHECKING:
    from pathlib import Path


def test_three_commits_of_ten_are_in_one_partition() -> None:
    """And none is lost where they don't divide."""
    counts = [commits_in(log_partition, 100_003) for log_partition in range(LOG_PARTITIONS)]
    assert sum(counts) == 100_003
    assert 30_000 <= counts[CROWDED] < 30_100


def test_every_question_is_asked(tmp_path: Path) -> None:
    """Of a history that has something to say: a line for each question, with four times."""
    warehouse = Warehouse(str(tmp_path))
    history(warehouse, 40_000)
    assert warehouse.row_count("core.commits") == 40_000
    assert [line.split(" | ")[0] for line in made(warehouse)][-1] == "| lagbook.duckdb"
    lines = list(asked_of(warehouse, rounds=2))
    assert len(lines) > len(QUESTIONS)
    assert all(line.count("|") == 6 for line in lines)
