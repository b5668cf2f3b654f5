"""A cluster in which one group has most commits, and of each thing there is much. The long form is `sizes`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.campaign.sizes import GROUPS, account, write_cluster
from tests.whole_run import whole_run

if TYPE_CHECKING:
    from pathlib import Path

SCALE = 0.002


@pytest.mark.slow
def test_one_group_with_most_of_the_commits(tmp_path: Path) -> None:
    """Its commits, and those of the groups beside it, are all there."""
    write_cluster(tmp_path / "data", 1, SCALE)
    run = whole_run(tmp_path / "warehouse", [tmp_path / "data"])
    assert run.exit_code == 0, run.output
    assert account(tmp_path / "warehouse", SCALE)["groups"] > GROUPS * SCALE / 2
