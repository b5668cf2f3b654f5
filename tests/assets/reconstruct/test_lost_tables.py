"""A table that goes away while a run is under way: no later run goes on as if its rows were there."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from assets.maintenance.mending import heal
from assets.reconstruct.reconstruct import replay
from assets.storage.warehouse import Warehouse
from parsers.errors import WarehouseError
from tests.assets.inline import inline
from tests.assets.transforms.offsets_log import Log

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

    from tests.assets.reconstruct.conftest import Archive

TABLE = "core.commits"


def drop(archive: Archive) -> None:
    """Delete a table's folder."""
    shutil.rmtree(archive.warehouse.table_url(TABLE))


def spark_after_a_drop(archive: Archive) -> Callable[[], SparkSession]:
    """Give a session when the table is gone."""

    def start() -> SparkSession:
        drop(archive)
        return inline()

    return start


def offsets_of_next_run(archive: Archive) -> list[int]:
    """What is committed by the rows that stand after a run of its own."""
    archive.warehouse = Warehouse(archive.warehouse.url)
    heal(archive.warehouse)
    archive.replay()
    return [row["committed_offset"] for row in archive.rows(TABLE)]


@pytest.fixture
def grown(archive: Archive) -> Archive:
    """An archive with records that were replayed, and later ones that were not."""
    records = Log().commit(1).commit(2).commit(3).records
    archive.add(records[:2])
    archive.replay()
    archive.add(records[2:])
    return archive


def test_no_run_begins_a_table_anew_behind_its_checkpoints(grown: Archive) -> None:
    """The rows before the checkpoint would be missing for ever."""
    drop(grown)
    with pytest.raises(WarehouseError, match="is gone, and its rows with it"):
        grown.replay()
    assert offsets_of_next_run(grown) == [1, 2, 3]


def test_rows_come_back_when_a_table_went_away_during_the_replay(grown: Archive) -> None:
    """The run may fail; the next one makes all rows again."""
    with pytest.raises(WarehouseError):
        replay(spark_after_a_drop(grown), grown.warehouse)
    assert offsets_of_next_run(grown) == [1, 2, 3]
