"""A bit that flips is noticed or changes no row. The long form is `python -m tests.campaign flips`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.campaign.flips import RUN, judge_flip

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the sound warehouse stands."""
    return tmp_path_factory.mktemp("flips")


@pytest.mark.parametrize(
    "seed", [*range(1, 9), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(9, RUN + 1))]
)
def test_damage_of_a_seed_is_noticed_or_harmless(scratch: Path, seed: int) -> None:
    """Over two of them a run goes as well."""
    judge_flip(seed, scratch)
