"""That the benchmark of questions asks what it says, of as many commits as asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from assets.storage.warehouse import Warehouse
from benchmarks.history import BEGAN_US, CROWDED, LOG_PARTITIONS, SPAN_US, _commits_of, commits_in, history
from benchmarks.questions import QUESTIONS, marts, on_page, report_lines

if TYPE_CHECKING:
    from pathlib import Path


def test_three_commits_of_ten_are_in_one_partition() -> None:
    """And none is lost where they don't divide."""
    counts = [commits_in(log_partition, 100_003) for log_partition in range(LOG_PARTITIONS)]
    assert sum(counts) == 100_003
    assert 30_000 <= counts[CROWDED] < 30_100


@pytest.mark.slow
def test_every_question_is_asked(tmp_path: Path) -> None:
    """Of a history that has something to say: a line for each question, with four times."""
    warehouse = Warehouse(str(tmp_path))
    history(warehouse, 40_000)
    assert warehouse.row_count("core.commits") == 40_000
    assert [line.split(" | ")[0] for line in marts(warehouse)][-1] == "| lagbook.duckdb"
    lines = list(report_lines(warehouse, rounds=2))
    assert len(on_page()) == 24
    assert len(lines) > len(QUESTIONS) + len(on_page())
    assert all(line.count("|") == 6 for line in lines)


def test_commits_follow_each_other_in_time_however_many_there_are() -> None:
    """Over the whole span and not beyond it, also in the crowded partition of a long history."""
    many = 200_000_000
    count = commits_in(CROWDED, many)
    first, last = (np.asarray(_commits_of(CROWDED, n, 1, count, many)["effective_at"])[0] for n in (1, count - 1))
    assert BEGAN_US < first < BEGAN_US + SPAN_US // 1000
    assert BEGAN_US + SPAN_US * 999 // 1000 < last < BEGAN_US + SPAN_US
