"""A word to who waits for loops to be compiled: only where they have to be, and what to do where none are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dagster_project.loops import COMPILING, NO_FOLDER, delay_reason

if TYPE_CHECKING:
    from pathlib import Path


def test_loops_that_are_on_disk_need_no_word(tmp_path: Path) -> None:
    """Beside the code where that can be written, or in the folder that NUMBA_CACHE_DIR names."""
    assert delay_reason({"HOME": str(tmp_path)}, tmp_path) == COMPILING
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "walk.nbi").touch()
    assert delay_reason({"HOME": str(tmp_path)}, tmp_path) is None
    assert delay_reason({"NUMBA_CACHE_DIR": str(tmp_path / "named")}, tmp_path) == COMPILING


def test_code_that_cannot_be_written_leaves_the_users_cache(tmp_path: Path) -> None:
    """Numba takes the first folder that it may write; without any, every process compiles, and the word says so."""
    barred = tmp_path / "barred"
    barred.touch()
    (tmp_path / ".cache" / "numba").mkdir(parents=True)
    assert delay_reason({"HOME": str(tmp_path)}, barred) == COMPILING
    (tmp_path / ".cache" / "numba" / "walk.nbi").touch()
    assert delay_reason({"HOME": str(tmp_path)}, barred) is None
    assert delay_reason({"HOME": str(barred)}, barred) == NO_FOLDER
