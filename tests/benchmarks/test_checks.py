"""That what is measured is what a run does: the rows that are added are new, sound, and behind all others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assets.storage.warehouse import Warehouse
from benchmarks.checks import TABLE, measure

if TYPE_CHECKING:
    from pathlib import Path


def test_a_hundredth_more_breaks_no_rule(tmp_path: Path) -> None:
    """The measurement itself refuses commits that break a rule."""
    commits, *seconds = measure(str(tmp_path), 20_000)
    assert commits == "0.02"
    assert all(float(taken) >= 0 for taken in seconds)
    assert Warehouse(str(tmp_path)).row_count(TABLE.full_name) == 20_200
