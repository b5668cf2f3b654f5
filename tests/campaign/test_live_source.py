"""A broker that dies, stops or is slow while a run reads it; that lets nobody in. The long form is `live`."""

from __future__ import annotations

import random
from itertools import count
from typing import TYPE_CHECKING

import pytest

from tests.broker.conftest import available
from tests.broker.releases import NEWEST
from tests.campaign.live import FAULTS, judge_live

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the cluster stands."""
    available(NEWEST)
    return tmp_path_factory.mktemp("live")


@pytest.mark.slow
@pytest.mark.parametrize("fault", sorted({*FAULTS}))
def test_a_broker_that_can_not_be_relied_on(scratch: Path, fault: str) -> None:
    """The first seed of each fault: an exit code, one sentence, no secret, and in peace all rows."""
    seed = next(seed for seed in count(1) if random.Random(seed).choice(FAULTS) == fault)  # noqa: S311 - made up
    assert judge_live(seed, scratch)[f"brokers: {fault}"] == 1
