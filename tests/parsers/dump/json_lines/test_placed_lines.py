"""Lines of several makers in the order of the file."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from parsers.dump.json_lines.objects import TEXT
from parsers.dump.json_lines.placed_lines import PlacedLines


def test_lines_before_and_of_records() -> None:
    """What stands before a record comes before its line, in the order of its position in the file."""
    before = PlacedLines.before_rows(
        [(pa.array(["b", "d"], TEXT), np.array([20, 90])), (pa.array(["a"], TEXT), np.array([10]))],
        [np.array([1, 3]), np.array([1])],
    )
    merged = before.merge(PlacedLines.of_rows(pa.array(["0", "2"], TEXT), np.array([0, 2])))
    assert merged.texts.to_pylist() == ["0", "a", "b", "2", "d"]
    assert merged.between(1, 3, is_last=False).texts.to_pylist() == ["a", "b", "2"]
    assert merged.between(1, 3, is_last=True).texts.to_pylist() == ["a", "b", "2", "d"]
    assert merged.between(1, 3, is_last=False).places.tolist() == [0, 0, 3]


def test_splicing() -> None:
    """Lines stand between those of other bytes, before, among and behind them."""
    data, starts = np.frombuffer(b"11333", np.uint8), np.array([0, 0, 2, 2, 5])
    lines = PlacedLines(pa.array(["a", "0", "2", "b", "c"], TEXT), np.array([0, 1, 5, 6, 8]))
    assert b"".join(part.tobytes() for part in lines.splice(data, starts)) == b"a0112b333c"
    nothing = PlacedLines(pa.array([], TEXT), np.zeros(0, np.int64))
    assert b"".join(part.tobytes() for part in nothing.splice(data, starts)) == b"11333"
