"""A small cluster that the generator made up, for the tests that read one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from benchmarks.crowd import Shape
from benchmarks.generate import Broker, Files

if TYPE_CHECKING:
    from pathlib import Path

SHAPE = Shape(commits=20_000, groups=40, topics=5, log_partitions=6)
SEGMENT_BYTES = 150_000
DATA_BATCHES = 2


def small_broker(directory: Path, shape: Shape = SHAPE, codec: str = "none") -> Broker:
    """Write a cluster."""
    broker = Broker(shape, Files(directory, codec, SEGMENT_BYTES))
    broker.write_offsets()
    broker.write_data(DATA_BATCHES)
    broker.write_root()
    return broker


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Broker:
    """The cluster that most tests look at."""
    return small_broker(tmp_path_factory.mktemp("made_up") / "logs")
