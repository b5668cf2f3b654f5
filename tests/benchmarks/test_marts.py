"""The tables that the benchmark of marts makes, and that it can make them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from assets.catalog import TABLES
from assets.marts import TRANSFORMS
from assets.materialize import model_reads
from assets.storage.warehouse import Warehouse
from benchmarks.history import history
from benchmarks.marts import cost, derived

if TYPE_CHECKING:
    from pathlib import Path


def test_each_table_comes_behind_those_that_it_is_made_from() -> None:
    """And none is left out that a transform makes."""
    order = derived()
    assert set(TRANSFORMS) <= set(order)
    for at, name in enumerate(order):
        reads = TRANSFORMS[name].reads if name in TRANSFORMS else model_reads(TABLES[name])
        assert not reads & set(order[at:]) - {name}


@pytest.mark.parametrize("name", ["internal.committed_partitions", "internal.group_partitions"])
def test_a_table_is_made_of_a_made_up_history(tmp_path: Path, name: str) -> None:
    """Its rows are counted, and its time is measured."""
    history(Warehouse(str(tmp_path)), 10_000)
    for other in derived()[: derived().index(name)]:
        if other in TRANSFORMS:
            cost(other, str(tmp_path))
    table_cost = cost(name, str(tmp_path))
    assert table_cost.rows > 0
    assert table_cost.cpu_seconds > 0
