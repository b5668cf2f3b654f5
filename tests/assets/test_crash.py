"""A run that is killed costs nothing but time. The long form is `python -m tests.assets.crash`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from tests.assets.crash import Kill, prepare, run_alone, survive

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")
def test_killed_runs_leave_the_archive_of_an_undisturbed_one(tmp_path: Path) -> None:
    """Driver and worker, early and late: what the tables show is always whole, and in the end everything."""
    logs, expected, took = prepare(tmp_path, "__consumer_offsets-*[12]")
    kills = [Kill(took * share, victim) for share, victim in ((0.3, "worker"), (0.1, "driver"))]
    assert survive(tmp_path, logs, expected, kills) > 0
    assert len(expected.rows["raw.offset_records"]) > 1_000


def test_a_run_may_be_killed_anywhere(tmp_path: Path) -> None:
    """At moments over its whole length, the first of them at once, and in the midst of what earlier ones left."""
    logs, expected, took = prepare(tmp_path, "__consumer_offsets-3[01]", run_alone)
    kills = [Kill(took * 0.15 * step, "driver") for step in range(7)]
    assert survive(tmp_path, logs, expected, kills, run_alone) > 0
    assert len(expected.rows["core.commits"]) > 100
