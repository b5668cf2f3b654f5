"""Segments that a broker sent to tiered storage are another copy of its log, however often it sent them."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any, Final

import pyarrow.dataset as ds
import pytest

from assets.catalog import TABLES
from assets.ingest.ingest import ingest
from assets.ingest.plan import Sources, plan
from assets.storage.warehouse import Warehouse
from dagster_project.cli.operations.demo import unpack
from tests.assets.inline import inline

if TYPE_CHECKING:
    from pathlib import Path

TOPIC_ID: Final = "5fEBmixCR5-dMntYSLIr1g"
SENT: Final = ("BFyXlC8ySMm-Uzxw5lZSMg", "oAtiIQ95REujbuzNd_lkLQ")
SEGMENT: Final = "00000000000000000000.log"


@pytest.fixture(scope="module")
def partition(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a data partition that a broker left."""
    folders = unpack(tmp_path_factory.mktemp("recorded")).glob("*-0")
    data_folders = [folder for folder in folders if not folder.name.startswith("__") and (folder / SEGMENT).is_file()]
    chosen = tmp_path_factory.mktemp("logs") / data_folders[0].name
    chosen.mkdir()
    shutil.copy(data_folders[0] / SEGMENT, chosen)
    return chosen


@pytest.fixture
def tiered(partition: Path, tmp_path: Path) -> Path:
    """The same in tiered storage, where it was sent twice."""
    folder = tmp_path / "tiered" / f"{partition.name}-{TOPIC_ID}"
    folder.mkdir(parents=True)
    for sent in SENT:
        shutil.copy(partition / SEGMENT, folder / f"0-{sent}.log")
    return folder.parent


def read(warehouse: Path, *places: Path) -> dict[str, list[dict[str, Any]]]:
    """What a warehouse has of batches, and of what is wrong with them, when one place after the other was read."""
    here = Warehouse(str(warehouse))
    for place in places:
        ingest(inline, here, plan(here, Sources((str(place),), "c")))
    names = ("raw.batches", "raw.diverged_batches", "raw.quarantine")
    return {name: _rows(here, name) for name in names}


def _rows(warehouse: Warehouse, name: str) -> list[dict[str, Any]]:
    files = warehouse.files(name)
    rows = ds.dataset(files, schema=TABLES[name].schema).to_table().to_pylist() if files else []
    return sorted(rows, key=lambda row: (row["base_offset"], row["position"]))


def test_a_tiered_log_has_the_batches_of_the_brokers(partition: Path, tiered: Path, tmp_path: Path) -> None:
    """Alone, and beside what the broker has still: each batch once, and nothing contradicts."""
    theirs = read(tmp_path / "broker", partition)
    assert len(theirs["raw.batches"]) > 10
    assert theirs["raw.diverged_batches"] == theirs["raw.quarantine"] == []
    assert read(tmp_path / "tiered-only", tiered) == theirs
    assert read(tmp_path / "both", partition, tiered) == theirs
