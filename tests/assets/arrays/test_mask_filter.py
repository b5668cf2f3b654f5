"""Picking rows by a mask gives what a filter gives, however the mask looks."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assets.arrays.mask_filter import MOST_RUNS, pick_rows

TEXTS = ["a", None, "", "b", "a"]


def rows(count: int) -> pa.RecordBatch:
    """Rows with every kind of column that records have."""
    texts = pa.array([TEXTS[row % 5] for row in range(count)], pa.string())
    structs = pa.array([None if row % 7 == 0 else {"x": row, "y": [row]} for row in range(count)])
    lists = structs.cast(pa.struct([("x", pa.int64()), ("y", pa.list_(pa.int64()))]))
    return pa.record_batch(
        {"number": pa.array(range(count), pa.int64()), "text": texts.dictionary_encode(), "struct": lists}
    )


@given(st.lists(st.booleans(), max_size=200))
def test_it_is_a_filter(mask: list[bool]) -> None:
    """Nothing picked, all picked, and any pattern between."""
    batch = rows(len(mask))
    assert (
        pick_rows(batch, np.array(mask, np.bool_)).to_pylist() == batch.filter(pa.array(mask, pa.bool_())).to_pylist()
    )


@pytest.mark.parametrize("runs", [MOST_RUNS - 1, MOST_RUNS, MOST_RUNS + 1, 2 * MOST_RUNS])
def test_many_runs(runs: int) -> None:
    """Where slices would be too many, it is one."""
    mask = np.tile(np.array([True, False]), runs)
    assert pick_rows(rows(2 * runs), mask).column("number").to_pylist() == list(range(0, 2 * runs, 2))
    assert pick_rows(rows(2 * runs), mask).schema == rows(1).schema
