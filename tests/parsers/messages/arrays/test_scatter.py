"""A few rows placed among many are the same rows, and all others are null."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from parsers.messages.arrays.scatter import spread

LIST = pa.array([[1, 2], None, [], [3]], pa.list_(pa.int32()))
ARRAYS = {
    "numbers": pa.array([1, None, -3, 4], pa.int64()),
    "small numbers": pa.array([1, 2, 3, 4], pa.int8()),
    "fractions": pa.array([0.5, None, 1.5, 2.5], pa.float64()),
    "truths": pa.array([True, None, False, True]),
    "texts": pa.array(["a", None, "", "längst"]),
    "bytes": pa.array([b"", b"\xff", None, b"xyz"]),
    "codes": pa.array(["x", "y", None, "x"]).dictionary_encode(),
    "lists": LIST,
    "nothing": pa.array([None, None, None, None], pa.string()),
    "structs": pa.StructArray.from_arrays(
        [LIST, pa.array(["x", "y", None, "x"]).dictionary_encode()],
        ["list", "code"],
        mask=pa.array([False, True, False, False]),
    ),
}


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("offset", [0, 1])
def test_rows_are_where_they_are_put(name: str, offset: int) -> None:
    """Every kind of array, whole or a slice of another, keeps its values at the rows that are named."""
    array = ARRAYS[name].slice(offset)
    rows = np.array([0, 3, 9, 19])[: len(array)]
    rows_of_cells = spread(array, rows, 20)
    rows_of_cells.validate(full=True)
    expected = dict(zip(rows.tolist(), array.to_pylist(), strict=True))
    assert rows_of_cells.to_pylist() == [expected.get(row) for row in range(20)]
    assert rows_of_cells.type == array.type
