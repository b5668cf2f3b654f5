"""A group with a million partitions, or with a name of 32 kB, takes no worker's memory away from all others."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
BOUND_MB = 700


def replay(folder: Path, partitions: int, generations: int, name_bytes: int) -> dict[str, Any]:
    """What a replay in a process of its own came to."""
    numbers = map(str, (partitions, generations, name_bytes))
    call = [sys.executable, "-m", "tests.assets.reconstruct.large_groups", str(folder), *numbers]
    result: dict[str, Any] = json.loads(subprocess.run(call, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)
    return result


@pytest.mark.parametrize(("partitions", "name_bytes"), [(1_000_000, 1), (20_000, 32_000)])
def test_what_a_record_has_too_many_of_is_unknown(tmp_path: Path, partitions: int, name_bytes: int) -> None:
    """The generations and members are there, and no owner."""
    result = replay(tmp_path, partitions, 3, name_bytes)
    assert result.pop("grown_mb") < BOUND_MB
    assert result == {"core.ownership": 0, "core.members": 6, "core.generations": 3}


def test_as_many_as_a_record_of_a_broker_holds_are_known(tmp_path: Path) -> None:
    """Every owner of every partition, which changed with each generation; what is written is not held."""
    result = replay(tmp_path, 200_000, 6, 1)
    assert result.pop("grown_mb") < BOUND_MB
    assert result == {"core.ownership": 1_200_000, "core.members": 12, "core.generations": 6}
