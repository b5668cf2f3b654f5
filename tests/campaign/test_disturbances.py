"""Runs that are killed, disks that fail, logs that a cleaner renames: the next run ends with the same rows.

The long forms are `python -m tests.campaign kills`, `disks` and `renames`.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from itertools import count
from typing import TYPE_CHECKING

import pytest

from tests.campaign.disks import FAULTS, FULL, GONE, MOUNT, NO_INODES, READ_ONLY, judge_disk
from tests.campaign.growing import HEADER, grow, undisturbed
from tests.campaign.kills import judge_kills
from tests.campaign.renames import judge_renames

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc, disks are tmpfs")


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the logs and the warehouse stand that nobody disturbs."""
    return tmp_path_factory.mktemp("disturbances")


@pytest.mark.slow
def test_killed_runs_and_tidyings_lose_nothing(scratch: Path) -> None:
    """Two of them, on Spark, over logs that grow."""
    assert judge_kills(3, scratch, kills=2, durations_s=(14, 2)).total() == 2


@pytest.fixture
def disk_place(tmp_path: Path) -> None:
    """A place where disks can be mounted, or a skip."""
    tried = subprocess.run([MOUNT, "-t", "tmpfs", "tmpfs", str(tmp_path)], check=False, capture_output=True)
    if tried.returncode:
        pytest.skip("this user may not mount a tmpfs: see tests/campaign/disks.py")
    subprocess.run(["/bin/umount", str(tmp_path)], check=True)


@pytest.mark.usefixtures("disk_place")
@pytest.mark.parametrize(
    "fault", [GONE, *(pytest.param(fault, marks=pytest.mark.slow) for fault in (FULL, NO_INODES, READ_ONLY))]
)
def test_a_disk_that_fails_costs_one_run_at_most(scratch: Path, fault: str) -> None:
    """The first seed of each fault."""
    seed = next(seed for seed in count(1) if random.Random(seed).choice(FAULTS) == fault)  # noqa: S311 - made up
    assert judge_disk(seed, scratch)[f"disks {fault}"] == 1


@pytest.mark.slow
def test_a_cleaner_that_renames_disturbs_no_run(scratch: Path) -> None:
    """All the while, between any two reads."""
    assert judge_renames(1, scratch, runs=1)["renames"] > 10


def test_logs_grow_by_whole_batches(scratch: Path, tmp_path: Path) -> None:
    """Up to all that there is: nothing else is compared in the end."""
    whole, _expected = undisturbed(scratch)
    sizes = []
    for share in (0, 0.5, 1):
        grow(tmp_path / "data", whole, share)
        segments = sorted((tmp_path / "data").glob("*/*.log"))
        assert all(_is_whole(segment.read_bytes()) for segment in segments)
        sizes.append(sum(segment.stat().st_size for segment in segments))
    assert 0 == sizes[0] < sizes[1] < sizes[2] == sum(segment.stat().st_size for segment in whole.glob("*/*.log"))
    shutil.rmtree(tmp_path / "data")


def _is_whole(content: bytes) -> bool:
    at = 0
    while at < len(content):
        at += HEADER.size + HEADER.unpack_from(content, at)[1]
    return at == len(content)
