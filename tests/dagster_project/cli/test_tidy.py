"""`lagbook tidy`: says what it would do, and does it only when it is meant."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.dagster_project.cli.conftest import Lagbook


@pytest.fixture
def orphan(tmp_path: Path) -> Path:
    """A file in a warehouse that belongs to nothing."""
    path = tmp_path / "wh" / "spool-1" / "a.log"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"abc")
    return path


def test_without_yes_nothing_is_done(lagbook: Lagbook, orphan: Path) -> None:
    """It names the file and how to go on."""
    result = lagbook("tidy", "--warehouse", str(orphan.parents[1]), "--leftovers-after", "0m")
    assert result.exit_code == 0, result.output
    assert f"belongs to nothing: {orphan} (3 bytes)" in result.stdout
    assert "delete 1 files (3 bytes): --yes" in result.stdout
    assert orphan.exists()


def test_with_yes_it_is_done(lagbook: Lagbook, orphan: Path) -> None:
    """The file is gone, and the next call finds everything in order."""
    call = ("tidy", "--warehouse", str(orphan.parents[1]), "--leftovers-after", "0m")
    result = lagbook(*call, "--yes", "--json")
    assert json.loads(result.stdout) == {
        "is_done": True,
        "merges": [],
        "leftovers": [{"path": str(orphan), "bytes": 3}],
    }
    assert not orphan.exists()
    assert "Everything is in order." in lagbook(*call).stdout


def test_what_is_young_stays(lagbook: Lagbook, orphan: Path) -> None:
    """A run that is under way may have written it."""
    assert "Everything is in order." in lagbook("tidy", "--warehouse", str(orphan.parents[1]), "--yes").stdout
    assert orphan.exists()


@pytest.mark.parametrize("age", ["1", "d", "-1d", "1w", ""])
def test_an_age_has_a_unit(lagbook: Lagbook, orphan: Path, age: str) -> None:
    """Anything else is refused in one sentence."""
    result = lagbook("tidy", "--warehouse", str(orphan.parents[1]), "--leftovers-after", age)
    assert result.exit_code == 2
    assert "is no age: give a number and m, h or d" in result.stderr
